/** Devices are asked to replace keys that are older than wanted: spread over a day, by workspace and cohort, and never who cannot. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evaluateDueRules } from '../src/features/alert-evaluation/index.ts'
import { askForOldKeys } from '../src/features/device-keys/key-ages-service.ts'
import { newId } from '../src/platform/ids.ts'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { ddiClient } from './given-ddi.ts'
import { givenSyncingDevice } from './given-device-sync.ts'
import { firingSeries, statuses } from './given-non-metric-rules.ts'
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

it('comes by devices that it cannot ask, turn by turn, and goes on there in the next pass', async () => {
  // More than one pass looks at.
  await givenFleet(22_000)
  await sql`
    update devices set last_seen_at = ${new Date(now.getTime() - 2 * DAY_MS)}
    where workspace_id = ${client.workspaceId} and substr(id, 7)::int <= 21000`.execute(test.ctx.db)
  await want(90)
  const large = client
  client = await givenClient(test)
  await givenFleet(1)
  await want(90)
  const small = client

  await askForOldKeys(test.ctx)
  const ofSmall = await countAsked()
  client = large
  const first = await countAsked()
  now = new Date(now.getTime() + PASS_MS)
  await askForOldKeys(test.ctx)

  expect([ofSmall, first, await countAsked()]).toEqual([1, 0, 77])
  expect(await stateOf({ deviceId: 'fleet-21077' })).toMatchObject({ state: 'Asked' })
  // More requests than one turn ends.
  await test.ctx.db
    .updateTable('workspaces')
    .set({ deviceKeyRotationDays: null })
    .where('id', 'in', [large.workspaceId, small.workspaceId])
    .execute()
  await sql`
    insert into device_key_rotations (workspace_id, device_id, batch_id, is_scheduled, asked_at)
    select workspace_id, id, gen_random_uuid(), true, ${now} from devices
    where workspace_id = ${client.workspaceId} and substr(id, 7)::int <= 2100`.execute(test.ctx.db)
  await askForOldKeys(test.ctx)
  expect(await countAsked()).toBe(0)
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

describe('lists', () => {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)

  async function givenKey(deviceId: string | null, days: number, more: object = {}): Promise<void> {
    const id = newId()
    const row = { workspaceId: client.workspaceId, id, deviceId, name: 'by hand' }
    const keyHash = createHash('sha256').update(id).digest()
    await test.ctx.db
      .insertInto('deviceKeys')
      .values({ ...row, keyHash, createdAt: daysAgo(days), ...more })
      .execute()
  }

  async function listIds(asked: object): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | undefined; ;) {
      const response = await client.post('/devices/list', {
        limit: 2,
        ...asked,
        ...(cursor !== undefined && { cursor }),
      })
      expect(response.statusCode).toBe(200)
      const page = response.json<{ devices: { id: string }[]; nextCursor?: string }>()
      ids.push(...page.devices.map(({ id }) => id))
      cursor = page.nextCursor
      if (cursor === undefined) return ids
    }
  }

  it('devices by their oldest own key in force, and those without one last in both directions', async () => {
    const ages: Record<string, number[]> = {
      a: [10],
      b: [300, 5],
      c: [40, 41],
      d: [40.5],
      e: [],
      f: [],
    }
    for (const [id, days] of Object.entries(ages)) {
      await client.post('/devices', { id })
      for (const one of days) await givenKey(id, one)
    }
    await givenKey('a', 900, { revokedAt: now })
    await givenKey('e', 800, { isNext: true })
    await givenKey(null, 700)
    await givenKey('nobody', 600)

    const oldestFirst = await listIds({ sortColumn: 'OldestKeyAt' })
    const newestFirst = await listIds({ sortColumn: 'OldestKeyAt', ascending: false })
    const filtered = (filter: object) => listIds({ sortColumn: 'OldestKeyAt', filter })

    expect(oldestFirst).toEqual(['b', 'c', 'd', 'a', 'e', 'f'])
    expect(newestFirst).toEqual(['a', 'd', 'c', 'b', 'f', 'e'])
    expect(await filtered({ ownKeyMadeBefore: daysAgo(40.7).toISOString() })).toEqual(['b', 'c'])
    expect(await filtered({ ownKey: false })).toEqual(['e', 'f'])
    expect(await filtered({ ownKey: true, text: 'd' })).toEqual(['d'])
    const b = await client.get('/devices/b')
    expect(b.json()).toMatchObject({ oldestKeyAt: daysAgo(300).toISOString() })
    expect((await client.get('/devices/e')).json()).toMatchObject({ oldestKeyAt: null })
    const wrong = await client.post('/devices/list', {
      filter: { ownKeyMadeBefore: '2026-02-30T00:00:00Z' },
    })
    expect(wrong.statusCode).toBe(400)
    client = await givenClient(test)
    expect(await listIds({ sortColumn: 'OldestKeyAt' })).toEqual([])
  })

  interface KeyPage {
    deviceKeys: { id: string; name: string; deviceId: string | null; revokedAt: string | null }[]
    totalCount: number
    hasMore: boolean
    nextCursor?: string
  }
  const readPage = async (asked: object): Promise<KeyPage> => {
    const response = await client.post('/device-keys/list', asked)
    expect(response.statusCode).toBe(200)
    return response.json<KeyPage>()
  }

  async function readKeyNames(filter: object): Promise<string[]> {
    const names: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await readPage({ filter, limit: 2, ...(cursor !== undefined && { cursor }) })
      names.push(...page.deviceKeys.map(({ name }) => name))
      cursor = page.nextCursor
      if (cursor === undefined) return names
    }
  }

  it('keys page by page: those in force before those that ended, each the oldest first', async () => {
    const revokedAt = now
    await givenKey('a', 10, { name: 'a old' })
    await givenKey('a', 10, { name: 'a same' })
    await givenKey('b', 30, { name: 'b ended', revokedAt })
    await givenKey('b', 5, { name: 'b' })
    await givenKey(null, 20, { name: 'Fleet' })
    await givenKey(null, 40, { name: 'Fleet ended', revokedAt })
    const names = [/^Fleet$/, /^a /, /^a /, /^b$/, /^Fleet ended$/, /^b ended$/]

    const all = await readKeyNames({})
    expect(all).toEqual(names.map((name) => expect.stringMatching(name) as string))
    expect(await readKeyNames({ isRevoked: false })).toEqual(all.slice(0, 4))
    expect(await readKeyNames({ isRevoked: true })).toEqual(all.slice(4))
    expect(await readKeyNames({ deviceId: 'b' })).toEqual(['Fleet', 'b', 'Fleet ended', 'b ended'])
    expect(await readKeyNames({ deviceId: 'b', text: 'END' })).toEqual(['Fleet ended', 'b ended'])
    expect(await readKeyNames({ text: 'A O', isRevoked: false })).toEqual(['a old'])
    const [found] = (await readPage({ filter: { text: 'Fleet' } })).deviceKeys
    expect(await readKeyNames({ text: found?.id })).toEqual(['Fleet'])
    const first = await readPage({ limit: 1 })
    expect(first).toMatchObject({ totalCount: 6, hasMore: true })
    const mixed = { limit: 1, filter: { deviceId: 'b' }, cursor: first.nextCursor }
    expect((await client.post('/device-keys/list', mixed)).statusCode).toBe(400)
    client = await givenClient(test)
    expect(await readKeyNames({})).toEqual([])
    const foreign = { limit: 1, cursor: first.nextCursor }
    expect((await client.post('/device-keys/list', foreign)).statusCode).toBe(400)
  })

  it('all keys in one answer where they are few, and says where to read more of them', async () => {
    await givenFleet(1_000)
    const whole = await client.get('/device-keys')
    await givenKey(null, 1)
    const beyond = await client.get('/device-keys')
    const ofDevice = await client.get('/device-keys?deviceId=fleet-7')

    expect(whole.json<object[]>()).toHaveLength(1_000)
    expect(beyond.statusCode).toBe(400)
    expect(beyond.json()).toMatchObject({
      type: '/problems/too-many-device-keys',
      detail: 'There are more than 1,000 keys: read them page by page, by POST …/device-keys/list.',
    })
    expect(ofDevice.json<{ deviceId: string | null }[]>().map(({ deviceId }) => deviceId)).toEqual([
      'fleet-7',
      null,
    ])
    const counted = await readPage({ limit: 1_000 })
    expect([counted.totalCount, counted.hasMore]).toEqual([1_001, true])
  })

  it('each key with its age, and why it is not replaced', async () => {
    const [asked, hawkbit, old] = [
      await givenDevice(3),
      await givenDevice(4),
      await givenDevice(95),
    ]
    await ddiClient(test, { ...hawkbit, deviceKey: hawkbit.keys.present }).get('')
    await givenKey('nobody', 1.5)
    await givenKey(null, 7)
    await client.post(`/devices/${asked.deviceId}/key-rotation`)
    await want(90)
    await test.ctx.db
      .updateTable('devices')
      .set({ lastSeenAt: daysAgo(2) })
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', old.deviceId)
      .execute()

    const listed = await client.get('/device-keys')
    const keys = listed.json<
      {
        deviceId: string | null
        ageDays: number
        lastUsedAt: string | null
        replacement: { askedAt: string | null; state: string | null; standing: string }
      }[]
    >()
    const of = (deviceId: string | null) => keys.find((key) => key.deviceId === deviceId)

    expect(of(asked.deviceId)).toMatchObject({
      ageDays: 3,
      lastUsedAt: expect.any(String) as string,
      replacement: { askedAt: now.toISOString(), state: 'Asked' },
    })
    expect(of(asked.deviceId)?.replacement.standing).toContain('it has not connected since')
    expect(of(hawkbit.deviceId)?.replacement.standing).toContain('no way to fetch a key')
    expect(of(old.deviceId)?.replacement).toMatchObject({ askedAt: null, state: null })
    expect(of(old.deviceId)?.replacement.standing).toContain('once it is in contact again')
    expect(of('nobody')).toMatchObject({ ageDays: 1, lastUsedAt: null })
    expect(of('nobody')?.replacement.standing).toContain('No device of this id')
    expect(of(null)?.replacement.standing).toContain('by hand')
  })
})

describe('an alert rule', () => {
  const evaluate = async () => {
    now = new Date(now.getTime() + 60_000)
    await evaluateDueRules(test.ctx)
  }

  async function givenRule(condition: object = {}): Promise<string> {
    const body = { name: 'Old keys', type: 'OldDeviceKey', evaluationFrequency: '1m', condition }
    const made = await client.post('/alert-rules', body)
    expect(made.statusCode).toBe(201)
    return made.json<{ id: string }>().id
  }

  const firing = async (rule: string) =>
    (await firingSeries(test, rule)).map(({ series, label, value }) => [series, label, value])

  const warned = async (rule: string) =>
    (await client.get(`/alert-rules/${rule}`)).json<{ warnings: string[] }>().warnings

  it('tells of old keys, and of devices that were asked in vain, until the keys have ended', async () => {
    const [old, slow] = [await givenDevice(400), await givenDevice(2)]
    await givenDevice(364)
    const rule = await givenRule()
    await client.post(`/devices/${slow.deviceId}/key-rotation`)
    await evaluate()
    const first = await firing(rule)
    now = new Date(now.getTime() + 14 * DAY_MS)
    await evaluate()
    const second = await firing(rule)

    await client.post(`/devices/${old.deviceId}/key-rotation`)
    for (const device of [old, slow]) {
      await device.sync()
      expect(await device.fetch()).toBe(201)
    }
    await evaluate()
    const fetched = await firing(rule)
    for (const device of [old, slow]) expect(await device.sync()).toBe(true)
    await evaluate()

    const name = old.deviceId
    const told = expect.stringMatching(`^${name}: its oldest key was made on [-0-9]{10}$`) as string
    expect(first).toEqual([[name, told, 400]])
    expect(second).toHaveLength(3)
    expect(second).toContainEqual([
      `${slow.deviceId}/asked`,
      expect.stringMatching(
        `^${slow.deviceId}: asked on [-0-9]{10} to replace its key, which still goes on$`,
      ),
      14,
    ])
    expect(fetched).toHaveLength(3)
    // The third device is 378 days old by now.
    expect(await firing(rule)).toHaveLength(1)
  })

  it('judges keys of all devices, not those of another cohort, and says of whom it judges nothing', async () => {
    const [inside] = [await givenDevice(400), await givenDevice(400)]
    const cohort = await client.post('/deployment-cohorts', { name: 'Field' })
    const { id: deploymentCohortId } = cohort.json<{ id: string }>()
    await client.post('/devices', { id: 'keyless' })
    await client.put(`/deployment-cohorts/${deploymentCohortId}/devices`, {
      deviceIds: [inside.deviceId, 'keyless'],
    })
    const fleetKeyId = newId()
    await test.ctx.db
      .insertInto('deviceKeys')
      .values({
        workspaceId: client.workspaceId,
        id: fleetKeyId,
        name: 'line 2',
        keyHash: createHash('sha256').update(fleetKeyId).digest(),
        createdAt: new Date(now.getTime() - 500 * DAY_MS),
      })
      .execute()
    const ofAll = await givenRule()
    const ofCohort = await givenRule({ deploymentCohortId, olderThanDays: 30 })

    await evaluate()

    expect((await firing(ofAll)).map(([series]) => series)).toContain(`fleet-key/${fleetKeyId}`)
    expect(await firing(ofAll)).toHaveLength(3)
    expect((await firing(ofCohort)).map(([series]) => series)).toEqual([inside.deviceId])
    expect(await warned(ofAll)).toEqual([
      '1 of 3 devices has no key of its own: of these the rule judges nothing but the keys of all devices.',
    ])
    expect(await warned(ofCohort)).toEqual([
      '1 of 2 devices has no key of its own: of these the rule judges nothing.',
    ])
  })

  it('has no data and warns where there is no key, whatever other workspaces have', async () => {
    await givenDevice(400)
    client = await givenClient(test)
    const rule = await givenRule()

    await evaluate()

    expect(await statuses(test, rule)).toEqual(['NoData'])
    expect((await warned(rule)).join()).toContain('never firing')
  })
})
