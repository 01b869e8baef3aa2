import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { issueDeviceKey } from './keys/service.ts'
import type { DeviceReport } from './reactions.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

const OPERATOR = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
} as const

interface Device {
  id: string
  tags: string[]
  connected: boolean
  firmware: { slug: string; isBlindSpot: boolean }[]
}

const register = (as: Client, device: object) => as.post('/devices', device)

async function list(as: Client, body: object) {
  const response = await as.post('/devices/list', body)
  expect(response.statusCode).toBe(200)
  return response.json<{ devices: Device[]; nextCursor?: string; hasMore: boolean }>()
}
const idsOf = async (as: Client, filter: object) =>
  (await list(as, { filter })).devices.map(({ id }) => id)

let runs = 0
/** The ids of all pages in order, two devices a page. */
async function readPages(as: Client, asked: object): Promise<string> {
  const ids: string[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = await list(as, { ...asked, limit: 2, ...(cursor && { cursor }) })
    ids.push(...page.devices.map(({ id }) => id))
    cursor = page.nextCursor
    more = page.hasMore
  }
  return ids.join('')
}

function report(as: Client, deviceId: string, firmware: Record<string, string>, at = new Date()) {
  const running = Object.entries(firmware).map(([slug, version]) => ({ slug, version }))
  const session = { runId: `run-${runs++}`, firmware: running }
  return receive(as, { deviceId, message: { kind: 'session', session }, receivedAt: at })
}

function receive(as: Client, said: Pick<DeviceReport, 'deviceId' | 'message' | 'receivedAt'>) {
  return test.doors.intake.receive({ workspaceId: as.workspaceId, door: 'Mqtt', ...said })
}

describe('a device', () => {
  it('is registered, read, changed and deleted', async () => {
    const created = await register(client, {
      id: 'one',
      tags: ['b', 'a', 'b'],
      attributes: { rev: 3 },
    })
    const changed = await client.patch('/devices/one', { description: 'On the roof', tags: ['c'] })
    const read = await client.get('/devices/one')
    const deleted = await client.delete('/devices/one')

    expect(created.statusCode).toBe(201)
    expect(created.json()).toMatchObject({
      id: 'one',
      tags: ['a', 'b'],
      attributes: { rev: 3 },
      cohort: null,
      connected: false,
      lastSeenAt: null,
      firmware: [],
      configuration: { desiredVersion: 1, acknowledgedVersion: null },
      currentUpdate: null,
    })
    expect(changed.json()).toMatchObject({
      description: 'On the roof',
      tags: ['c'],
      attributes: { rev: 3 },
    })
    expect(read.json()).toEqual(changed.json())
    expect(deleted.statusCode).toBe(204)
    expect((await client.get('/devices/one')).statusCode).toBe(404)
  })

  it('is registered once', async () => {
    await register(client, { id: 'twice' })

    const again = await register(client, { id: 'twice' })
    const imported = await client.post('/devices/import', {
      devices: [{ id: 'thrice' }, { id: 'twice' }, { id: 'thrice', tags: ['late'] }],
    })

    expect(again.json()).toMatchObject({ status: 409, type: '/problems/device-exists' })
    expect(imported.json()).toEqual({ created: ['thrice'], existing: ['twice'] })
    expect((await client.get('/devices/thrice')).json()).toMatchObject({ tags: [] })
  })

  it.each`
    body                                                 | pointer
    ${{ id: '-x' }}                                      | ${'/id'}
    ${{ id: 'a/b' }}                                     | ${'/id'}
    ${{ id: 'x', tags: [''] }}                           | ${'/tags/0'}
    ${{ id: 'x', attributes: { a: {} } }}                | ${'/attributes/a'}
    ${{ id: 'x', attributes: { ['a'.repeat(129)]: 1 } }} | ${'/attributes/' + 'a'.repeat(129)}
    ${{ id: 'x', serial: 1 }}                            | ${'/serial'}
  `('is refused as $body', async ({ body, pointer }) => {
    const response = await register(client, body as object)

    expect(response.statusCode).toBe(400)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    expect(errors.map((error) => error.pointer)).toContain(pointer)
  })

  it('is its workspace’s alone, also where another has one of the same name', async () => {
    const other = await givenClient(test)
    await register(client, { id: 'shared', tags: ['mine'] })

    const unseen = await other.get('/devices/shared')
    const undeleted = await other.delete('/devices/shared')
    await register(other, { id: 'shared', tags: ['theirs'] })
    await report(other, 'shared', { main: '1' })

    expect([unseen.statusCode, undeleted.statusCode]).toEqual([404, 404])
    expect((await client.get('/devices/shared')).json()).toMatchObject({
      tags: ['mine'],
      firmware: [],
    })
  })

  it('answers 404 to what can be no id', async () => {
    for (const id of ['%00', '-', 'a%20b']) {
      expect((await client.get(`/devices/${id}`)).statusCode).toBe(404)
      expect((await client.patch(`/devices/${id}`, {})).statusCode).toBe(404)
      expect((await client.delete(`/devices/${id}`)).statusCode).toBe(404)
    }
  })

  it('takes its counts and its own keys along when it is deleted', async () => {
    const own = await givenClient(test)
    await register(own, { id: 'gone' })
    const { id } = (await own.post('/firmwares', { slug: 'main' })).json<{ id: string }>()
    const version = await own.post(`/firmwares/${id}/versions`, { name: '1' })
    const path = `/firmware-versions/${version.json<{ id: string }>().id}`
    await report(own, 'gone', { main: '1' })
    const key = { workspaceId: own.workspaceId, actor: OPERATOR }
    const { deviceKey } = await issueDeviceKey(test.ctx, { ...key, deviceId: 'gone' })
    const before = (await own.get(path)).json<{ affectedDeviceCount: number }>()

    await own.delete('/devices/gone')

    expect(before.affectedDeviceCount).toBe(1)
    expect((await own.get(path)).json()).toMatchObject({ affectedDeviceCount: 0 })
    const credentials = { workspaceId: own.workspaceId, deviceId: 'gone', deviceKey }
    await expect(test.doors.authenticate(credentials)).rejects.toMatchObject({
      kind: 'unauthorized',
    })
    const audit = (await own.get('/audit-log')).json<{ entries: { action: string }[] }>()
    expect(audit.entries.map(({ action }) => action)).toContain('device.delete')
  })
})

