/** Walks every route that needs no key as a customer who tries what it may not. */
import { beforeAll, expect, it } from 'vitest'
import { buildApi } from '../../api.ts'
import { ROLES } from '../../config/config.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenMatchedSbom, givenProduct, givenDecision } from '../../../test/given-findings.ts'
import { givenFleet } from '../../../test/given-fleet.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

/** The paths below the workspace, with what names something of this customer. */
const CUSTOMER_PATHS: Readonly<Record<string, string>> = {
  '/customer/:workspaceId': '',
  '/customer/:workspaceId/': '/',
  '/customer/:workspaceId/version': '/version?firmware=gateway&version=1.0',
  '/customer/:workspaceId/api': '/api',
  '/customer/:workspaceId/api/devices': '/api/devices',
  '/customer/:workspaceId/api/statements': '/api/statements?firmware=gateway&version=1.0',
  '/customer/:workspaceId/advisories/:year/:file': '/advisories/2026/acme-2026-0001.json',
}
const ADDRESS_PATHS: Readonly<Record<string, string>> = {
  '/standing/:workspaceId/:addressId': '',
  '/standing/:workspaceId/:addressId/': '/',
  '/standing/:workspaceId/:addressId/index.json': '/index.json',
  '/standing/:workspaceId/:addressId/support.json': '/support.json',
  '/standing/:workspaceId/:addressId/openvex.json': '/openvex.json',
  '/standing/:workspaceId/:addressId/cyclonedx.json': '/cyclonedx.json',
  '/standing/:workspaceId/:addressId/csaf.json': '/csaf.json',
  '/standing/:workspaceId/:addressId/sbom': '/sbom',
  '/standing/:workspaceId/:addressId/sboms/:sbomId': `/sboms/${crypto.randomUUID()}`,
}

const get = async (url: string, headers: Record<string, string> = {}) => {
  const { statusCode, body } = await test.app.inject({ url, headers })
  return { statusCode, body }
}
const withToken = (url: string, token: string) =>
  `${url}${url.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`

/** A workspace with one device on 1.0, a customer who has it, a link, and an address for each kind of document. */
async function givenWorld() {
  const fleet = await givenFleet(test, 1)
  const { client, workspaceId, versions } = fleet
  const { cpes, product, cveIds } = await givenProduct(test.ctx, ['High'])
  const version = { workspaceId, firmwareVersionId: versions['1.0'] ?? '' }
  await givenMatchedSbom(test.ctx, version, [{ packageName: product, cpes }])
  await givenDecision(test.ctx, version, {
    vulnerabilityId: cveIds[0] ?? '',
    assessment: 'Exploitable',
  })
  await fleet.boots('device-000', '1.0')
  const make = async (path: string, body: object) =>
    (await client.post(path, body)).json<{ id: string; token: string }>()
  const customer = await make('/customers', { name: 'One', cohortIds: [fleet.cohortId] })
  const link = await make(`/customers/${customer.id}/links`, {})
  const { firmwares } = (await client.get('/firmwares')).json<{ firmwares: { id: string }[] }>()
  const address = await make('/standing-addresses', {
    name: 'Docs',
    firmwareId: firmwares[0]?.id,
    firmwareVersionId: version.firmwareVersionId,
    documents: ['Vex', 'Sbom', 'Support'],
  })
  return { fleet, client, workspaceId, customer, link, address }
}

type World = Awaited<ReturnType<typeof givenWorld>>

const urlsOf = ({ workspaceId, address }: World) => [
  ...Object.values(CUSTOMER_PATHS).map((path) => `/customer/${workspaceId}${path}`),
  ...Object.values(ADDRESS_PATHS).map((path) => `/standing/${workspaceId}/${address.id}${path}`),
]

const NEVER_THERE = /advisories\/2026|sboms\//

