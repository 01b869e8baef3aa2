import { beforeAll, describe, expect, it } from 'vitest'
import { givenDdiDevice, givenDeviceKey } from '../../server/test/given-ddi.ts'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { logs, metrics, storeTelemetry } from '../../server/test/given-telemetry.ts'
import { advanceDeployments } from '../../server/src/features/deployments/index.ts'
import { EventEmitter } from 'node:events'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

let environment: Environment
let fleet: Fleet
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  service = await startService({ withWorker: false })
  fleet = await givenFleet(service, 2)
  environment = service.environmentOf(fleet.client)
  await fleet.boots('device-000', '1.0')
  const { workspaceId } = fleet
  const device = { workspaceId, deviceId: 'device-000' }
  const point = (labels: Record<string, string>, value: number) => ({
    name: 'temperature',
    labels,
    value,
  })
  await storeTelemetry(
    service.ctx,
    metrics(device, [point({ sensor: 'cpu' }, 60), point({ sensor: 'case' }, 40)]),
    logs(device, [{ severity: 'Error', message: 'watchdog \u001b[2J' }]),
  )
})

const run = (...args: string[]) => runPlimsoll(environment, args)
interface RollOut {
  id: string
  phases: object[]
}

const json = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await run(...args, '--json')).stdout)

