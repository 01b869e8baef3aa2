/** Devices are asked to replace keys that are older than wanted: spread over a day, by workspace and cohort, and never who cannot. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { askForOldKeys } from '../src/features/device-keys/key-ages-service.ts'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { ddiClient } from './given-ddi.ts'
import { givenSyncingDevice } from './given-device-sync.ts'
import { createRotatingDevice, type RotatingDevice } from './given-key-rotation.ts'

const DAY_MS = 24 * 3_600_000
const PASS_MS = 5 * 60_000

let test: TestApp
let client: Client
let now: Date

beforeAll(async () => {
  test = await startTestApp({ deviceRequestsPerMinute: 0, rateLimitPerMinute: 0 })
  test.ctx.now = () => now
})
beforeEach(async () => {
  now = new Date()
  client = await givenClient(test)
})

/** A device that was in contact now, with a key of its own that is so many days old. */
async function givenDevice(days: number): Promise<RotatingDevice> {
  const device = createRotatingDevice(test, await givenSyncingDevice(test, client.workspaceId))
  await device.sync()
  await makeOlder(device, days)
  return device
}

async function makeOlder({ deviceId }: { deviceId: string }, days: number): Promise<void> {
  await test.ctx.db
    .updateTable('deviceKeys')
    .set({ createdAt: new Date(now.getTime() - days * DAY_MS) })
    .where('workspaceId', '=', client.workspaceId)
    .where('deviceId', '=', deviceId)
    .execute()
}

/** Many at once, in contact, each with a key that is a year old. */
async function givenFleet(count: number): Promise<void> {
  const { workspaceId } = client
  await sql`
    insert into devices (workspace_id, id, run_ids, created_at, effective_log_severity, last_seen_at, door)
    select ${workspaceId}, 'fleet-' || number, '{}', ${now}, 'Info', ${now}, 'Mqtt'
    from generate_series(1, ${count}::int) as number`.execute(test.ctx.db)
  await sql`
    insert into device_keys (workspace_id, id, device_id, name, key_hash, created_at)
    select ${workspaceId}, gen_random_uuid(), 'fleet-' || number, 'fleet', sha256((${workspaceId}::text || number)::bytea),
      ${now}::timestamptz - interval '365 days' + number * interval '1 minute'
    from generate_series(1, ${count}::int) as number`.execute(test.ctx.db)
}

const want = (days: number | null) => client.patch('/settings', { deviceKeyRotationDays: days })

interface Ages extends Record<string, unknown> {
  standing: string
}

async function agesOf(query = ''): Promise<Ages> {
  const response = await client.get(`/device-key-ages${query}`)
  expect(response.statusCode).toBe(200)
  return response.json<Ages>()
}

async function stateOf({ deviceId }: { deviceId: string }) {
  const device = await client.get(`/devices/${deviceId}`)
  return device.json<{ keyRotation: { state: string; isScheduled: boolean } | null }>().keyRotation
}

