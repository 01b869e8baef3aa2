import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { givenFleet } from '../../../test/given-fleet.ts'
import { advanceDeployments } from '../deployments/index.ts'
import { compareDeployments } from './index.ts'

let test: TestApp
let clock: Date
const BEGIN = new Date('2026-01-01T00:00:00Z')
const HOUR = 3_600
const WINDOW = 6 * HOUR

beforeEach(async () => {
  test ??= await startTestApp({}, await givenZonedDatabase())
  clock = BEGIN
  test.ctx.now = () => clock
})

/** Its connections have a time zone whose clocks change twice a year. */
async function givenZonedDatabase(): Promise<string> {
  const { connectionString } = await createTestDatabase()
  const url = new URL(connectionString)
  url.searchParams.set('options', '-c timezone=Europe/Berlin')
  return url.href
}

/** Advances the clock, and has the worker look. */
async function later(seconds: number): Promise<void> {
  clock = new Date(clock.getTime() + seconds * 1000)
  await compareDeployments(test.ctx)
  await advanceDeployments(test.ctx)
}

interface Comparison {
  state: string
  reason: string | null
  accepted: { byEmail: string; reason: string | null } | null
}
interface Result {
  builtIn: string | null
  name: string
  verdict: string
  detail: string
  updated: { deviceCount: number; withoutValuesCount: number; meanBefore: number }
  waiting: { deviceCount: number; withoutValuesCount: number }
  differencePercent: number | null
  smallestPercent: number | null
  smallestDevices: number | null
  isBlind: boolean
  series: { seconds: number; updated: number | null; waiting: number | null }[]
  worstDevices: { deviceId: string; before: number; after: number }[]
}

const MEMORY = { name: 'memory_used', worse: 'Higher' }

async function givenRollOut(
  { devices = 80, percent = 50 }: { devices?: number; percent?: number } = {},
  comparison: object = {},
) {
  const fleet = await givenFleet(test, devices)
  const { id } = await fleet.deploy('2.0', {
    phases: [
      {
        percent,
        waitSeconds: HOUR,
        comparison: { windowSeconds: WINDOW, metrics: [MEMORY], ...comparison },
      },
      { percent: 100 },
    ],
  })
  const shown = async () =>
    (await fleet.deployment(id)) as unknown as {
      state: string
      stateReason: string | null
      phase: number
      comparisons: Comparison[]
      events: { type: string; reason: string | null }[]
    }
  const all = async () =>
    (await fleet.client.get(`${fleet.path}/${id}/comparison`)).json<{
      phases: (Comparison & { results: Result[] })[]
    }>().phases[0]?.results ?? []
  /** Of what was chosen. */
  const results = async () => (await all()).filter(({ builtIn }) => builtIn !== 'Silence')
  const silence = async () => (await all()).find(({ builtIn }) => builtIn === 'Silence')
  const updates = await fleet.updates(id)
  const released = updates.filter(({ releasedAt }) => releasedAt !== null)
  return {
    fleet,
    id,
    shown,
    results,
    silence,
    releasedIds: released.map(({ deviceId }) => deviceId),
  }
}
type RollOut = Awaited<ReturnType<typeof givenRollOut>>

type Message = Parameters<RollOut['fleet']['say']>[1]

/** At once, as devices do: the service takes reports of one workspace together. */
async function sayAll(
  { fleet }: Pick<RollOut, 'fleet'>,
  who: readonly string[],
  write: (deviceId: string, index: number) => Message,
): Promise<void> {
  await Promise.all(who.map((deviceId, index) => fleet.say(deviceId, write(deviceId, index))))
}

const writeSession = (version: string, more: object = {}): Message => ({
  kind: 'session',
  session: { runId: crypto.randomUUID(), firmware: [{ slug: 'gateway', version }], ...more },
})

/** The released devices run the new version, half an hour after the phase began. */
async function updateReleased(rollOut: RollOut, more: object = {}): Promise<void> {
  clock = new Date(clock.getTime() + HOUR * 500)
  await sayAll(rollOut, rollOut.releasedIds, () => writeSession('2.0', more))
}