describe('the list of devices', () => {
  it('keeps those the filter means', async () => {
    const own = await givenClient(test)
    const { id: firmwareId } = (await own.post('/firmwares', { slug: 'main' })).json<{
      id: string
    }>()
    const made = await own.post(`/firmwares/${firmwareId}/versions`, { name: '1' })
    const { id: firmwareVersionId } = made.json<{ id: string }>()
    await register(own, { id: 'a', tags: ['x', 'y'], description: 'Roof of the Mill' })
    await register(own, { id: 'b', tags: ['y'] })
    await register(own, { id: 'c' })
    await register(own, { id: 'gw-d' })
    await report(own, 'a', { main: '1' }, new Date('2026-11-01T00:00:00Z'))
    await report(own, 'b', { main: '2', modem: '7' }, new Date('2026-11-02T00:00:00Z'))
    await receive(own, {
      deviceId: 'c',
      message: {
        kind: 'connected',
        connectionId: crypto.randomUUID(),
        gatewayId: crypto.randomUUID(),
      },
      receivedAt: new Date('2026-11-03T00:00:00Z'),
    })

    const answers = {
      all: await idsOf(own, {}),
      version: await idsOf(own, { firmwareVersionIds: [firmwareVersionId] }),
      firmware: await idsOf(own, { firmwareIds: [firmwareId] }),
      noFirmware: await idsOf(own, { firmwareIds: [] }),
      blind: await idsOf(own, { blindSpot: true }),
      notBlind: await idsOf(own, { blindSpot: false }),
      connected: await idsOf(own, { connected: true }),
      away: await idsOf(own, { connected: false }),
      never: await idsOf(own, { neverSeen: true }),
      before: await idsOf(own, { lastSeenBefore: '2026-11-02T00:00:00Z' }),
      after: await idsOf(own, { lastSeenAfter: '2026-11-02T00:00:00Z' }),
      afterYearNought: await idsOf(own, { lastSeenAfter: '0000-01-01T00:00:00Z' }),
      anyTag: await idsOf(own, { tags: ['x', 'y'] }),
      allTags: await idsOf(own, { allTags: ['x', 'y'] }),
      text: await idsOf(own, { text: 'MILL' }),
      textOfId: await idsOf(own, { text: 'W-D' }),
      free: await idsOf(own, { inCohort: false }),
      inCohort: await idsOf(own, { inCohort: true }),
      cohort: await idsOf(own, { cohortIds: [] }),
    }

    expect(answers).toEqual({
      all: ['a', 'b', 'c', 'gw-d'],
      version: ['a'],
      firmware: ['a'],
      noFirmware: [],
      blind: ['b'],
      notBlind: ['a', 'c', 'gw-d'],
      connected: ['c'],
      away: ['a', 'b', 'gw-d'],
      never: ['gw-d'],
      before: ['a'],
      after: ['b', 'c'],
      afterYearNought: ['a', 'b', 'c'],
      anyTag: ['a', 'b'],
      allTags: ['a'],
      text: ['a'],
      textOfId: ['gw-d'],
      free: ['a', 'b', 'c', 'gw-d'],
      inCohort: [],
      cohort: [],
    })
  })

  it.each([
    { sortColumn: 'Id', ascending: true, expected: 'abcde' },
    { sortColumn: 'Id', ascending: false, expected: 'edcba' },
    { sortColumn: 'LastSeenAt', ascending: true, expected: 'decab' },
    { sortColumn: 'LastSeenAt', ascending: false, expected: 'baced' },
  ])('pages by $sortColumn, ascending: $ascending', async ({ sortColumn, ascending, expected }) => {
    const own = await givenClient(test)
    for (const id of ['a', 'b', 'c', 'd', 'e']) await register(own, { id })
    const seen = new Date('2026-11-02T00:00:00Z')
    await report(own, 'c', {}, new Date('2026-11-01T00:00:00Z'))
    await report(own, 'a', {}, seen)
    await report(own, 'b', {}, seen)

    expect(await readPages(own, { sortColumn, ascending })).toBe(expected)
  })

  it('has the device first that runs an unknown version for longest', async () => {
    const own = await givenClient(test)
    for (const id of ['a', 'b', 'c', 'd', 'e']) await register(own, { id })
    const later = new Date('2026-11-02T00:00:00Z')
    await report(own, 'b', { main: '1' }, later)
    await report(own, 'a', { main: '1', modem: '7' }, later)
    await report(own, 'd', { main: '1' }, new Date('2026-11-01T00:00:00Z'))
    await report(own, 'd', { main: '1' }, new Date('2026-11-03T00:00:00Z'))
    const sortColumn = 'UnknownSince'

    const all = await readPages(own, { sortColumn })
    const reversed = await readPages(own, { sortColumn, ascending: false })
    const unknown = await readPages(own, { sortColumn, filter: { blindSpot: true } })
    const found = []
    for (const text of ['d', 'E', 'nothing'])
      found.push(await readPages(own, { sortColumn, filter: { text } }))

    expect({ all, reversed, unknown }).toEqual({ all: 'dabce', reversed: 'ecbad', unknown: 'dab' })
    expect(found).toEqual(['d', 'e', ''])
  })

  it('refuses a cursor of another workspace or filter', async () => {
    const own = await givenClient(test)
    for (const id of ['a', 'b']) await register(own, { id })
    const { nextCursor: cursor } = await list(own, { limit: 1 })

    const foreign = await client.post('/devices/list', { cursor })
    const filtered = await own.post('/devices/list', { cursor, filter: { connected: false } })

    for (const answer of [foreign, filtered])
      expect(answer.json()).toMatchObject({ status: 400, type: '/problems/invalid-cursor' })
  })
})