async function countAsked(): Promise<number> {
  const { count } = await test.ctx.db
    .selectFrom('deviceKeyRotations')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', client.workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

it('asks whose key is older than wanted, and leaves the others as they are', async () => {
  const [old, young] = [await givenDevice(91), await givenDevice(89)]
  await want(90)

  await askForOldKeys(test.ctx)
  const asked = await stateOf(old)
  await old.sync()
  const fetched = await old.fetch()
  await old.sync()

  expect(asked).toMatchObject({ state: 'Asked', isScheduled: true, askedByEmail: null })
  expect(await stateOf(young)).toBeNull()
  expect(fetched).toBe(201)
  expect(await stateOf(old)).toMatchObject({ state: 'Done' })
  expect(await agesOf()).toMatchObject({ devices: 2, young: 2, due: 0, unable: 0 })
})

it('asks nobody where nothing is wanted, however old keys are', async () => {
  await givenDevice(3_000)

  await askForOldKeys(test.ctx)

  expect(await countAsked()).toBe(0)
  expect(await agesOf()).toMatchObject({
    devices: 0,
    standing: 'No age is wanted of the keys of any device.',
  })
})

it('goes by the cohort of a device before the workspace, in both directions', async () => {
  const [strict, never, other] = [
    await givenDevice(40),
    await givenDevice(400),
    await givenDevice(40),
  ]
  await want(90)
  const join = async (name: string, days: number, { deviceId }: RotatingDevice) => {
    const cohort = await client.post('/deployment-cohorts', { name, keyRotationDays: days })
    const { id } = cohort.json<{ id: string }>()
    await client.put(`/deployment-cohorts/${id}/devices`, { deviceIds: [deviceId] })
    return id
  }
  const strictId = await join('Strict', 30, strict)
  await join('Never', 0, never)

  const preview = await agesOf(`?days=50&deploymentCohortId=${strictId}`)
  await askForOldKeys(test.ctx)

  expect(preview).toMatchObject({ devices: 2, young: 2, due: 0 })
  expect(await stateOf(strict)).toMatchObject({ state: 'Asked' })
  expect([await stateOf(never), await stateOf(other)]).toEqual([null, null])
  const kept = await client.patch(`/deployment-cohorts/${strictId}`, { name: 'Stricter' })
  expect(kept.json()).toMatchObject({ keyRotationDays: 30 })
})

it('counts before it holds what holds afterwards', async () => {
  const [old] = [await givenDevice(91), await givenDevice(10)]
  const away = await givenDevice(91)
  const hawkbit = await givenDevice(91)
  await ddiClient(test, { ...hawkbit, deviceKey: hawkbit.keys.present }).get('')
  await client.post('/devices', { id: 'keyless' })
  await test.ctx.db
    .updateTable('devices')
    .set({ lastSeenAt: new Date(now.getTime() - 2 * DAY_MS) })
    .where('workspaceId', '=', client.workspaceId)
    .where('id', '=', away.deviceId)
    .execute()

  const preview = await agesOf('?days=90')
  const before = await agesOf()
  await want(90)
  const after = await agesOf()

  expect(before).toMatchObject({ devices: 0 })
  expect(preview).toEqual(after)
  expect(preview).toMatchObject({
    devices: 5,
    young: 1,
    due: 1,
    away: 1,
    hawkbit: 1,
    withoutOwnKey: 1,
  })
  expect(preview.standing).toContain(
    'keep what they have: 2 devices (1 hawkBit client, 1 without an own key)',
  )
  await askForOldKeys(test.ctx)
  expect(await countAsked()).toBe(1)
  expect(await agesOf()).toMatchObject({ due: 0, asked: 1, away: 1 })
  expect(await stateOf(old)).toMatchObject({ state: 'Asked' })
})

it('says who was told and does not know how, and lets them keep their key', async () => {
  const device = await givenDevice(91)
  await want(90)
  await askForOldKeys(test.ctx)
  await device.sync()
  now = new Date(now.getTime() + 3_600_001)
  await device.sync()

  const ages = await agesOf()
  await askForOldKeys(test.ctx)
  const listed = await client.post('/devices/list', { filter: { keyRotation: ['Unable'] } })

  expect(ages).toMatchObject({ unable: 1, due: 0 })
  expect(ages.standing).toContain('1 told in vain')
  expect(listed.json<{ devices: { id: string }[] }>().devices.map(({ id }) => id)).toEqual([
    device.deviceId,
  ])
  expect(await device.sync()).toBe(true)
  expect(await countAsked()).toBe(1)
})

it('asks no more than a share of a large fleet at once, the oldest first, also by two workers', async () => {
  await givenFleet(2_880)
  await want(90)
  const asked: number[] = []

  await Promise.all([askForOldKeys(test.ctx), askForOldKeys(test.ctx)])
  asked.push(await countAsked())
  await askForOldKeys(test.ctx)
  asked.push(await countAsked())
  now = new Date(now.getTime() + PASS_MS)
  await askForOldKeys(test.ctx)
  asked.push(await countAsked())

  expect(await agesOf()).toMatchObject({ devices: 2_880, asksPerHour: 120, due: 2_860, asked: 20 })
  expect(asked).toEqual([10, 10, 20])
  expect(await stateOf({ deviceId: 'fleet-20' })).toMatchObject({ state: 'Asked' })
  expect(await stateOf({ deviceId: 'fleet-21' })).toBeNull()
})

it('asks no more when nothing is wanted any more, except who fetched a key', async () => {
  const [fetched, asked, byHand] = [
    await givenDevice(91),
    await givenDevice(92),
    await givenDevice(93),
  ]
  await client.post(`/devices/${byHand.deviceId}/key-rotation`)
  await want(90)
  await askForOldKeys(test.ctx)
  now = new Date(now.getTime() + PASS_MS)
  await askForOldKeys(test.ctx)
  const before = await countAsked()
  await fetched.fetch()

  await want(null)
  await askForOldKeys(test.ctx)

  expect(before).toBe(3)
  expect(await stateOf(asked)).toBeNull()
  expect(await stateOf(fetched)).toMatchObject({ state: 'Fetched' })
  expect(await stateOf(byHand)).toMatchObject({ state: 'Asked', isScheduled: false })
})

it('reaches no device of another workspace', async () => {
  const theirs = client
  const device = await givenDevice(91)
  client = await givenClient(test)
  await want(90)

  await askForOldKeys(test.ctx)

  expect(await agesOf()).toMatchObject({ devices: 0 })
  client = theirs
  expect(await stateOf(device)).toBeNull()
  const cohort = await client.post('/deployment-cohorts', { name: 'Theirs' })
  const { id } = cohort.json<{ id: string }>()
  const stranger = await givenClient(test)
  const asked = await stranger.get(`/device-key-ages?days=1&deploymentCohortId=${id}`)
  expect(asked.statusCode).toBe(404)
})