const noise = (seed: number) => (Math.abs(Math.sin(seed * 12.9898) * 43_758.5453) % 1) - 0.5

/** All devices report every half hour around the update; that of updated ones rises by the factor. */
async function reportMemory(
  { fleet, releasedIds }: RollOut,
  factor: number,
  who: readonly string[] = fleet.deviceIds,
): Promise<void> {
  const at = clock.getTime()
  clock = new Date(at + WINDOW * 1000 + HOUR * 1000)
  const updated = new Set(releasedIds)
  await sayAll({ fleet }, who, (deviceId, index) => {
    const level = 100 + 40 * noise(index + 1)
    const points = Array.from({ length: 28 }, (_, step) => {
      const minutes = (step - 14) * 30 + 10
      const isAfter = minutes > 0 && updated.has(deviceId)
      const value = level * (1 + noise(index * 31 + step) / 10) * (isAfter ? factor : 1)
      return { name: MEMORY.name, value, timestamp: new Date(at + minutes * 60_000) }
    })
    return { kind: 'metrics', points }
  })
}

describe('a release that does worse', () => {
  it('stops in its first phase, with the difference in words, the devices and a series', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1.4)

    await later(0)

    const { state, stateReason, phase, comparisons } = await rollOut.shown()
    expect({ state, phase }).toEqual({ state: 'Stopped', phase: 0 })
    expect(stateReason).toMatch(
      /^memory_used: updated devices (3[5-9]|4[0-5]) % more than waiting ones \(95 %: [\d.]+ to [\d.]+ %\), 40 and 40 devices compared$/,
    )
    expect(comparisons).toMatchObject([
      { state: 'Worse', reason: stateReason },
      { state: 'NotAsked' },
    ])
    const [result] = await rollOut.results()
    expect(result).toMatchObject({ verdict: 'Worse', detail: stateReason })
    expect(result?.worstDevices).toHaveLength(10)
    expect(rollOut.releasedIds).toContain(result?.worstDevices[0]?.deviceId)
    const after = result?.series.filter(({ seconds }) => seconds >= 0) ?? []
    expect(after.length).toBeGreaterThanOrEqual(5)
    for (const point of after) expect(point.updated).toBeGreaterThan((point.waiting ?? 0) * 1.2)
  })

  it('goes on when a person accepts it, is not stopped by the same again, and the reason is kept', async () => {
    const rollOut = await givenRollOut()
    const { fleet, id } = rollOut
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1.4)
    await later(0)

    await fleet.client.post(`${fleet.path}/${id}/resume?reason=known+and+harmless`)
    await later(HOUR)
    await later(HOUR)

    const { state, phase, comparisons, events } = await rollOut.shown()
    expect({ state, phase }).toEqual({ state: 'Running', phase: 1 })
    expect(comparisons[0]).toMatchObject({
      state: 'Worse',
      accepted: { reason: 'known and harmless' },
    })
    expect(comparisons[0]?.accepted?.byEmail).toContain('@')
    expect(events.find(({ type }) => type === 'Resumed')?.reason).toBe('known and harmless')
    const log = await fleet.client.get(`/audit-log?resourceId=${id}&action=deployment.resume`)
    expect(log.body).toContain('known and harmless')
    expect(log.body).toContain('acceptedComparison')
  })
})