it('lists what devices run and nobody knows, and sums the fleet up', async () => {
  const own = await givenClient(test)
  const now = new Date()
  await own.post('/firmwares', { slug: 'main' })
  for (const id of ['a', 'b', 'c', 'd', 'e']) await register(own, { id })
  await report(own, 'a', { main: '1' }, now)
  await report(own, 'b', { main: '1', modem: '9' }, new Date(now.getTime() - 3 * 86_400_000))
  const session = { runId: 'r', buildId: 'cafe' }
  const ages = new Date(now.getTime() - 30 * 86_400_000)
  await receive(own, { deviceId: 'c', message: { kind: 'session', session }, receivedAt: ages })
  await receive(own, { deviceId: 'd', message: { kind: 'contact' }, receivedAt: now })

  const { blindSpots, nextCursor: cursor } = (
    await own.post('/blind-spots/list', { limit: 1 })
  ).json<{ blindSpots: object[]; nextCursor: string }>()
  const rest = (await own.post('/blind-spots/list', { cursor })).json<{ blindSpots: object[] }>()
  const summary = (await own.get('/device-summary')).json<object>()

  expect(blindSpots).toMatchObject([
    {
      slug: 'main',
      version: '1',
      buildId: null,
      deviceCount: 2,
      exampleDeviceId: 'a',
      firmware: { name: 'main' },
    },
  ])
  expect(rest.blindSpots).toMatchObject([
    { slug: '', version: '', buildId: 'cafe', deviceCount: 1, firmware: null },
    { slug: 'modem', version: '9', deviceCount: 1, exampleDeviceId: 'b', firmware: null },
  ])
  expect(summary).toEqual({
    devices: 5,
    connected: 0,
    seenLastDay: 2,
    seenLastWeek: 1,
    older: 1,
    neverSeen: 1,
    neverReported: 1,
    inNoCohort: 5,
    olderExploited: 0,
    blindSpotDevices: 3,
    blindSpots: 3,
    unknownVersionDevices: 3,
    otherImageDevices: 0,
    vulnerableDevices: 0,
    exploitedDevices: 0,
  })
})