it('knows every route: a new one is added to the walk', async () => {
  const routes: string[] = []
  const app = await buildApi(test.ctx, {
    roles: ROLES,
    doors: test.doors,
    watch: (watched) =>
      watched.addHook('onRoute', ({ url }) => {
        if (/^\/(?:customer|standing)\//.test(url)) routes.push(url)
      }),
  })
  await app.ready()
  await app.close()

  const known = [...Object.keys(CUSTOMER_PATHS), ...Object.keys(ADDRESS_PATHS)]
  expect([...new Set(routes)].toSorted()).toEqual(known.toSorted())
})

it('answers its own link, so that refusals below mean something', async () => {
  const world = await givenWorld()
  for (const url of urlsOf(world)) {
    if (NEVER_THERE.test(url)) continue
    const { token } = url.startsWith('/customer/') ? world.link : world.address
    const inAddress = await get(withToken(url, token))
    const inHeader = await get(url, { authorization: `Bearer ${token}` })
    // The version of this world has components, and no file of an SBOM.
    const expected = url.endsWith('/sbom') ? 404 : 200
    expect([url, inAddress.statusCode, inHeader.statusCode]).toEqual([url, expected, expected])
  }
})

it('answers every token that is altered, foreign, of another kind, ended or revoked in the same words', async () => {
  const world = await givenWorld()
  const stranger = await givenWorld()
  const { workspaceId, client, customer, link, address } = world
  const make = async (path: string, body: object) =>
    (await client.post(path, body)).json<{ id: string; token: string }>()
  const revoked = await make(`/customers/${customer.id}/links`, {})
  await client.delete(`/customers/${customer.id}/links/${revoked.id}`)
  const ended = await make(`/customers/${customer.id}/links`, {})
  await test.ctx.db
    .updateTable('sharedLinks')
    .set({ endsAt: new Date(Date.now() - 1000) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', ended.id)
    .execute()
  const alter = (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
  const refused = (url: string) => [
    ...[stranger.link, stranger.address, revoked, ended].map(({ token }) => token),
    url.startsWith('/customer/') ? address.token : link.token,
    alter(link.token),
    alter(address.token),
    link.token.toUpperCase(),
    `${link.token} `,
    '',
    'plml_',
    "' or 1=1 --",
    client.apiKey,
  ]
  const bodies = new Set<string>()

  for (const url of urlsOf(world))
    for (const token of refused(url)) {
      const { statusCode, body } = await get(withToken(url, token))
      expect([url, token, statusCode]).toEqual([url, token, 404])
      const { instance: _, ...problem } = JSON.parse(body) as Record<string, unknown>
      bodies.add(JSON.stringify(problem))
    }

  expect(bodies.size).toBe(1)
})

it('does not open another workspace, customer, address, version or SBOM with a token that works', async () => {
  const world = await givenWorld()
  const stranger = await givenWorld()
  const { link, address, workspaceId } = world
  const elsewhere = [
    ...urlsOf(stranger),
    ...urlsOf(world).map((url) => url.replace(workspaceId, crypto.randomUUID())),
    ...urlsOf(world).map((url) => url.replace(workspaceId, 'x')),
    `/standing/${workspaceId}/${stranger.address.id}/openvex.json`,
    `/standing/${workspaceId}/${world.customer.id}/openvex.json`,
    `/standing/${workspaceId}/${link.id}/index.json`,
    `/customer/${workspaceId}/version?firmware=gateway&version=2.0`,
    `/customer/${workspaceId}/version?firmware=gateway&version=${encodeURIComponent("1.0' or '1'='1")}`,
    `/customer/${workspaceId}/api/statements?firmware=%25&version=%25`,
    `/customer/${workspaceId}/advisories/2026/..%2F..%2Fapi.json`,
  ]
  for (const url of elsewhere)
    for (const { token } of [link, address]) {
      const { statusCode } = await get(withToken(url, token))
      expect([url, statusCode]).toEqual([url, 404])
    }
})

it('takes no cursor of another customer, and none that was altered', async () => {
  const [world, stranger] = [await givenWorld(), await givenWorld()]
  for (const { fleet, client } of [world, stranger]) {
    const more = Array.from({ length: 3 }, (_, index) => ({ id: `more-${index}` }))
    for (const device of more) await client.post('/devices', device)
    await client.put(`/deployment-cohorts/${fleet.cohortId}/devices`, {
      deviceIds: [...more.map(({ id }) => id), 'device-000'],
    })
  }
  const urlOf = ({ workspaceId, link }: World, query: string) =>
    withToken(`/customer/${workspaceId}/api/devices?limit=1${query}`, link.token)
  const first = JSON.parse((await get(urlOf(world, ''))).body) as { nextCursor: string }

  expect((await get(urlOf(world, `&cursor=${first.nextCursor}`))).statusCode).toBe(200)
  expect((await get(urlOf(stranger, `&cursor=${first.nextCursor}`))).statusCode).toBe(400)
  expect((await get(urlOf(world, `&cursor=A${first.nextCursor}`))).statusCode).toBe(400)
})

it('gives no other method, and nothing of the API of the team', async () => {
  const world = await givenWorld()
  const { workspaceId, link, customer } = world
  for (const url of urlsOf(world))
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await test.app.inject({ method, url: withToken(url, link.token) })
      expect([method, url, answer.statusCode]).toEqual([method, url, 404])
    }
  for (const path of [
    '/deployment-cohorts',
    '/customers',
    `/customers/${customer.id}/page`,
    '/audit-log',
  ]) {
    const url = `/workspaces/${workspaceId}${path}`
    const authorization = `Bearer ${link.token}`
    expect([path, (await get(url, { authorization })).statusCode]).toEqual([path, 401])
    expect([path, (await get(withToken(url, link.token))).statusCode]).toEqual([path, 401])
  }
})
