import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFleet } from '../../../test/given-fleet.ts'
import { advanceDeployments } from '../deployments/index.ts'
import { compareDeployments } from './index.ts'

let test: TestApp
let clock: Date
const BEGIN = new Date('2026-01-01T00:00:00Z')
const HOUR = 3_600
const WINDOW = 6 * HOUR

beforeEach(async () => {
  test ??= await startTestApp()
  clock = BEGIN
  test.ctx.now = () => clock
})

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
  name: string
  verdict: string
  detail: string
  updated: { deviceCount: number; withoutValuesCount: number; meanBefore: number }
  waiting: { deviceCount: number; withoutValuesCount: number }
  differencePercent: number | null
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
  const results = async () =>
    (await fleet.client.get(`${fleet.path}/${id}/comparison`)).json<{
      phases: (Comparison & { results: Result[] })[]
    }>().phases[0]?.results ?? []
  const updates = await fleet.updates(id)
  const released = updates.filter(({ releasedAt }) => releasedAt !== null)
  return { fleet, id, shown, results, releasedIds: released.map(({ deviceId }) => deviceId) }
}
type RollOut = Awaited<ReturnType<typeof givenRollOut>>

/** The released devices run the new version, half an hour after the phase began. */
async function updateReleased({ fleet, releasedIds }: RollOut): Promise<void> {
  clock = new Date(clock.getTime() + HOUR * 500)
  for (const deviceId of releasedIds) await fleet.boots(deviceId, '2.0')
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
  for (const [index, deviceId] of who.entries()) {
    const level = 100 + 40 * noise(index + 1)
    const points = Array.from({ length: 28 }, (_, step) => {
      const minutes = (step - 14) * 30 + 10
      const isAfter = minutes > 0 && updated.has(deviceId)
      const value = level * (1 + noise(index * 31 + step) / 10) * (isAfter ? factor : 1)
      return { name: MEMORY.name, value, timestamp: new Date(at + minutes * 60_000) }
    })
    await fleet.say(deviceId, { kind: 'metrics', points })
  }
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
    await later(0)

    const { state, phase, comparisons } = await rollOut.shown()
    expect(early).toMatchObject({ phase: 0, comparisons: [{ state: 'Waiting' }, {}] })
    expect(early.comparisons[0]?.reason).toBe(
      '0 devices of at least 20 ran the update for 6 hours; 40 run it for a shorter time',
    )
    expect({ state, phase }).toEqual({ state: 'Running', phase: 1 })
    expect(comparisons[0]).toMatchObject({ state: 'Passed' })
  })

  it('counts devices that report nothing, and says so', async () => {
    const rollOut = await givenRollOut()
    await updateReleased(rollOut)
    const silent = new Set(rollOut.releasedIds.slice(0, 3))
    const who = rollOut.fleet.deviceIds.filter((deviceId) => !silent.has(deviceId))
    await reportMemory(rollOut, 1, who)
    await later(0)

    const [result] = await rollOut.results()
    expect(result).toMatchObject({
      verdict: 'NotWorse',
      updated: { deviceCount: 37, withoutValuesCount: 3 },
      waiting: { deviceCount: 40, withoutValuesCount: 0 },
    })
    expect(result?.detail).toContain('; 3 of 40 updated devices reported no values')
  })
})

describe('too few devices', () => {
  it.each(['Wait', 'Stop'])('make the roll-out %s, as asked', async (tooFew) => {
    const rollOut = await givenRollOut({ devices: 30 }, { tooFew })
    await updateReleased(rollOut)
    await reportMemory(rollOut, 1)
    await later(0)

    const { state, stateReason, phase, comparisons } = await rollOut.shown()
    expect(comparisons[0]?.state).toBe('TooFew')
    expect(comparisons[0]?.reason).toBe(
      'memory_used: too few to tell: 15 updated devices and 15 waiting ones with values, 20 of each are needed',
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
    expect(events.at(-1)?.reason).toMatch(/^although: memory_used: too few to tell/)
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
      /^Nothing waits any more, .*: memory_used: too few to tell: 40 updated devices and 0 waiting ones .*; after the update they changed by (4|5)\d(\.\d)? %$/,
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

describe('log errors', () => {
  it('are compared where devices send lines, and stop a release that has more', async () => {
    const rollOut = await givenRollOut({}, { metrics: [], builtIn: ['LogErrors'] })
    await updateReleased(rollOut)
    const at = clock.getTime()
    clock = new Date(at + WINDOW * 1000 + HOUR * 1000)
    const updated = new Set(rollOut.releasedIds)
    for (const [index, deviceId] of rollOut.fleet.deviceIds.entries()) {
      const lines = Array.from({ length: 24 }, (_, step) => {
        const minutes = (step - 12) * 28 + 5
        const isError = step % 4 === index % 4 || (minutes > 0 && updated.has(deviceId))
        const severity = isError ? ('Error' as const) : ('Info' as const)
        return { severity, message: 'line', timestamp: new Date(at + minutes * 60_000) }
      })
      await rollOut.fleet.say(deviceId, { kind: 'logs', lines })
    }
    await later(0)

    const { state, stateReason } = await rollOut.shown()
    expect(state).toBe('Stopped')
    expect(stateReason).toMatch(/^Log errors: updated devices [\d,]+ % more than waiting ones/)
  })
})

describe('restarts and connections', () => {
  /** Each device is connected and begins a run some hours apart; updated ones more often, or are away half of each hour. */
  async function livePresence(rollOut: RollOut, isBad: boolean): Promise<void> {
    const updated = new Set(rollOut.releasedIds)
    const at = clock.getTime()
    for (let step = -7; step < 10; step++)
      for (const [index, deviceId] of rollOut.fleet.deviceIds.entries()) {
        const isWorse = isBad && step >= 0 && updated.has(deviceId)
        const say = async (minutes: number, message: Parameters<typeof rollOut.fleet.say>[1]) => {
          clock = new Date(at + (step * 60 + minutes) * 60_000)
          await rollOut.fleet.say(deviceId, message)
        }
        const version = step >= 0 && updated.has(deviceId) ? '2.0' : '1.0'
        const session = () => ({
          runId: crypto.randomUUID(),
          firmware: [{ slug: 'gateway', version }],
        })
        const connection = { connectionId: crypto.randomUUID(), gatewayId: crypto.randomUUID() }
        await say(5, { kind: 'connected', ...connection })
        if (isWorse || (step + index) % 3 === 0)
          await say(6, { kind: 'session', session: session() })
        if (isWorse) await say(8, { kind: 'session', session: session() })
        await say(isWorse ? 20 : 55 + (index % 4), {
          kind: 'disconnected',
          connectionId: connection.connectionId,
        })
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
