/** Customers through the API: whose devices are whose, and since when; links; what leaves the house. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFleet, type Fleet, givenFleetDevices } from '../../../test/given-fleet.ts'
import { givenMember } from '../../../test/given-people.ts'

let test: TestApp
let now = new Date('2026-11-03T10:00:00.000Z')

beforeAll(async () => {
  test = await startTestApp()
  Object.assign(test.ctx, { now: () => now })
})

const later = (minutes: number) => {
  now = new Date(now.getTime() + minutes * 60_000)
  return now
}

interface Shown {
  id: string
  name: string
  deviceCount: number
  sharedDeviceCount: number
  linkCount: number
  cohortIds: string[]
}
interface Link {
  id: string
  url: string
  token: string
  uses: number
  lastUsedAt: string | null
  revokedAt: string | null
}
interface Devices {
  devices: { id: string; since: string; runs: { version: string }[]; update: object | null }[]
  hasMore: boolean
  nextCursor?: string
}

const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 8)}`
const create = async ({ client }: Fleet, body: object) => {
  const made = await client.post('/customers', { name: unique('Customer'), ...body })
  expect([made.statusCode, made.body]).toEqual([201, made.body])
  return made.json<Shown>()
}
const makeLink = async ({ client }: Fleet, { id }: { id: string }, body: object = {}) =>
  (await client.post(`/customers/${id}/links`, body)).json<Link>()
const open = (url: string, headers: Record<string, string> = {}) => {
  const { pathname, search } = new URL(url)
  return test.app.inject({ url: pathname + search, headers })
}
const ask = (fleet: Fleet, { token }: { token: string }, path: string) =>
  test.app.inject({
    url: `/customer/${fleet.workspaceId}${path}`,
    headers: { authorization: `Bearer ${token}` },
  })
const listDevices = async (fleet: Fleet, link: Link, query = '') =>
  (await ask(fleet, link, `/api/devices${query}`)).json<Devices>()
const idsOf = ({ devices }: Devices) => devices.map(({ id }) => id)
const tag = ({ client }: Fleet, deviceId: string, tags: string[]) =>
  client.patch(`/devices/${deviceId}`, { tags })

describe('devices of a customer', () => {
  it('are those of its cohorts and those with its tag, and follow both', async () => {
    const fleet = await givenFleet(test, 3)
    await givenFleetDevices(test.ctx, fleet.workspaceId, ['loose-1', 'loose-2'])
    await tag(fleet, 'loose-1', ['nord'])
    const customer = await create(fleet, { tag: 'nord', cohortIds: [fleet.cohortId] })
    const link = await makeLink(fleet, customer)

    expect(customer).toMatchObject({ deviceCount: 4, sharedDeviceCount: 0 })
    await tag(fleet, 'loose-2', ['nord'])
    await tag(fleet, 'loose-1', [])
    expect(idsOf(await listDevices(fleet, link))).toEqual([...fleet.deviceIds, 'loose-2'])
    await fleet.client.put(`/deployment-cohorts/${fleet.cohortId}/devices`, {
      deviceIds: ['device-000'],
    })
    await fleet.client.delete('/devices/device-000')
    expect(idsOf(await listDevices(fleet, link))).toEqual(['loose-2'])
    await fleet.client.patch(`/customers/${customer.id}`, { tag: null })
    expect(idsOf(await listDevices(fleet, link))).toEqual([])
  })

  it('are, when they move, seen by the new customer alone, since then and no earlier', async () => {
    const fleet = await givenFleet(test, 1)
    await tag(fleet, 'device-000', ['old'])
    const before = await create(fleet, { tag: 'old' })
    const after = await create(fleet, { tag: 'new' })
    const [oldLink, newLink] = [await makeLink(fleet, before), await makeLink(fleet, after)]
    await fleet.boots('device-000', '1.0')
    const movedAt = later(60)

    await tag(fleet, 'device-000', ['new'])

    expect(idsOf(await listDevices(fleet, oldLink))).toEqual([])
    const { devices } = await listDevices(fleet, newLink)
    expect(devices).toMatchObject([
      {
        id: 'device-000',
        since: movedAt.toISOString(),
        lastSeenAt: null,
        runs: [{ version: '1.0', since: movedAt.toISOString() }],
      },
    ])
    later(60)
    await tag(fleet, 'device-000', ['new', 'painted'])
    expect((await listDevices(fleet, newLink)).devices[0]?.since).toBe(movedAt.toISOString())
  })

  it('may be of two customers, which the team reads and they do not', async () => {
    const fleet = await givenFleet(test, 1)
    await tag(fleet, 'device-000', ['dealer', 'owner'])
    const [dealer, owner] = [
      await create(fleet, { name: 'The dealer', tag: 'dealer' }),
      await create(fleet, { tag: 'owner' }),
    ]

    expect((await fleet.client.get(`/customers/${dealer.id}`)).json()).toMatchObject({
      sharedDeviceCount: 1,
    })
    const page = await open((await makeLink(fleet, owner)).url)
    expect(page.body).not.toContain('The dealer')
  })

  it('come page by page, each once', async () => {
    const fleet = await givenFleet(test, 1)
    const ids = Array.from({ length: 250 }, (_, index) => `many-${String(index).padStart(4, '0')}`)
    await givenFleetDevices(test.ctx, fleet.workspaceId, ids, { cohortId: fleet.cohortId })
    const customer = await create(fleet, { cohortIds: [fleet.cohortId] })
    const link = await makeLink(fleet, customer)
    const seen: string[] = []

    for (let query = '?limit=100'; ;) {
      const page = await listDevices(fleet, link, query)
      seen.push(...idsOf(page))
      if (page.nextCursor === undefined) break
      query = `?limit=100&cursor=${page.nextCursor}`
    }

    expect(seen).toEqual(['device-000', ...ids])
  })
})

describe('links', () => {
  it('are shown once, counted, and dead at once when they are revoked or over', async () => {
    const fleet = await givenFleet(test, 1)
    const customer = await create(fleet, { cohortIds: [fleet.cohortId] })
    const first = await makeLink(fleet, customer, { name: 'Desk' })
    const second = await makeLink(fleet, customer, { endsAt: '2026-12-24T00:00:00Z' })
    const list = () => fleet.client.get(`/customers/${customer.id}/links`)

    expect((await open(first.url)).statusCode).toBe(200)
    const listed = await list()
    expect(listed.json()).toMatchObject({
      links: [{ uses: 0 }, { name: 'Desk', uses: 1, lastUsedAt: now.toISOString() }],
    })
    expect(listed.body).not.toContain(first.token)
    const stored = await test.ctx.db.selectFrom('sharedLinks').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(first.token)

    await fleet.client.delete(`/customers/${customer.id}/links/${first.id}`)
    expect((await open(first.url)).statusCode).toBe(404)
    expect((await open(second.url)).statusCode).toBe(200)
    const was = now
    now = new Date('2026-12-24T00:00:00Z')
    expect((await open(second.url)).statusCode).toBe(404)
    now = was
    expect((await open(second.url)).statusCode).toBe(200)
    await fleet.client.delete(`/customers/${customer.id}`)
    expect((await open(second.url)).statusCode).toBe(404)
  })

  it.each([
    ['the past', '2020-01-01T00:00:00Z'],
    ['ten years', '2036-01-01T00:00:00Z'],
    ['no day', '2026-13-01T00:00:00Z'],
  ])('refuse to end in %s', async (_what, endsAt) => {
    const fleet = await givenFleet(test, 0)
    const { id } = await create(fleet, {})
    const refused = await fleet.client.post(`/customers/${id}/links`, { endsAt })
    expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/endsAt' }] })
  })

  it('are told of in the audit log once in a while, with how often they were used since', async () => {
    const fleet = await givenFleet(test, 0)
    const customer = await create(fleet, {})
    const link = await makeLink(fleet, customer, { name: 'Desk' })
    for (let view = 0; view < 20; view += 1) await open(link.url)
    later(11)
    await open(link.url)

    const log = await fleet.client.get('/audit-log?kind=Customer')
    const told = log
      .json<{ entries: { action: string; summary: string }[] }>()
      .entries.filter(({ action }) => action === 'customer.view')

    expect(told.map(({ summary }) => summary.replace(customer.name, 'X'))).toEqual([
      expect.stringContaining('answered 20 requests of the customer X by the link Desk'),
      expect.stringContaining('answered 1 request of the customer X by the link Desk'),
    ])
  })

  it('are answered with 304 to whoever has the page, and with 429 to whoever asks too often', async () => {
    const fleet = await givenFleet(test, 1)
    const customer = await create(fleet, { cohortIds: [fleet.cohortId] })
    const [link, other] = [await makeLink(fleet, customer), await makeLink(fleet, customer)]
    const first = await open(link.url)
    const again = await open(link.url, { 'if-none-match': String(first.headers['etag']) })

    expect([again.statusCode, again.body]).toEqual([304, ''])
    // What a 304 says takes the place of what the browser kept: the page would lose its styles.
    expect(again.headers).not.toHaveProperty('content-security-policy')
    expect(first.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
    })
    const answers = await Promise.all(Array.from({ length: 80 }, () => open(link.url)))
    expect(answers.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThan(10)
    expect((await open(other.url)).statusCode).toBe(200)
  })

  it('are made by admins, and by nobody below', async () => {
    const fleet = await givenFleet(test, 0)
    const { id } = await create(fleet, {})
    const path = `/workspaces/${fleet.workspaceId}/customers/${id}/links`
    const tries = (['Admin', 'Engineer', 'Viewer'] as const).map(async (role) => {
      const { browser } = await givenMember(test, fleet.workspaceId, role)
      return (await browser.post(path, {})).statusCode
    })
    expect(await Promise.all(tries)).toEqual([201, 403, 403])
  })
})

it('refuses customers that make no sense, with what is wrong', async () => {
  const fleet = await givenFleet(test, 0)
  const { name } = await create(fleet, {})
  const post = (body: object) => fleet.client.post('/customers', body)

  expect((await post({ name: name.toUpperCase() })).json()).toMatchObject({
    status: 409,
    type: '/problems/customer-name-taken',
  })
  expect(
    (await post({ name: 'A', contacts: [{ email: 'nobody', name: null }] })).json(),
  ).toMatchObject({ status: 400, errors: [{ pointer: '/contacts/0/email' }] })
  const twice = { email: 'a@b.example', name: null }
  expect(
    (await post({ name: 'A', contacts: [twice, { ...twice, email: 'A@b.example' }] })).json(),
  ).toMatchObject({ status: 400, errors: [{ pointer: '/contacts/1/email' }] })
  expect((await post({ name: 'A', cohortIds: [crypto.randomUUID()] })).json()).toMatchObject({
    status: 400,
    errors: [{ pointer: '/cohortIds/0' }],
  })
})