describe('plimsoll device', () => {
  it('lists devices with what they run', async () => {
    const all = await run('device', 'list')
    const one = await json('device', 'list', '--text', '001')

    expect(all.stdout).toMatch(/device-000 .*gateway 1\.0/)
    expect(all.stdout).toMatch(/\n2 devices\n$/)
    expect(one).toMatchObject({ devices: [{ id: 'device-001' }], hasMore: false })
  })

  it('says that there are more than asked for', async () => {
    const { stdout } = await run('device', 'list', '--limit', '1')

    expect(stdout).toMatch(/\nShowing 1 of 2 devices\n$/)
  })

  it('takes the name of a cohort, and refuses one that nothing has', async () => {
    await fleet.client.post('/deployment-cohorts', { name: 'pilots' })

    const named = await run('device', 'list', '--cohort', 'pilots')
    const unknown = await run('device', 'list', '--cohort', 'pilot')

    expect(named.stdout).toBe('No devices.\n')
    expect(unknown.exitCode).toBe(EXIT.error)
    expect(unknown.stderr).toContain('No deployment cohort has the id or name "pilot".')
  })

  it('tags and moves devices, and takes both back', async () => {
    await fleet.client.post('/deployment-cohorts', { name: 'first ones' })
    const shown = async () =>
      (await json('device', 'show', 'device-001')) as {
        tags: string[]
        cohort: { name: string } | null
      }
    const before = await shown()

    const tagged = await run('device', 'tag', 'device-001', '--add', 'shelf')
    const moved = await run('device', 'move', 'device-001', '--cohort', 'first ones')
    const between = await shown()
    const undone: string[] = []
    for (const { stdout } of [moved, tagged]) {
      const batchId = /plimsoll device undo (\S+)/.exec(stdout)?.[1] ?? ''
      undone.push((await run('device', 'undo', batchId)).stdout)
    }
    const unknown = await run('device', 'undo', 'nothing')

    expect(tagged.stdout).toContain('1 device has other tags\n')
    expect(moved.stdout).toContain('to first ones\n')
    expect(between).toMatchObject({ tags: ['shelf'] })
    expect(undone).toEqual(Array(2).fill('1 device has again what was there before\n'))
    const after = await shown()
    expect(between).not.toHaveProperty('cohort', before.cohort)
    const { tags, cohort } = before
    expect(after).toMatchObject({ tags, cohort })
    expect(unknown.exitCode).toBe(EXIT.error)
  })

  it('asks a device to replace its key, shows how far it is, and takes that back', async () => {
    await run('device', 'create', 'rotating')
    const cannot = await run('device', 'rotate-key', 'rotating')
    await givenDeviceKey(service, fleet.client.workspaceId, 'rotating')

    const asked = await run('device', 'rotate-key', 'rotating')
    const again = await run('device', 'rotate-key', 'rotating')
    const listed = await run('device', 'list', '--key-rotation', 'asked')
    const batchId = /plimsoll device undo (\S+)/.exec(asked.stdout)?.[1] ?? ''
    const undone = await run('device', 'undo', batchId)
    await run('device', 'rotate-key', 'rotating', '--quiet')
    const cancelled = await run('device', 'cancel-rotation', 'rotating')
    const nothing = await run('device', 'cancel-rotation', 'rotating')
    const unknown = await run('device', 'cancel-rotation', 'nobody')
    await run('device', 'delete', 'rotating', '--yes')

    expect(cannot.stdout).toBe(
      '0 devices are asked to fetch their next key\n1 device: cannot: no key of its own to replace\n',
    )
    expect(asked.stdout).toContain('1 device is asked to fetch its next key\n')
    expect(again.stdout).toContain('1 device: asked before, and not done yet\n')
    expect(listed.stdout).toContain('rotating')
    expect(undone.stdout).toBe('1 device is asked no more to replace its key\n')
    expect(cancelled.stdout).toBe('rotating: asked no more to replace its key\n')
    expect(nothing.stderr).toContain('is not asked to replace its key')
    expect(unknown.stderr).toContain('No device has the id "nobody"')
  })

  it('counts devices by the age of their keys before it holds, and says what the workspace and a cohort want', async () => {
    const before = await run('device-key', 'ages')
    await run('device', 'create', 'aging')
    await run('cohort', 'create', 'aging cohort')

    const preview = await run('device-key', 'ages', '--days', '30')
    const ofNobody = await run('device-key', 'ages', '--cohort', 'aging cohort')
    const ofCohort = await run('device-key', 'ages', '--days', '30', '--cohort', 'aging cohort')
    const wanted = await run('settings', 'update', '--device-key-rotation-days', '365')
    await run('cohort', 'update', 'aging cohort', '--key-rotation-days', '0')
    const cohort = await run('cohort', 'show', 'aging cohort')
    await run('cohort', 'update', 'aging cohort', '--no-key-rotation-days')
    const cohortAfter = await run('cohort', 'show', 'aging cohort')
    const now = (await json('device-key', 'ages')) as { devices: number; withoutOwnKey: number }
    const none = await run('settings', 'update', '--no-device-key-rotation-days')
    await run('device', 'delete', 'aging', '--yes')
    await run('cohort', 'delete', 'aging cohort', '--yes')

    expect(before.stderr).toContain('No age is wanted of the keys of any device.')
    expect(preview.stdout).toMatch(/Without an own key: +[1-9]/)
    expect(preview.stderr).toContain('without an own key')
    expect(ofNobody.stderr).toContain('--days')
    expect(ofCohort.stdout).toMatch(/Devices: +0\n/)
    expect(wanted.stdout).toMatch(/Device key rotation days: +365\n/)
    expect(cohort.stdout).toMatch(/Keys are replaced: +when somebody asks\n/)
    expect(cohortAfter.stdout).toMatch(/Keys are replaced: +as the workspace has it\n/)
    expect(now.withoutOwnKey).toBeGreaterThan(0)
    expect(none.stdout).toMatch(/Device key rotation days: +none\n/)
  })

  it('tags all devices that a filter selects once that was confirmed, and takes it back', async () => {
    const filtered = ['device', 'tag', '--text', 'device-0', '--add', 'by-filter']
    const tagsOf = async (id: string) =>
      ((await json('device', 'show', id)) as { tags: string[] }).tags

    const unasked = await run(...filtered)
    const dry = await run(...filtered, '--dry-run')
    const untouched = await tagsOf('device-000')
    const done = await run(...filtered, '--yes')
    const both = [await tagsOf('device-000'), await tagsOf('device-001')]
    const batchId = /plimsoll device undo (\S+)/.exec(done.stdout)?.[1] ?? ''
    const undone = await run('device', 'undo', batchId)
    const ambiguous = await run('device', 'tag', 'device-000', '--text', 'x', '--add', 'a')
    const nothing = await run('device', 'tag', '--add', 'a')

    expect(unasked.exitCode).toBe(EXIT.error)
    expect(unasked.stderr).toContain('Change the tags of 2 of 2 devices that match?')
    expect(dry.stdout).toBe('2 devices would have other tags\n')
    expect(untouched).not.toContain('by-filter')
    expect(both).toEqual([
      expect.arrayContaining(['by-filter']),
      expect.arrayContaining(['by-filter']),
    ])
    expect(undone.stdout).toBe('2 devices have again what was there before\n')
    for (const { exitCode, stderr } of [ambiguous, nothing]) {
      expect(exitCode).toBe(EXIT.error)
      expect(stderr).toContain('by their ids, or by a filter')
    }
  })

  it('counts what was done, by kind and by who did it, and shows an entry', async () => {
    const counts = await run('audit', 'counts', '--by-type', 'ApiKey', '--kind', 'Device')
    const nobody = await json('audit', 'counts', '--by-type', 'Operator', '--kind', 'Device')
    const listed = await json('audit', 'list', '--kind', 'Device', '--limit', '1')
    const [entry] = (listed as { entries: { id: string; summary: string }[] }).entries
    const shown = await run('audit', 'show', entry?.id ?? '')

    expect(counts.stdout).toMatch(/^\d+ entries, by 0 people and 1 key\n\d+\tDevice\n/)
    expect(nobody).toMatchObject({ count: 0, actors: [] })
    expect(shown.stdout).toContain(entry?.summary ?? 'no entry')
  })

  it('shows a device', async () => {
    const { stdout } = await run('device', 'show', 'device-000')

    expect(stdout).toMatch(/^Device: +device-000\n/)
    expect(stdout).toMatch(/\nRuns: +gateway 1\.0 \(Unknown: no SBOM, .*\)\n/)
  })

  it('lists the versions of a firmware with their marks', async () => {
    const { stdout } = await run('firmware', 'versions', 'gateway')
    const missing = await run('firmware', 'versions', 'nowhere')

    expect(stdout).toMatch(
      /^VERSION +LINE +MARK +SBOMS +DEVICES +CREATED \(UTC\) +OUT OF SUPPORT FROM +ID\n/,
    )
    expect(stdout).toMatch(/\n1\.0 +Unknown: no SBOM, .* 0 +1 /)
    expect(missing).toMatchObject({ exitCode: EXIT.error })
  })

  it('lists what devices run, and what is not known as such', async () => {
    const running = await run('firmware', 'running')
    const all = await json('firmware', 'running', '--group', 'All')

    expect(running.stdout).toMatch(/^FIRMWARE +VERSION +DEVICES +MARK +C +H +M +L +ID\n/)
    expect(running.stdout).toMatch(/\ngateway +1\.0 +1 +Unknown: no SBOM.* \? +\? +\? +\? /)
    expect(all).toMatchObject({
      devices: { total: 2, silent: 1 },
      versions: [
        { slug: 'gateway', name: '1.0', deviceCount: 1 },
        { deviceCount: 0 },
        { deviceCount: 0 },
      ],
    })
  })

  it('fails for one that is not there', async () => {
    const { exitCode, stderr } = await run('device', 'show', 'nowhere')

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain('nowhere')
  })
})