describe('a release that does no worse', () => {
  it('goes on once the windows are over, and waits until then', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    await later(HOUR)
    const early = await rollOut.shown()
    clock = new Date(clock.getTime() - HOUR * 1000)
    await reportMemory(rollOut, 1)
    // A worker that stops breaks its look off, and leaves it to the next one.
    await compareDeployments(test.ctx, AbortSignal.abort())
    expect((await rollOut.shown()).comparisons[0]?.state).toBe('Waiting')
    await later(0)

    const { state, phase, comparisons } = await rollOut.shown()
    expect(early).toMatchObject({ phase: 0, comparisons: [{ state: 'Waiting' }, {}] })
    expect(early.comparisons[0]?.reason).toBe(
      '0 devices of at least 20 ran the update for 6 hours; 40 run it for a shorter time',
    )
    expect({ state, phase }).toEqual({ state: 'Running', phase: 1 })
    expect(comparisons[0]).toMatchObject({ state: 'Passed' })
  })

  it('counts devices that report other things, says so, and says which change it would have seen', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    const without = new Set(rollOut.releasedIds.slice(0, 3))
    const who = rollOut.fleet.deviceIds.filter((deviceId) => !without.has(deviceId))
    await reportMemory(rollOut, 1, who)
    await touch(rollOut, [...without])
    await later(0)

    const [result] = await rollOut.results()
    expect(result).toMatchObject({
      verdict: 'NotWorse',
      isBlind: false,
      updated: { deviceCount: 37, withoutValuesCount: 3 },
      waiting: { deviceCount: 40, withoutValuesCount: 0 },
    })
    // A margin of 5 %, and values that vary by a few percent.
    expect(result?.smallestPercent).toBeGreaterThan(5)
    expect(result?.smallestPercent).toBeLessThan(15)
    expect(result?.detail).toMatch(
      /; a rise of less than [\d.]+ % may not have been seen; 3 of 40 updated devices reported no values$/,
    )
    expect(await rollOut.silence()).toMatchObject({
      verdict: 'NotWorse',
      updated: { meanAfter: 0 },
    })
    const { comparisons } = await rollOut.shown()
    expect(comparisons[0]?.reason).toContain('may not have been seen')
  })
})

function listOthers({ fleet }: RollOut, than: readonly string[]): string[] {
  const left = new Set(than)
  return fleet.deviceIds.filter((deviceId) => !left.has(deviceId))
}

/** Devices say something else than what is compared. */
const touch = (rollOut: RollOut, who: readonly string[]): Promise<void> =>
  sayAll(rollOut, who, () => ({
    kind: 'metrics',
    points: [{ name: 'uptime', value: 1, timestamp: clock }],
  }))

describe('a release that kills devices', () => {
  it('is worse, although nothing that the others report is', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    const dead = rollOut.releasedIds.slice(0, 15)
    await reportMemory(rollOut, 1, listOthers(rollOut, dead))
    await later(0)

    const { state, stateReason, comparisons } = await rollOut.shown()
    expect({ state, compared: comparisons[0]?.state }).toEqual({
      state: 'Stopped',
      compared: 'Worse',
    })
    expect(stateReason).toMatch(
      /^Silence: 15 of 40 updated devices and 0 of 40 waiting ones fell silent \(not heard of for 3 hours\)/,
    )
    const worst = (await rollOut.silence())?.worstDevices.map(({ deviceId }) => deviceId) ?? []
    expect(worst).toHaveLength(10)
    for (const deviceId of worst) expect(dead).toContain(deviceId)
  })

  it('is worse where they began the update and never came back', async () => {
    const rollOut = await givenRollOut()
    const { fleet, releasedIds } = rollOut
    await sayAll(rollOut, fleet.deviceIds, () => writeSession('1.0'))
    const offered = await Promise.all(releasedIds.map((deviceId) => fleet.desired(deviceId)))
    // The others die before they say so.
    await sayAll(rollOut, releasedIds.slice(0, 30), (_deviceId, index) => ({
      kind: 'update',
      update: { updateId: offered[index]?.updateId ?? '', state: 'inProgress' },
    }))
    await reportMemory(rollOut, 1, listOthers(rollOut, releasedIds))
    await later(0)

    const { state, stateReason } = await rollOut.shown()
    expect(state).toBe('Stopped')
    expect(stateReason).toContain('40 of 40 updated devices and 0 of 40 waiting ones fell silent')
  })

  it('does not pass where some fell silent and chance may be why', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    const dead = rollOut.releasedIds.slice(0, 3)
    await reportMemory(rollOut, 1, listOthers(rollOut, dead))
    await later(0)

    const { phase, comparisons } = await rollOut.shown()
    expect({ phase, state: comparisons[0]?.state }).toEqual({ phase: 0, state: 'TooFew' })
    expect(comparisons[0]?.reason).toContain('3 of 40 updated devices and 0 of 40 waiting ones')
  })

  it('does not pass where they live and no longer report what is compared', async () => {
    const rollOut = await givenRollOut()
    const { releasedIds } = rollOut
    await updateReleased(rollOut)
    const mute = releasedIds.slice(0, 10)
    const before = clock
    const timestamp = new Date(before.getTime() - 2 * HOUR * 1000)
    await sayAll(rollOut, mute, () => ({
      kind: 'metrics',
      points: [{ name: MEMORY.name, value: 100, timestamp }],
    }))
    await reportMemory(rollOut, 1, listOthers(rollOut, mute))
    await touch(rollOut, mute)
    await later(0)

    const { phase, comparisons } = await rollOut.shown()
    expect({ phase, state: comparisons[0]?.state }).toEqual({ phase: 0, state: 'TooFew' })
    expect(comparisons[0]?.reason).toContain(
      'memory_used: too many updated devices stopped to report it, so the others do not tell enough: 10 of 40 updated devices and 0 of 40 waiting ones',
    )
  })

  it('is told from devices that were silent before it, and from all that report rarely', async () => {
    const rollOut = await givenRollOut()
    const { releasedIds } = rollOut
    const waiting = listOthers(rollOut, releasedIds)
    // Half of those that wait are gone for long; they tell nothing of what is usual.
    await sayAll(rollOut, waiting.slice(0, 15), () => writeSession('1.0'))
    clock = new Date(clock.getTime() + 10 * WINDOW * 1000)
    await updateReleased(rollOut)
    const dead = releasedIds.slice(0, 15)
    const silent = [...dead, ...waiting.slice(0, 15)]
    await reportMemory(rollOut, 1, listOthers(rollOut, silent))
    await later(0)

    expect((await rollOut.shown()).stateReason).toContain(
      '15 of 40 updated devices and 0 of 25 waiting ones fell silent',
    )
  })
})

