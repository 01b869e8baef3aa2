/** Totals of groups after any history are those of a plain model, and `admin doctor` agrees. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { SHALLOW } from '../../../../test/doctor.ts'
import { givenSyncingDevice, type SyncingDevice } from '../../../../test/given-device-sync.ts'
import { underClock } from '../../../../test/given-non-metric-rules.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { DAY_MS } from '../../../formats/instants.ts'
import { formatDay } from '../../../formats/support/states.ts'
import { crashChecks, maintainCrashes } from '../index.ts'

let test: TestApp
/** A second node on the same database. */
let other: TestApp
beforeAll(async () => {
  test = await startTestApp()
  other = await startTestApp({}, test.connectionString)
})

const METRIC_DAYS = 3
const DEVICES = [0, 1, 2]
const VERSIONS = ['1.0.0', '1.1.0']
/** Kinds of crashes; each is at another address in each build. */
const KINDS = [0, 1, 2]
const addressOf = (version: number, kind: number) =>
  `0x${(4096 * (version + 1) + kind).toString(16)}`

type Act =
  | { act: 'crash'; device: number; version: number; kind: number; age: number; times: number }
  | { act: 'name' | 'unname' | 'deleteVersion'; version: number }
  | { act: 'deleteDevice'; device: number }
  | { act: 'maintain' }
  | { act: 'pass'; days: number }

interface CountedCrash {
  device: number
  version: number
  kind: number
  time: number
}

/** What is kept, as rows. */
class Model {
  /** Since ever, without those of deleted versions. */
  all: CountedCrash[] = []
  /** Of devices, within the retention. */
  recent: CountedCrash[] = []
  named = new Set<number>()

  apply(act: Act, now: number): void {
    if (act.act === 'crash') {
      const { device, version, kind, age, times } = act
      for (let count = 0; count < times; count++) {
        const one = { device, version, kind, time: now - age * DAY_MS }
        this.all.push(one)
        this.recent.push(one)
      }
    } else if (act.act === 'name') this.named.add(act.version)
    else if (act.act === 'unname') this.named.delete(act.version)
    else if (act.act === 'deleteDevice')
      this.recent = this.recent.filter(({ device }) => device !== act.device)
    else if (act.act === 'deleteVersion') {
      this.all = this.all.filter(({ version }) => version !== act.version)
      this.recent = this.recent.filter(({ version }) => version !== act.version)
    } else if (act.act === 'maintain') {
      const first = formatDay(new Date(now - METRIC_DAYS * DAY_MS))
      this.recent = this.recent.filter(({ time }) => formatDay(new Date(time)) >= first)
    }
  }

  list(now: number) {
    const nameOf = ({ version, kind }: CountedCrash) =>
      this.named.has(version)
        ? `fault in f${kind}`
        : `fault at ${addressOf(version, kind)} of b${version}`
    const groups = Map.groupBy(this.all, nameOf)
    return [...groups].map(([title, crashes]) => {
      const recent = this.recent.filter((one) => nameOf(one) === title)
      const times = crashes.map(({ time }) => time)
      return {
        title,
        crashCount: crashes.length,
        deviceCount: new Set(recent.map(({ device }) => device)).size,
        firstSeenAt: new Date(Math.min(...times)).toISOString(),
        lastSeenAt: new Date(Math.max(...times)).toISOString(),
        recentCounts: Array.from({ length: 14 }, (_, at) => {
          const day = formatDay(new Date(now - (13 - at) * DAY_MS))
          return recent.filter(({ time }) => formatDay(new Date(time)) === day).length
        }),
      }
    })
  }
}

interface World {
  client: Client
  versions: string[]
  devices: SyncingDevice[]
  firmwareId: string
  /** Of the next crash. */
  next: { sequence: number }
}

async function givenWorld(): Promise<World> {
  const client = await givenClient(test)
  await sql`
    update workspaces set metric_retention_days = ${METRIC_DAYS} where id = ${client.workspaceId}`.execute(
    test.ctx.db,
  )
  const { id: firmwareId } = (await client.post('/firmwares', { slug: 'gateway' })).json<{
    id: string
  }>()
  const world: World = { client, versions: [], devices: [], firmwareId, next: { sequence: 0 } }
  for (const version of VERSIONS.keys()) await makeVersion(world, version)
  for (const device of DEVICES) await makeDevice(world, device)
  return world
}

async function makeVersion({ client, versions, firmwareId }: World, at: number): Promise<void> {
  const body = { name: VERSIONS[at], buildId: `b${at}` }
  const made = await client.post(`/firmwares/${firmwareId}/versions`, body)
  versions[at] = made.json<{ id: string }>().id
}

async function makeDevice({ client, devices }: World, at: number): Promise<void> {
  devices[at] = await givenSyncingDevice(test, client.workspaceId, `d${at}`)
}

/** Like a device that the second node serves. */
const throughOther = (world: World): World => ({
  ...world,
  devices: world.devices.map((device) => ({
    ...device,
    sync: (body) =>
      other.app.inject({
        method: 'POST',
        url: `/device/v1/${device.workspaceId}/${device.deviceId}/sync`,
        headers: {
          authorization: `Bearer ${device.deviceKey}`,
          'content-type': 'application/json',
        },
        payload: JSON.stringify(body),
      }),
  })),
})