describe('plimsoll metric', () => {
  it('lists metrics with their labels', async () => {
    const { stdout } = await run('metric', 'list')

    expect(stdout).toMatch(/temperature +sensor\n\n1 metric\n$/)
  })

  it('shows values of a window, by label and device', async () => {
    const together = await run('metric', 'query', 'temperature')
    const cpu = await json('metric', 'query', 'temperature', '--label', 'sensor=cpu', '--by-device')
    const none = await run('metric', 'query', 'temperature', '--to', '1h')

    expect(together.stdout).toMatch(/TIME \(UTC\) +VALUE\n.* +50\n\n1 point\n$/)
    expect(cpu).toMatchObject({ series: [{ deviceId: 'device-000', points: [{ value: 60 }] }] })
    expect(none.stdout).toBe('No points.\n')
  })

  it('refuses a time that means something else elsewhere', async () => {
    const { exitCode, stderr } = await run('metric', 'query', 'temperature', '--from', '2026-08-22')

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain('It must be a time such as')
  })
})

describe('plimsoll device-log', () => {
  it('lists lines, whatever they hold', async () => {
    const { stdout } = await run('device-log', 'list', '--text', 'WATCHDOG', '--severity', 'error')
    const none = await run('device-log', 'list', '--severity', 'debug')

    expect(stdout).toMatch(/device-000 +Error +watchdog \ufffd\[2J\n\n1 line\n$/)
    expect(none.stdout).toBe('No lines.\n')
  })
})

describe('plimsoll deployment', () => {
  it('shows deployments of a cohort, and goes back', async () => {
    const first = await fleet.deploy('1.0')
    const second = await fleet.deploy('2.0')
    const cohort = ['--cohort', fleet.cohortId]

    const listed = await run('deployment', 'list', ...cohort)
    const shown = await run('deployment', 'show', second.id, ...cohort)
    const dry = await run('deployment', 'rollback', second.id, ...cohort, '--dry-run')
    const unasked = await run('deployment', 'rollback', second.id, ...cohort)
    const back = await json('deployment', 'rollback', second.id, ...cohort, '--yes')
    const again = await run('deployment', 'rollback', second.id, ...cohort, '--yes')

    expect(listed.stdout).toMatch(/to 2\.0 +Running .*\nto 1\.0 +Replaced /)
    expect(shown.stdout).toMatch(/\nInstalls: +gateway 2\.0 \(Unknown: /)
    expect(shown.stdout).toMatch(/\nDevices: +0 of 2 report it; waiting 2\n/)
    expect(dry.stdout).toMatch(
      /^Roll back to 2\.0 to to 1\.0: gateway 2\.0 -> 1\.0\. Devices: 0 go back \(0 on the left version, 0 installing it, 0 on others\), 1 on the restored one stay, of 1 nobody knows what they run\.\n$/,
    )
    expect(unasked.stderr).toContain(dry.stdout.trim())
    expect(back).toMatchObject({ rollbackOfId: second.id, restoresId: first.id })
    expect(again.exitCode).toBe(EXIT.error)
  })

  it('goes back to a version that is named, or says why it cannot', async () => {
    await fleet.deploy('1.0')
    await fleet.deploy('2.0')
    const { id } = await fleet.deploy('3.0')
    const back = ['deployment', 'rollback', id, '--cohort', fleet.cohortId, '--to']

    const dry = await run(...back, 'gateway@1.0', '--dry-run')
    const never = await run(...back, 'gateway@3.0', '--yes')
    const done = await json(...back, 'gateway@1.0', '--yes')

    expect(dry.stdout).toContain('gateway 3.0 -> 1.0. Devices: ')
    expect(never.exitCode).toBe(EXIT.error)
    expect(never.stderr).toContain('There is no way back to gateway 3.0: ')
    expect(done).toMatchObject({
      rollbackOfId: id,
      artifacts: [{ firmware: { firmwareVersion: { name: '1.0' } } }],
    })
  })

  it('changes what has not begun, and says why the rest stays', async () => {
    const { id } = await fleet.deploy('2.0', { phases: [{ percent: 50 }, { percent: 100 }] })
    const update = ['deployment', 'update', id, '--cohort', fleet.cohortId]

    const nothing = await run(...update)
    const changed = await run(...update, '--note', 'slowly', '--phase', '60:1h', '--wait', '2h')
    const told = await json(...update, '--max-failures', '20')
    const refused = await run(...update, '--starts-at', '2h')
    const narrower = await run(...update, '--phase', '40')

    expect(nothing.exitCode).toBe(EXIT.error)
    expect(changed.stdout).toBe('to 2.0: changed; Running, phase 1 of 3, 50 % of the devices\n')
    expect(told).toMatchObject({
      note: 'slowly',
      phases: [
        { percent: 50, waitSeconds: 7200, failureThresholdPercent: 20 },
        { percent: 60, waitSeconds: 3600, failureThresholdPercent: 20 },
        { percent: 100, failureThresholdPercent: 20 },
      ],
    })
    expect(refused.exitCode).toBe(EXIT.error)
    expect(refused.stderr).toContain('The deployment has begun')
    expect(narrower.exitCode).toBe(EXIT.error)
  })

  it('asks each phase but the last for a comparison, and ends with 19 while it cannot be told', async () => {
    const create = ['deployment', 'create', 'gateway@2.0', '--cohort', fleet.cohortId]
    const asked = ['--compare', '1d', '--compare-metric', 'battery:lower:5', '--too-few', 'stop']

    const one = await run(...create, ...asked)
    const odd = await run(...create, '--phase', '50', '--compare', '1d', '--compare-metric', 'x')
    const { id, phases } = (await json(...create, '--phase', '50:1h', ...asked)) as RollOut
    const named = [id, '--cohort', fleet.cohortId]
    const updated = (await json('deployment', 'update', ...named, '--wait', '2h')) as RollOut
    const told = await run('deployment', 'comparison', ...named)
    const compared = await json('deployment', 'comparison', ...named)
    const shown = await run('deployment', 'show', ...named)

    expect(one.stderr).toContain('--compare needs a phase before the last one')
    expect(odd.stderr).toContain('such as battery:lower:5')
    expect(phases).toMatchObject([
      {
        comparison: {
          windowSeconds: 86_400,
          metrics: [{ name: 'battery', worse: 'Lower', marginPercent: 5 }],
          builtIn: [],
          tooFew: 'Stop',
        },
      },
      { comparison: null },
    ])
    expect(updated.phases[0]).toMatchObject({ waitSeconds: 7200, comparison: { tooFew: 'Stop' } })
    expect(told.exitCode).toBe(EXIT.notCompared)
    expect(told.stdout).toMatch(/^Phase 1: waits for devices/)
    expect(compared).toMatchObject({ phases: [{ phase: 0, state: 'Waiting' }] })
    expect(shown.stdout).toMatch(/^Comparison: +phase 1: waits for devices$/m)
  })

  it('says in one line what a phase found, and watches until a comparison stops it', async () => {
    const create = ['deployment', 'create', 'gateway@2.0', '--cohort', fleet.cohortId]
    const { id } = (await json(...create, '--phase', '50:1h', '--compare', '1d')) as RollOut
    const named = [id, '--cohort', fleet.cohortId]
    const find = async (state: string, blindTo: string[] = []) => {
      const found = { state, reason: 'Restarts: 31 % more', blindTo }
      const { workspaceId } = fleet
      const row = {
        workspaceId,
        deploymentId: id,
        phase: 0,
        checkedAt: service.ctx.now(),
        ...found,
      }
      await service.ctx.db
        .insertInto('deploymentComparisons')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['workspaceId', 'deploymentId', 'phase']).doUpdateSet(found),
        )
        .execute()
    }

    await find('Passed', ['Crashes'])
    const passed = await run('deployment', 'show', ...named)
    await find('Worse')
    await advanceDeployments(service.ctx)
    const worse = await run('deployment', 'show', ...named)
    const watched = await run('deployment', 'watch', ...named)

    expect(passed.stdout).toMatch(
      /^Comparison: +phase 1: nothing worse was seen, but even twice as much would have been missed in Crashes$/m,
    )
    expect(worse.stdout).toMatch(/^Comparison: +phase 1: worse: Restarts: 31 % more$/m)
    expect(watched.exitCode).toBe(EXIT.devicesWorse)
    expect(watched.stdout).toContain('Restarts: 31 % more')
  })

  it('shows the devices that failed, with the reason', async () => {
    const { id } = await fleet.deploy('3.0')
    const updateId = (await fleet.desired('device-001'))?.updateId ?? ''
    await fleet.reports('device-001', { updateId, state: 'failed', reason: 'flash is full' })

    const shown = await run('deployment', 'show', id, '--cohort', fleet.cohortId)
    const told = await json('deployment', 'show', id, '--cohort', fleet.cohortId)

    const why = await run('deployment', 'failures', id, '--cohort', fleet.cohortId)
    const retry = ['deployment', 'retry', id, '--cohort', fleet.cohortId]
    const none = await run(...retry, '--reason', 'never said')
    const unchanged = await run(...retry, '--changed-only')
    const unasked = await run(...retry)
    const again = await json(...retry, '--reason', 'flash is full', '--yes')

    expect(none.stdout).toContain('1 failed')
    expect(unchanged.stdout).toContain('1 failed')
    expect(why.stdout).toMatch(
      /^DEVICES +CHANGED SINCE +ATTEMPTS +REASON\n1 +0 +1 +flash is full\n/,
    )
    expect(why.stdout).toContain('Nothing that sets them apart was found among tags')
    expect(why.stdout).toContain('Compared: 1 failed device with 0 that took the versions.')
    expect(unasked.stderr).toContain('Have 1 failed device of to 3.0 try again?')
    expect(again).toMatchObject({ deviceUpdateStateCounts: { failed: 0 } })
    expect(shown.stdout).toMatch(/^Failures: +1 × flash is full$/m)
    expect(shown.stdout).toMatch(/\nDEVICE +STATE .*\ndevice-001 +Failed .*flash is full/)
    expect(shown.stdout).not.toContain('device-000')
    expect(told).toMatchObject({
      failedDeviceUpdates: [{ deviceId: 'device-001', state: 'failed', reason: 'flash is full' }],
    })
  })

  it('says when no cohort is called so', async () => {
    const { stderr } = await run('deployment', 'list', '--cohort', 'nobody')

    expect(stderr).toBe(
      'There is no cohort with the id or name "nobody"; plimsoll cohort list shows what there is.\n',
    )
  })
})