describe('too few devices', () => {
  it.each([
    ['Wait', 15],
    ['Stop', 2],
  ])('make the roll-out %s, as asked, with %s in each group', async (tooFew, size) => {
    const rollOut = await givenRollOut({ devices: 2 * size }, { tooFew })
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1)
    await later(0)

    const { state, stateReason, phase, comparisons } = await rollOut.shown()
    expect(comparisons[0]?.state).toBe('TooFew')
    expect(comparisons[0]?.reason).toBe(
      `Silence: 0 of ${size} updated devices and 0 of ${size} waiting ones fell silent (not heard of for 3 hours), 20 of each are needed to tell. ` +
        `memory_used: too few to tell: ${size} updated devices and ${size} waiting ones with values, 20 of each are needed`,
    )
    expect({ state, phase }).toEqual({ state: tooFew === 'Stop' ? 'Stopped' : 'Running', phase: 0 })
    expect(stateReason).toBe(tooFew === 'Stop' ? comparisons[0]?.reason : null)
  })

  it('let a person begin the next phase, who is named with what was accepted', async () => {
    const rollOut = await givenRollOut({ devices: 30 })
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1)
    await later(0)

    await rollOut.fleet.client.post(`${rollOut.fleet.path}/${rollOut.id}/next-phase`)

    const { state, phase, comparisons, events } = await rollOut.shown()
    expect({ state, phase }).toEqual({ state: 'Running', phase: 1 })
    expect(comparisons[0]).toMatchObject({ state: 'TooFew', accepted: { reason: null } })
    expect(events.at(-1)?.reason).toMatch(/^although: .*memory_used: too few to tell/)
  })

  it('are none at all where nothing waits any more: what changed is told, and nothing passes', async () => {
    const rollOut = await givenRollOut({ devices: 40, percent: 99 })
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1.5)
    await later(0)

    const { state, phase, comparisons } = await rollOut.shown()
    expect({ state, phase }).toEqual({ state: 'Running', phase: 0 })
    expect(comparisons[0]?.state).toBe('TooFew')
    expect(comparisons[0]?.reason).toMatch(
      /^Nothing waits any more, .*memory_used: too few to tell: 40 updated devices and 0 waiting ones .*; after the update they changed by (4|5)\d(\.\d)? %$/,
    )
  })
})

