/** What the REST interface has, by the same words in the terminal: made, listed, changed, deleted. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { givenProduct, givenVersion } from '../../server/test/given-findings.ts'
import { givenMember } from '../../server/test/given-people.ts'
import { setKeepsSources } from '../../server/src/features/workspaces/index.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

const OPERATOR = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
} as const

let environment: Environment
let fleet: Fleet
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  service = await startService({ withWorker: false })
  fleet = await givenFleet(service, 2)
  environment = service.environmentOf(fleet.client)
  await fleet.boots('device-000', '1.0')
})

const run = (...args: string[]) => runPlimsoll(environment, args)
async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await run(...args, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout) as T
}

describe('plimsoll firmware and firmware-version', () => {
  it('makes, changes and deletes them', async () => {
    const firmware = await json('firmware', 'create', 'modem', '--name', 'Modem')
    const version = await json('firmware-version', 'create', 'modem@4.2.0')
    const changed = await json('firmware', 'update', 'modem', '--description', 'LTE')
    const listed = await run('firmware', 'list')
    await run('firmware-version', 'create', 'modem@4.3.0')
    const asked = await run('firmware', 'delete', 'modem')
    const gone = await run('firmware-version', 'delete', 'modem@4.3.0', '--yes')
    const whole = await run('firmware', 'delete', 'modem', '--yes')
    const names = await run('firmware', 'list', '--quiet')

    expect(firmware).toMatchObject({ slug: 'modem', name: 'Modem' })
    expect(version).toMatchObject({ name: '4.2.0' })
    expect(changed).toMatchObject({ slug: 'modem', name: 'Modem', description: 'LTE' })
    expect(listed.stdout).toMatch(/modem .*\n/)
    expect(asked.exitCode).toBe(EXIT.error)
    expect(asked.stderr).toMatch(/with 2 versions, 0 SBOMs, .*decisions\?.*--yes/)
    expect(gone.stdout).toMatch(/^modem@4\.3\.0: deleted with 0 SBOMs/)
    expect(whole.stdout).toMatch(/^modem: deleted with 1 version, 0 SBOMs/)
    expect([gone.exitCode, whole.exitCode]).toEqual([0, 0])
    expect(names.stdout).not.toContain('modem')
  })
})

describe('plimsoll device', () => {
  it('makes, changes and deletes one, and asks before', async () => {
    const made = await json('device', 'create', 'bench-1', '--tag', 'lab', '--attribute', 'row=3')
    const changed = await json('device', 'update', 'bench-1', '--tag', 'lab', '--tag', 'spare')
    const asked = await run('device', 'delete', 'bench-1')
    const gone = await run('device', 'delete', 'bench-1', '--yes')
    const left = await run('device', 'list', '--csv')

    expect(made).toMatchObject({ id: 'bench-1', tags: ['lab'], attributes: { row: 3 } })
    expect(changed).toMatchObject({ tags: ['lab', 'spare'], attributes: { row: 3 } })
    expect(asked.exitCode).not.toBe(0)
    expect(asked.stderr).toContain('--yes')
    expect(gone.exitCode).toBe(0)
    expect(left.stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^device-000,/),
      expect.stringMatching(/^device-001,/),
    ])
  })
})

describe('plimsoll cohort', () => {
  it('makes one by tag, changes it, lists its devices, and deletes it', async () => {
    const made = await json('cohort', 'create', 'labs', '--tag', 'lab')
    await json('device', 'create', 'bench-2', '--tag', 'lab')
    const devices = await run('cohort', 'devices', 'labs', '--quiet')
    const changed = await json('cohort', 'update', 'labs', '--no-rule', '--log-severity', 'Debug')
    const polling = ['--polling', '36000', '--polling-jitter', '10']
    const slower = await json('cohort', 'update', 'labs', ...polling)
    const shown = await run('cohort', 'show', 'labs')
    const asBefore = await json('cohort', 'update', 'labs', '--no-polling', '--polling-jitter', '0')
    const listed = await run('cohort', 'list')
    const gone = await run('cohort', 'delete', 'labs', '--yes')

    expect(made).toMatchObject({ name: 'labs', tagRule: { all: ['lab'] } })
    expect(devices.stdout).toBe('bench-2\n')
    expect(changed).toMatchObject({ tagRule: null, logSeverity: 'Debug' })
    expect(slower).toMatchObject({ pollingSeconds: 36_000, pollingJitterPercent: 10 })
    expect(shown.stdout).toMatch(/^Polling: +every 36000 s, ± 10 %$/m)
    expect(asBefore).toMatchObject({ pollingSeconds: null, pollingJitterPercent: 0 })
    expect(listed.stdout).toMatch(/^NAME +DEVICES +RULE/)
    expect(gone.exitCode).toBe(0)
  })
})

describe('plimsoll deployment', () => {
  it('tells before what it would do, begins, pauses, resumes, and is cancelled', async () => {
    const to = ['gateway@2.0', '--cohort', fleet.cohortId]
    const preview = await run('deployment', 'create', ...to, '--dry-run')
    const before = await run('deployment', 'list')
    const made = await json<{ id: string }>(
      'deployment',
      'create',
      ...to,
      '--phase',
      '50:1h',
      '--phase',
      '100',
    )
    const paused = await run('deployment', 'pause', '--cohort', fleet.cohortId)
    const shown = await run('deployment', 'show', '--cohort', fleet.cohortId)
    const late = await run('deployment', 'watch', '--cohort', fleet.cohortId, '--timeout', '1')
    const resumed = await run('deployment', 'resume', '--cohort', fleet.cohortId)
    const cancelled = await run('deployment', 'cancel', '--cohort', fleet.cohortId, '--yes')
    const ended = await run('deployment', 'watch', made.id, '--cohort', fleet.cohortId)

    expect(preview.exitCode).toBe(0)
    expect(before.stdout).toBe('No active deployments.\n')
    expect([paused.exitCode, resumed.exitCode, cancelled.exitCode]).toEqual([0, 0, 0])
    expect(shown.stdout).toMatch(/Paused/)
    expect(late.exitCode).toBe(8)
    expect(ended.exitCode).toBe(11)
  })
})

describe('plimsoll status', () => {
  it('shows the workspace on one page, and what the key may not see by name', async () => {
    const page = await run('status')
    const told = await json<object>('status')
    const key = await service.givenKey(fleet.client.workspaceId, ['Devices: read'])
    const part = await runPlimsoll({ ...environment, PLIMSOLL_API_KEY: key }, ['status'])
    const judged = await run('status', '--exit-code')

    expect(page.exitCode).toBe(0)
    expect(page.stdout).toMatch(/^Acme: Plimsoll \d+\.\d+\.\d+ at http.*, answers in \d+ ms\n/)
    expect(page.stdout).toMatch(
      /^Sources: +0 current; NEVER READ: cvelist, .*; off: csaf, endoflife, euvd$/m,
    )
    expect(page.stdout).toMatch(/^Vulnerabilities: +0 exploited, 0 critical/m)
    expect(page.stdout).toMatch(/^Devices: +\d+, 0 connected; \d+ runs? a known version/m)
    expect(page.stdout).toMatch(/^Not judged: +3 devices of which nothing is known/m)
    expect(page.stdout).toMatch(/^Deployments?: +/m)
    expect(page.stdout).toMatch(/^Incidents: +none open/m)
    expect(told).toMatchObject({ workspaceName: 'Acme', incidents: [], lacking: [] })
    expect(part.exitCode).toBe(0)
    expect(part.stdout).not.toContain('Vulnerabilities:')
    expect(part.stderr).toContain(
      'Not shown: This requires a key with the scope "Vulnerabilities: read".',
    )
    expect(judged.exitCode).toBe(EXIT.sourceStale)
  })
})

describe('plimsoll member', () => {
  it('takes somebody out of the workspace, and asks before', async () => {
    const { email, browser } = await givenMember(service, fleet.workspaceId, 'Engineer')
    const settings = `/workspaces/${fleet.workspaceId}/settings`
    const before = await browser.get(settings)

    const asked = await run('member', 'delete', email)
    const gone = await run('member', 'delete', email, '--yes')
    const unknown = await run('member', 'delete', email, '--yes')
    const after = await browser.get(settings)

    expect(asked.exitCode).toBe(EXIT.error)
    expect(asked.stderr).toContain('--yes')
    expect(gone).toMatchObject({ exitCode: 0, stdout: `${email}: no member any more\n` })
    expect(unknown.exitCode).toBe(EXIT.error)
    expect([before.statusCode, after.statusCode]).toEqual([200, 404])
  })
})

describe('plimsoll vulnerabilities assign, and comment', () => {
  it('gives vulnerabilities to a member, and says something about them', async () => {
    const { product, cpes, cveIds } = await givenProduct(service.ctx, ['High', 'Low'])
    const component = { packageName: product, version: '1.0', cpes }
    await givenVersion(service.ctx, fleet.workspaceId, [component])
    const { email } = await givenMember(service, fleet.workspaceId, 'Engineer')
    const [first = '', second = ''] = cveIds
    const listed = (...more: string[]) =>
      run('vulnerabilities', 'list', '--component', product, '--quiet', ...more)

    const preview = await run('vulnerabilities', 'assign', ...cveIds, '--to', email, '--dry-run')
    expect(preview.stdout).toBe(`2 vulnerabilities would go to ${email}.\n  2 of nobody\n`)
    const given = await run('vulnerabilities', 'assign', first, '--to', email)
    expect(given.stdout).toBe(`1 vulnerability goes to ${email}.\n  1 of nobody\n`)
    expect((await listed('--assignee', email)).stdout).toBe(`${first}\n`)
    expect((await listed('--unassigned')).stdout).toBe(`${second}\n`)
    const unknown = await run('vulnerabilities', 'assign', first, '--to', 'ann@nowhere.example')
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      EXIT.error,
      expect.stringContaining('There is no member'),
    ])

    const { id } = await json<{ id: string }>('comment', 'add', first, `@${email} look`)
    const edited = await run('comment', 'edit', id, 'seen')
    const shown = await run('comment', 'list', '--cve', first)
    expect(edited.stdout).toBe('Changed: seen\n')
    expect(shown.stdout).toMatch(new RegExp(`a key of .*${first}.*seen`))
    expect((await run('comment', 'list', '--cve', second)).stdout).toBe('No comments.\n')
    expect((await run('comment', 'delete', id)).stderr).toContain('--yes')
    expect((await run('comment', 'delete', id, '--yes')).exitCode).toBe(0)
    expect(await json('comment', 'list')).toMatchObject({ comments: [] })
  })
})

describe('plimsoll vulnerabilities watch', () => {
  it('watches for whoever made the key, and no longer', async () => {
    const { cveIds } = await givenProduct(service.ctx, ['High'])
    const [cveId = ''] = cveIds
    const { email } = await givenMember(service, fleet.workspaceId, 'Engineer')
    await service.ctx.db
      .updateTable('apiKeys')
      .set({ createdByEmail: email })
      .where('workspaceId', '=', fleet.workspaceId)
      .execute()

    const watched = await run('vulnerabilities', 'watch', cveId)
    expect(watched.stdout).toBe(
      `${cveId}: watched; the service has no mail server, so nobody is told yet\n`,
    )
    expect((await run('vulnerabilities', 'watched', '--quiet')).stdout).toBe(`${cveId}\n`)
    const ended = await run('vulnerabilities', 'unwatch', cveId)
    expect(ended.stdout).toBe(`${cveId}: watched no longer\n`)
    expect(await json('vulnerabilities', 'watched')).toEqual({ watches: [] })
  })
})

describe('plimsoll source', () => {
  it('asks for a source, where the workspace keeps the sources', async () => {
    const { workspaceId } = fleet
    const elsewhere = await run('source', 'sync', 'kev')
    await setKeepsSources(service.ctx, { workspaceId, keepsSources: true, actor: OPERATOR })

    const asked = await run('source', 'sync', 'kev')
    const again = await run('source', 'sync', 'kev')
    const unknown = await run('source', 'sync', 'rumours')

    expect(elsewhere.stderr).toContain('this workspace does not keep them')
    expect(asked).toMatchObject({
      exitCode: 0,
      stdout: 'kev: asked for; source list shows how far it is\n',
    })
    expect(again.stderr).toContain('somebody asked for it a moment ago')
    expect(unknown.stderr).toContain('cvelist')
    for (const { exitCode } of [elsewhere, again, unknown]) expect(exitCode).not.toBe(0)
  })
})

describe('what a workspace has', () => {
  it('shows settings, and changes what is named', async () => {
    const before = await json<object>('settings', 'show')
    const after = await json('settings', 'update', '--name', 'Harbour')

    expect(after).toEqual({ ...before, name: 'Harbour', updatedAt: expect.any(String) as string })
  })

  it.each([
    [['key', 'list'], /^NAME/],
    [['member', 'list'], /Owner/],
    [['source', 'list'], /nvd/],
    [['blind-spots', 'list'], /blind spots?|No |VERSION/],
    [['blind-spots', 'list', '--kind', 'UnknownImage', '--text', 'ab'], /blind spots?|No /],
  ])('lists by %j', async (args, expected) => {
    const { stdout, exitCode } = await run(...args)

    expect(exitCode).toBe(0)
    expect(stdout).toMatch(expected)
  })
})