describe('plimsoll usage', () => {
  it('shows what is used of what limits', async () => {
    const { stdout } = await run('usage')
    const usage = await json('usage')

    expect(stdout).toMatch(/^QUOTA +USED +LIMIT +SHARE/)
    expect(stdout).toMatch(/\nmailsPerHour +0 +1000 +0 %/)
    expect(usage).toMatchObject({
      quotas: [
        { name: 'storedBytes' },
        { name: 'devices', limit: 1_000_000 },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    })
  })
})

describe('plimsoll exposure what-if', () => {
  it('tells what would be if a cohort ran another version, by names', async () => {
    const cohort = await fleet.client.post('/deployment-cohorts', { name: 'a=b' })
    await fleet.client.post('/devices/bulk-move', {
      deviceIds: ['device-000', 'device-001'],
      deploymentCohortId: cohort.json<{ id: string }>().id,
    })

    const told = await run('exposure', 'what-if', '--run', 'a=b=gateway@2.0')
    const whole = await json('exposure', 'what-if', '--run', 'a=b=gateway@2.0')
    const unknown = await run('exposure', 'what-if', '--run', 'nowhere=gateway@2.0')
    const unclear = await run('exposure', 'what-if', '--run', 'gateway@2.0')

    expect(told.stdout).toMatch(/^WORST FINDING +DEVICES NOW +THEN\nnot judged +2 +2\n/)
    expect(told.stdout).toMatch(
      /\n0 vulnerabilities go, 0 come\.\n1 device of a=b reports no gateway/,
    )
    expect(whole).toMatchObject({ after: { deviceCount: 2 } })
    expect([unknown.exitCode, unclear.exitCode]).toEqual([EXIT.error, EXIT.error])
    expect(unclear.stderr).toContain('is not cohort=version')
  })
})

describe('a hawkBit client among several firmwares', () => {
  it('is asked of which firmware its version is', async () => {
    await fleet.client.post('/firmwares', { slug: 'radio', name: 'Radio' })
    const device = await givenDdiDevice(service, fleet.client)
    await device.put('/configData', { data: { version: '2.4.1' } })

    const listed = await run('device', 'list', '--text', device.deviceId)
    const shown = await run('device', 'show', device.deviceId)

    expect(listed.stdout).toContain('unknown; reports version=2.4.1: of which firmware?')
    expect(shown.stdout).toContain(
      'unknown; reports version=2.4.1: of which firmware? Let its client report firmware.SLUG=2.4.1 instead',
    )
  })
})

describe('plimsoll device-log list --follow', () => {
  it('shows what there is, then each line once as it arrives, until Ctrl-C', async () => {
    const device = { workspaceId: fleet.workspaceId, deviceId: 'device-001' }
    const say = (message: string) =>
      storeTelemetry(service.ctx, logs(device, [{ severity: 'Info', message }]))
    const signals = new EventEmitter()
    const later = [
      () => say('second'),
      () => say('third'),
      () => Promise.resolve(signals.emit('SIGINT')),
    ]
    await say('first')
    const follow = ['device-log', 'list', '--follow', '--device', 'device-001']

    const { stdout, exitCode } = await runPlimsoll(environment, [...follow, '--json'], {
      signals,
      pause: async () => later.shift()?.(),
    })
    const refused = await run(...follow, '--to', '1m')

    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: string })
    expect(lines.map(({ message }) => message)).toEqual(['first', 'second', 'third'])
    expect(exitCode).toBe(EXIT.interrupted)
    expect(refused.stderr).toBe('--follow has no end: leave --to out.\n')
  })
})