describe('a metric', () => {
  it('that nobody reports is not measured, and does not pass', async () => {
    const metrics = [MEMORY, { name: 'no_such_metric', worse: 'Lower' }]
    const rollOut = await givenRollOut({}, { metrics })
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1)
    await later(0)

    const { phase, comparisons } = await rollOut.shown()
    expect(phase).toBe(0)
    expect(comparisons[0]).toMatchObject({ state: 'TooFew' })
    expect(comparisons[0]?.reason).toContain('no_such_metric: no device reports it')
    const verdicts = (await rollOut.results()).map(({ verdict }) => verdict)
    expect(verdicts).toEqual(['NotWorse', 'NotMeasured'])
  })

  it('of devices of the same names in another workspace is never looked at', async () => {
    const [mine, other] = [await givenRollOut(), await givenRollOut()]
    await updateReleased(mine)
    const at = clock
    await reportMemory(mine, 1)
    clock = at
    await reportMemory({ ...mine, fleet: other.fleet }, 3)
    await later(0)

    expect(await mine.shown()).toMatchObject({ phase: 1, comparisons: [{ state: 'Passed' }, {}] })
  })
})

describe('the groups', () => {
  it('change while the phase runs: who left is compared no more, and without anyone who waits nothing passes', async () => {
    const rollOut = await givenRollOut()
    const waiting = listOthers(rollOut, rollOut.releasedIds)
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1)
    const stay = async ({ fleet: { client, cohortId } }: RollOut, deviceIds: readonly string[]) => {
      const path = `/deployment-cohorts/${cohortId}/devices`
      expect((await client.put(path, { deviceIds })).statusCode).toBe(200)
    }
    await stay(rollOut, listOthers(rollOut, waiting.slice(0, 15)))
    await compareDeployments(test.ctx)
    const [smaller] = await rollOut.results()
    clock = BEGIN
    const second = await givenRollOut()
    await updateReleased(second)
    await reportMemory(second, 1)
    await stay(second, second.releasedIds)
    await later(0)

    expect(smaller).toMatchObject({
      verdict: 'NotWorse',
      updated: { deviceCount: 40 },
      waiting: { deviceCount: 25, withoutValuesCount: 0 },
    })
    const { phase, comparisons } = await second.shown()
    expect({ phase, state: comparisons[0]?.state }).toEqual({ phase: 0, state: 'TooFew' })
    expect(comparisons[0]?.reason).toMatch(/^Nothing waits any more/)
  })

  it('count each device once, however often it reports the same', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    const begin = clock
    await reportMemory(rollOut, 1)
    clock = begin
    await reportMemory(rollOut, 1, rollOut.releasedIds)
    await later(0)

    expect((await rollOut.results())[0]).toMatchObject({
      verdict: 'NotWorse',
      updated: { deviceCount: 40, withoutValuesCount: 0 },
      waiting: { deviceCount: 40 },
    })
  })
})