/** Answers whether it was done: nobody knows a build before it crashed. */
async function perform(world: World, act: Act): Promise<boolean> {
  const { client } = world
  if (act.act === 'crash') await crash(world, act)
  else if (act.act === 'maintain') await maintainCrashes(other.ctx)
  else if (act.act === 'name') {
    const lines = KINDS.map((kind) => ({
      address: addressOf(act.version, kind),
      frames: [{ function: `f${kind}`, file: 'a.c', line: kind + 1 }],
    }))
    const answer = await client.put(`/crash-builds/b${act.version}/lines`, { lines })
    expect([200, 404]).toContain(answer.statusCode)
    return answer.statusCode === 200
  } else if (act.act === 'unname') {
    const answer = await client.delete(`/crash-builds/b${act.version}/lines`)
    expect([204, 404]).toContain(answer.statusCode)
  } else if (act.act === 'deleteDevice') {
    const deleted = await client.delete(`/devices/d${act.device}`)
    expect(deleted.statusCode).toBe(204)
    await makeDevice(world, act.device)
  } else if (act.act === 'deleteVersion') {
    const deleted = await client.delete(`/firmware-versions/${world.versions[act.version] ?? ''}`)
    expect(deleted.statusCode).toBe(204)
    await makeVersion(world, act.version)
  }
  return true
}

/** Each of them is sent twice, and counts once. */
async function crash(
  world: World,
  { device, version, kind, age, times }: Extract<Act, { act: 'crash' }>,
) {
  const timestamp = new Date(test.ctx.now().getTime() - age * DAY_MS).toISOString()
  const crashes = Array.from({ length: times }, () => ({
    reason: 'fault',
    pc: addressOf(version, kind),
    buildId: `b${version}`,
    runId: 'r',
    sequence: world.next.sequence++,
    timestamp,
  }))
  for (const sent of [crashes, crashes]) {
    const answer = await world.devices[device]?.sync({ crashes: sent })
    expect(answer?.statusCode).toBe(200)
  }
}

const version = fc.constantFrom(...VERSIONS.keys())
const crashes = fc.record({
  act: fc.constant('crash' as const),
  device: fc.constantFrom(...DEVICES),
  version,
  kind: fc.constantFrom(...KINDS),
  // Some come later than what is kept of devices.
  age: fc.nat(METRIC_DAYS + 2),
  times: fc.integer({ min: 1, max: 2 }),
})
const naming = fc.record({ act: fc.constantFrom('name' as const, 'unname' as const), version })
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: crashes },
  { weight: 2, arbitrary: naming },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('deleteVersion' as const), version }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('deleteDevice' as const),
      device: fc.constantFrom(...DEVICES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('maintain' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('pass' as const),
      days: fc.integer({ min: 1, max: 2 }),
    }),
  },
)

/** Two acts at once whose outcome is the same in either order: crashes of today, and what goes on beside them. */
const races: fc.Arbitrary<[Act, Act]> = fc
  .tuple(crashes, fc.oneof(crashes, naming, fc.constant({ act: 'maintain' as const })))
  .map(([one, beside]) => [{ ...one, age: 0 }, 'age' in beside ? { ...beside, age: 0 } : beside])

it('are those of a plain model, whatever comes twice, late, at once or goes away', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.tuple(acts), races), { minLength: 1, maxLength: 12 }),
      async (history) => {
        const clock = underClock(test)
        other.ctx.now = () => test.ctx.now()
        const world = await givenWorld()
        const model = new Model()
        for (const step of history) {
          const [one, beside] = step
          const done = await Promise.all([
            perform(world, one),
            beside ? perform(throughOther(world), beside) : false,
          ])
          const now = test.ctx.now().getTime()
          if (done[0]) model.apply(one, now)
          if (beside && done[1]) model.apply(beside, now)
          if (one.act === 'pass') clock.pass(one.days * DAY_MS)
        }

        const { crashGroups } = (await world.client.get('/crash-groups?limit=100')).json<{
          crashGroups: { title: string; recentCounts: (number | null)[] }[]
        }>()
        const found = crashGroups.map((group) => ({
          ...group,
          recentCounts: group.recentCounts.map((count) => count ?? 0),
        }))
        const byTitle = (one: { title: string }, second: { title: string }) =>
          one.title < second.title ? -1 : 1
        const expected = model.list(test.ctx.now().getTime()).toSorted(byTitle)
        expect(found.toSorted(byTitle)).toMatchObject(expected)
        expect(found).toHaveLength(expected.length)
        const { workspaceId } = world.client
        for (const { find } of crashChecks)
          expect(await find(test.ctx, workspaceId, SHALLOW)).toMatchObject({ faults: [] })
        // Work for all workspaces shall not become more from history to history.
        for (const { deviceId } of world.devices)
          expect((await world.client.delete(`/devices/${deviceId}`)).statusCode).toBe(204)
      },
    ),
    { numRuns: propertyRuns(30, 8) },
  )
})

it('are found and mended by the doctor where they are wrong', async () => {
  underClock(test)
  const world = await givenWorld()
  const { workspaceId } = world.client
  for (const device of DEVICES)
    await crash(world, { act: 'crash', device, version: 0, kind: 0, age: 0, times: 1 })
  const [check] = crashChecks
  if (!check?.repair) throw new Error('nothing repairs')
  await sql`update crash_group_totals set device_count = 7 where workspace_id = ${workspaceId}`.execute(
    test.ctx.db,
  )
  await sql`delete from crash_group_days where workspace_id = ${workspaceId}`.execute(test.ctx.db)

  const found = await check.find(test.ctx, workspaceId, SHALLOW)
  await check.repair(test.ctx, workspaceId, SHALLOW)

  expect(found.faultCount).toBe(2)
  expect(found.faults.join('\n')).toMatch(
    /device_count is 7 instead of 3[^]*is missing: crash_count 3/,
  )
  expect(await check.find(test.ctx, workspaceId, SHALLOW)).toMatchObject({ faultCount: 0 })
})