describe('plimsoll device import', () => {
  const file = (text: string) => givenFile('devices.csv', text)

  it('registers the devices of a CSV, and leaves those that exist', async () => {
    const path = file(
      'id,description,tags,attribute.board,attribute.rev\r\n' +
        'csv-1,"Pole 3, north",beta; site-7,rev-c,1.10\r\ndevice-000,x,,,2\r\n',
    )

    const checked = await run('device', 'import', path, '--dry-run')
    const done = await run('device', 'import', path)
    const made = await json('device', 'show', 'csv-1')

    expect(checked.stdout).toMatch(/: 2 devices, no fault found\n$/)
    expect(done.stdout).toBe(
      '1 device created\n1 device registered before, left as they are: device-000\n',
    )
    expect(made).toMatchObject({
      description: 'Pole 3, north',
      tags: ['beta', 'site-7'],
      attributes: { board: 'rev-c', rev: '1.10' },
    })
  })

  it('names each line that is wrong, and sends none', async () => {
    const wrong = await run(
      'device',
      'import',
      file('id,tag\ngood-1,a\nbad id,a\n\ngood-1,b\ngood-2\n'),
    )
    const open = await run('device', 'import', file('id\ngood-1\n"open'))
    const none = await run('device', 'import', file('id\n'))

    expect(wrong.exitCode).toBe(EXIT.error)
    expect(wrong.stderr.split('\n').slice(0, 6)).toEqual([
      expect.stringMatching(/devices\.csv has 4 faults; no device was sent:$/),
      '  line 1: "tag" is no column: id, description, tags, attribute.NAME (attribute.tag?).',
      expect.stringMatching(/^ {2}line 3: "bad id" is no id of a device: /),
      '  line 5: good-1 is on line 2 already.',
      '  line 6: It has 1 cell for 2 columns.',
      '',
    ])
    expect(open.stderr).toContain('line 3: a quotation mark is not closed')
    expect(none.stderr).toContain('names no device')
    expect((await run('device', 'list', '--text', 'good', '--quiet')).stdout).toBe('')
  })

  it('sends more devices than one request takes', async () => {
    const ids = Array.from({ length: 1201 }, (_, at) => `many-${at}`)

    const done = await run('device', 'import', file(`id\n${ids.join('\n')}\n`))

    expect(done.stdout).toBe('1201 devices created\n')
  })

  it('says what was sent where the service refuses the second part, and goes on from there', async () => {
    const ids = Array.from({ length: 1101 }, (_, at) => `part-${String(at).padStart(4, '0')}`)
    // The service refuses a name of an attribute that is longer than 128, wherever it is filled in.
    const write = (name: string) =>
      file(
        `id,attribute.${name}\n${ids.map((id, at) => `${id},${at === 1100 ? 'x' : ''}`).join('\n')}\n`,
      )

    const refused = await run('device', 'import', write('b'.repeat(129)))
    const between = await run('device', 'list', '--text', 'part-', '--limit', '2000', '--quiet')
    const again = await run('device', 'import', write('board'))

    expect(refused.exitCode).toBe(EXIT.error)
    expect(refused.stderr).toContain(
      'The first 1000 of 1101 devices were sent. Send the file again',
    )
    expect(refused.stderr).toMatch(
      /devices\.csv has 1 fault; no further device was sent:\n {2}line 1102: /,
    )
    expect(between.stdout.trim().split('\n')).toEqual(ids.slice(0, 1000))
    expect(again.stdout).toMatch(
      /^101 devices created\n1000 devices registered before, left as they are: part-0000, /,
    )
  })
})