describe('devices that had the version before', () => {
  it('are left out where they went back by themselves and got it again within the window, and that is told', async () => {
    const rollOut = await givenRollOut({ devices: 90 })
    const { fleet, releasedIds } = rollOut
    const inTurn = releasedIds.slice(0, 9)
    await sayAll(rollOut, fleet.deviceIds, () => writeSession('1.0'))
    clock = new Date(clock.getTime() + HOUR * 1000)
    await sayAll(rollOut, inTurn, () => writeSession('2.0'))
    clock = new Date(clock.getTime() + HOUR * 1000)
    await sayAll(rollOut, inTurn, () => writeSession('1.0'))
    clock = new Date(clock.getTime() + HOUR * 1000)
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1.4)
    await later(0)

    const [result] = await rollOut.results()
    expect(result).toMatchObject({
      verdict: 'Worse',
      updated: { deviceCount: 36, withoutValuesCount: 9 },
      waiting: { deviceCount: 45, withoutValuesCount: 0 },
    })
    expect(result?.detail).toMatch(
      /; 9 of 45 updated devices ran the version already in the time before$/,
    )
  })

  it('are left out of both groups where an earlier roll-out of it was rolled back within the window', async () => {
    const first = await givenRollOut()
    const { fleet } = first
    await sayAll(first, fleet.deviceIds, () => writeSession('1.0'))
    await updateReleased(first)
    clock = new Date(clock.getTime() + HOUR * 1000)
    await fleet.deploy('1.0')
    await sayAll(first, fleet.deviceIds, () => writeSession('1.0'))
    clock = new Date(clock.getTime() + HOUR * 1000)
    const phase = { windowSeconds: WINDOW, metrics: [MEMORY] }
    const { id } = await fleet.deploy('2.0', {
      phases: [{ percent: 50, waitSeconds: HOUR, comparison: phase }, { percent: 100 }],
    })
    const released = (await fleet.updates(id)).filter(({ releasedAt }) => releasedAt !== null)
    const releasedIds = released.map(({ deviceId }) => deviceId)
    const had = new Set(first.releasedIds)
    const hadUpdated = releasedIds.filter((deviceId) => had.has(deviceId)).length
    await updateReleased({ ...first, releasedIds })
    await reportMemory({ ...first, releasedIds }, 1.4)
    await later(0)

    const shown = await fleet.client.get(`${fleet.path}/${id}/comparison`)
    const { phases } = shown.json<{ phases: { results: Result[] }[] }>()
    const result = phases[0]?.results.find(({ name }) => name === MEMORY.name)
    expect(result).toMatchObject({
      updated: { deviceCount: 40 - hadUpdated, withoutValuesCount: hadUpdated },
      waiting: { deviceCount: hadUpdated, withoutValuesCount: 40 - hadUpdated },
    })
    expect(result?.detail).toContain('ran the version already in the time before')
  })
})

describe('a night in which clocks change', () => {
  it.each(['2026-03-29T00:00:00Z', '2026-10-25T00:00:00Z'])(
    'has as many hours as it has: %s',
    async (begin) => {
      clock = new Date(begin)
      const rollOut = await givenRollOut()
      await updateReleased(rollOut)
      await reportMemory(rollOut, 1.4)
      await later(0)

      const [result] = await rollOut.results()
      expect(result).toMatchObject({
        verdict: 'Worse',
        updated: { deviceCount: 40, withoutValuesCount: 0 },
        waiting: { deviceCount: 40, withoutValuesCount: 0 },
      })
      // Each hour once, and none that is not there.
      const places = result?.series.map(({ seconds }) => seconds / HOUR) ?? []
      expect(places).toEqual([-5, -4, -3, -2, -1, 0, 1, 2, 3, 4])
    },
  )
})

describe('log errors', () => {
  it('are compared where devices send lines, and stop a release that has more', async () => {
    const rollOut = await givenRollOut({}, { metrics: [], builtIn: ['LogErrors'] })
    await updateReleased(rollOut)
    const at = clock.getTime()
    clock = new Date(at + WINDOW * 1000 + HOUR * 1000)
    const updated = new Set(rollOut.releasedIds)
    await sayAll(rollOut, rollOut.fleet.deviceIds, (deviceId, index) => ({
      kind: 'logs',
      lines: Array.from({ length: 24 }, (_, step) => {
        const minutes = (step - 12) * 28 + 5
        const isError = step % 4 === index % 4 || (minutes > 0 && updated.has(deviceId))
        const severity = isError ? ('Error' as const) : ('Info' as const)
        return { severity, message: 'line', timestamp: new Date(at + minutes * 60_000) }
      }),
    }))
    await later(0)

    const { state, stateReason } = await rollOut.shown()
    expect(state).toBe('Stopped')
    expect(stateReason).toMatch(/^Log errors: updated devices [\d,]+ % more than waiting ones/)
  })
})

describe('crashes', () => {
  // Each session says it: one that leaves it out makes it unknown.
  const saysSo = { attributes: { reportsCrashes: true } }
  const reportingSession = () => writeSession('1.0', saysSo)
  const crash = (reason: string, runId: string, sequence: number) => ({
    kind: 'crashes' as const,
    malformedCount: 0,
    crashes: [{ reason, pc: '0x1000', runId, sequence }],
    faults: [],
  })

  it.each([
    ['Worse', 'Stopped', 12],
    ['NotWorse', 'Running', 0],
  ])(
    'are %s, and the roll-out is %s, where %s updated devices crash',
    async (verdict, state, count) => {
      clock = new Date(BEGIN.getTime() + 8 * HOUR * 1000)
      const rollOut = await givenRollOut({}, { metrics: [], builtIn: ['Crashes'] })
      const { fleet, releasedIds } = rollOut
      // They say that they report crashes, long before.
      await sayAll(rollOut, fleet.deviceIds, reportingSession)
      clock = new Date(clock.getTime() + 2 * WINDOW * 1000)
      await updateReleased(rollOut, saysSo)
      const at = clock.getTime()
      clock = new Date(at + 2 * HOUR * 1000)
      await sayAll(rollOut, releasedIds.slice(0, count), () =>
        crash('HardFault', crypto.randomUUID(), 1),
      )
      clock = new Date(at + (WINDOW + HOUR) * 1000)
      await touch(rollOut, fleet.deviceIds)
      await later(0)

      const [result] = await rollOut.results()
      expect({ verdict: result?.verdict, state: (await rollOut.shown()).state }).toEqual({
        verdict,
        state,
      })
      if (verdict === 'Worse') return
      // Nothing happened anywhere: so many of the updated ones would have to crash.
      expect(result?.detail).toMatch(
        /may not have been seen on fewer than \d+ of 40 updated devices/,
      )
      expect(result?.smallestPercent).toBeNull()
      expect(result?.smallestDevices).toBeGreaterThan(4)
      expect(result?.smallestDevices).toBeLessThan(12)
    },
  )
})

describe('restarts and connections', () => {
  /** Each device is connected and begins a run some hours apart; updated ones more often, or are away half of each hour. */
  async function livePresence(rollOut: RollOut, isBad: boolean): Promise<void> {
    const { deviceIds } = rollOut.fleet
    const updated = new Set(rollOut.releasedIds)
    const at = clock.getTime()
    for (let step = -7; step < 10; step++) {
      const messages = deviceIds.flatMap((deviceId, index) => {
        const isUpdated = step >= 0 && updated.has(deviceId)
        const isWorse = isBad && isUpdated
        const say = (minutes: number, message: Message) => ({ deviceId, minutes, message })
        const session = () => writeSession(isUpdated ? '2.0' : '1.0')
        const connectionId = crypto.randomUUID()
        const connected = { connectionId, gatewayId: crypto.randomUUID() }
        return [
          say(5, { kind: 'connected', ...connected }),
          ...(isWorse || (step + index) % 3 === 0 ? [say(6, session())] : []),
          ...(isWorse ? [say(8, session())] : []),
          say(isWorse ? 20 : 55 + (index % 2), { kind: 'disconnected', connectionId }),
        ]
      })
      const byMinute = Map.groupBy(messages, ({ minutes }) => minutes)
      for (const minutes of [...byMinute.keys()].toSorted((one, other) => one - other)) {
        clock = new Date(at + (step * 60 + minutes) * 60_000)
        const said = byMinute.get(minutes) ?? []
        await Promise.all(said.map((one) => rollOut.fleet.say(one.deviceId, one.message)))
      }
    }
    clock = new Date(at + 10 * HOUR * 1000)
  }

  it.each([
    [true, 'Stopped', ['Worse', 'Worse']],
    [false, 'Running', ['NotWorse', 'NotWorse']],
  ])('tell a release that is worse (%s): it is %s', async (isBad, state, verdicts) => {
    clock = new Date(BEGIN.getTime() + 8 * HOUR * 1000)
    const builtIn = ['Restarts', 'ConnectionTime']
    const rollOut = await givenRollOut({ devices: 44 }, { metrics: [], builtIn })
    await livePresence(rollOut, isBad)
    await later(0)

    const results = await rollOut.results()
    expect(results.map(({ verdict }) => verdict)).toEqual(verdicts)
    expect(results.map(({ updated }) => updated)).toMatchObject([
      { deviceCount: 22, withoutValuesCount: 0 },
      { deviceCount: 22, withoutValuesCount: 0 },
    ])
    expect((await rollOut.shown()).state).toBe(state)
  })
})
