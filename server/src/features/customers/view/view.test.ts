/** What a customer reads, and what it never reads. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenDecision, givenMatchedSbom, givenProduct } from '../../../../test/given-findings.ts'
import { givenFleet, givenFleetDevices } from '../../../../test/given-fleet.ts'
import { givenMember } from '../../../../test/given-people.ts'
import { judgeSupport } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

/** Devices of a customer that run 1.0, of which one thing is decided and one is not, and another customer's. */
async function givenCustomer() {
  const fleet = await givenFleet(test, 2)
  const { client, workspaceId, versions } = fleet
  const { cpes, product, cveIds } = await givenProduct(test.ctx, ['High', 'Low'])
  const firmwareVersionId = versions['1.0'] ?? ''
  const version = { workspaceId, firmwareVersionId }
  await givenMatchedSbom(test.ctx, version, [{ packageName: product, cpes }])
  await givenDecision(test.ctx, version, {
    vulnerabilityId: cveIds[0] ?? '',
    assessment: 'Exploitable',
    detail: 'The updater <b>parses</b> before it checks.',
    responses: ['update'],
  })
  for (const id of fleet.deviceIds) {
    await fleet.boots(id, '1.0')
    await client.patch(`/devices/${id}`, { description: 'SECRET shelf', tags: ['SECRET tag'] })
  }
  await client.patch(`/deployment-cohorts/${fleet.cohortId}`, { name: 'SECRET cohort' })
  await givenFleetDevices(test.ctx, workspaceId, ['theirs-1'])
  await fleet.boots('theirs-1', '3.0')
  await fleet.deploy('2.0', { name: 'SECRET roll-out', note: 'SECRET plan' })
  const made = await client.post('/customers', {
    name: 'Kraftwerk Nord',
    note: 'SECRET note',
    cohortIds: [fleet.cohortId],
    contacts: [{ email: 'secret@kraftwerk.example', name: 'SECRET person' }],
  })
  const { id: customerId } = made.json<{ id: string }>()
  const link = (await client.post(`/customers/${customerId}/links`, {})).json<{ token: string }>()
  const get = (path: string) => {
    const url = `/customer/${workspaceId}${path}`
    const query = url.includes('?') ? '&' : '?'
    return test.app.inject({ url: `${url}${query}token=${link.token}` })
  }
  return { fleet, customerId, cveIds, get, link }
}

const VERSION = '/version?firmware=gateway&version=1.0'

it('reads its devices, what they run, what was said of that, and what is on its way', async () => {
  const { get, cveIds } = await givenCustomer()

  expect((await get('/api')).json()).toMatchObject({
    customer: 'Kraftwerk Nord',
    devices: { total: 2, silent: 0 },
    versions: [
      {
        slug: 'gateway',
        version: '1.0',
        deviceCount: 2,
        isKnown: true,
        isSupported: null,
        statements: { affected: 1, notAssessed: 1, notAffected: 0 },
      },
    ],
    updates: [{ version: '2.0', waiting: 2, inProgress: 0 }],
    advisories: [],
  })
  expect((await get('/api/statements?firmware=gateway&version=1.0')).json()).toMatchObject({
    notAssessed: 1,
    statements: [{ vulnerability: cveIds[0], assessment: 'Exploitable', responses: ['update'] }],
  })
  const page = await get(VERSION)
  expect(page.body).toContain('The updater &lt;b&gt;parses&lt;/b&gt; before it checks.')
  expect(page.body).toContain('1 possible vulnerability was not assessed yet')
})

it('reads nothing of other devices, and nothing that the team wrote for itself', async () => {
  const { get, fleet, customerId } = await givenCustomer()
  const paths = [
    '',
    VERSION,
    '/api',
    '/api/devices',
    '/api/statements?firmware=gateway&version=1.0',
  ]

  const answers = await Promise.all(paths.map(get))

  for (const { statusCode, body } of answers) {
    expect(statusCode).toBe(200)
    expect(body).not.toMatch(/SECRET|secret@|theirs-1|3\.0/)
    for (const id of [fleet.cohortId, customerId, ...Object.values(fleet.versions)])
      expect(body).not.toContain(id)
  }
  const other = await get('/version?firmware=gateway&version=3.0')
  expect([other.statusCode, other.json<{ type: string }>().type]).toEqual([
    404,
    '/problems/not-among-your-devices',
  ])
})

it('has pages that run and load nothing', async () => {
  const { get } = await givenCustomer()

  for (const page of [await get(''), await get(VERSION)]) {
    expect(page.headers['content-security-policy']).toMatch(/default-src 'self'/)
    expect(page.body).not.toMatch(/<script|<img|<link|src=|javascript:|style="/i)
  }
})

it('is shown to the team exactly, except the end of the link and where links lead', async () => {
  const { get, fleet, customerId } = await givenCustomer()
  const { browser } = await givenMember(test, fleet.workspaceId, 'Viewer')
  const base = `/workspaces/${fleet.workspaceId}/customers/${customerId}/page`
  const strip = (body: string) =>
    body
      .replaceAll(/href="[^"]*"/g, '')
      .replaceAll(/ This link works until [^.]*\./g, '')
      .replaceAll(/, as .* knows them at [^.]*\./g, '')

  const seen = await browser.get(base)

  expect([seen.statusCode, strip(seen.body)]).toEqual([200, strip((await get('')).body)])
  const version = await browser.get(`${base}${VERSION}`)
  expect(strip(version.body)).toBe(strip((await get(VERSION)).body))
  const links = await fleet.client.get(`/customers/${customerId}/links`)
  expect(links.json<{ links: { uses: number }[] }>().links[0]?.uses).toBe(2)
})

it('says of accepted risks that they affect it, and keeps the reason in the house', async () => {
  const { get, fleet, cveIds } = await givenCustomer()
  const version = { workspaceId: fleet.workspaceId, firmwareVersionId: fleet.versions['1.0'] ?? '' }
  await givenDecision(test.ctx, version, {
    vulnerabilityId: cveIds[1] ?? '',
    ignored: true,
    acceptance: {
      reason: 'SECRET budget',
      acceptedAt: new Date().toISOString(),
      acceptedByEmail: 'ann@example.com',
      ownerId: crypto.randomUUID(),
      ownerEmail: 'ann@example.com',
      endsAt: '2030-01-01T00:00:00.000Z',
    } as never,
  })

  const read = await get('/api/statements?firmware=gateway&version=1.0')

  expect(read.json<{ statements: object[] }>().statements).toContainEqual(
    expect.objectContaining({ vulnerability: cveIds[1], responses: ['will_not_fix'] }),
  )
  expect(read.body).not.toContain('SECRET')
})

it('answers programs 304 while nothing changed, by real requests, and a new tag as soon as something did', async () => {
  const { fleet, link } = await givenCustomer()
  await givenFleetDevices(
    test.ctx,
    fleet.workspaceId,
    Array.from({ length: 120 }, (_, index) => `silent-${index}`),
    { tags: ['nord'] },
  )
  const { customers } = (await fleet.client.get('/customers')).json<{
    customers: { id: string }[]
  }>()
  await fleet.client.patch(`/customers/${customers[0]?.id ?? ''}`, { tag: 'nord' })
  const url = await test.app.listen({ port: 0, host: '127.0.0.1' })
  const ask = async (path: string, tag?: string | null) => {
    const query = path.includes('?') ? '&' : '?'
    const answer = await fetch(
      `${url}/customer/${fleet.workspaceId}${path}${query}token=${link.token}`,
      { headers: tag ? { 'if-none-match': tag } : {} },
    )
    return { status: answer.status, tag: answer.headers.get('etag'), body: await answer.text() }
  }
  const paths = ['/api', '/api/devices', '/api/statements?firmware=gateway&version=1.0']

  for (const path of paths) {
    const first = await ask(path)
    const second = await ask(path)
    const known = await ask(path, first.tag)
    expect([path, first.status, second.tag]).toEqual([path, 200, first.tag])
    expect(known).toEqual({ status: 304, tag: first.tag, body: '' })
  }
  const before = await ask('/api')
  const devices = await ask('/api/devices')
  expect(JSON.parse(before.body)).toMatchObject({
    devices: { total: 122, silent: 120 },
    versions: [{ version: '1.0', deviceCount: 2 }],
  })
  await fleet.boots('device-000', '3.0')
  const after = await ask('/api', before.tag)
  expect([after.status, after.tag === before.tag]).toEqual([200, false])
  expect((await ask('/api/devices', devices.tag)).status).toBe(200)
})

it('reads advisories about its versions once they are published, as they were published', async () => {
  const { get, fleet, cveIds } = await givenCustomer()
  const { browser } = await givenMember(test, fleet.workspaceId, 'Admin')
  const base = `/workspaces/${fleet.workspaceId}/security-advisories`
  const fixed = { workspaceId: fleet.workspaceId, firmwareVersionId: fleet.versions['2.0'] ?? '' }
  const cpes = ['cpe:2.3:a:acme:harmless:2.0:*:*:*:*:*:*:*']
  await givenMatchedSbom(test.ctx, fixed, [{ packageName: 'harmless', cpes }])
  const drafted = await browser.post(base, {
    fromVersionId: fleet.versions['1.0'],
    toVersionId: fleet.versions['2.0'],
    cveIds: cveIds.slice(0, 1),
  })
  expect([drafted.statusCode, drafted.body]).toEqual([201, drafted.body])
  const { id } = drafted.json<{ id: string }>()
  const listOf = async () =>
    (await get('/api')).json<{ advisories: { name: string }[] }>().advisories
  expect(await listOf()).toEqual([])
  const { vulnerabilities } = drafted.json<{ vulnerabilities: object[] }>()
  const firmwareVersionIds = [fleet.versions['1.0']]
  const remedy = { kind: 'NoneAvailable', details: 'Switch it off.', url: null, firmwareVersionIds }
  await browser.patch(`${base}/${id}`, {
    vulnerabilities: vulnerabilities.map((one) => ({ ...one, remediations: [remedy] })),
  })
  const published = await browser.post(`${base}/${id}/publish`, { summary: 'First.' })
  expect([published.statusCode, published.body]).toEqual([200, published.body])

  const [told] = await listOf()
  const document = await get(`/advisories/${told?.name ?? ''}.json`)
  const page = await get(`/advisories/${told?.name ?? ''}.html`)
  const stored = await test.ctx.db
    .selectFrom('securityAdvisoryRevisions')
    .select(['document', 'sha512'])
    .where('workspaceId', '=', fleet.workspaceId)
    .executeTakeFirstOrThrow()

  expect(document.body).toBe(stored.document)
  expect([page.statusCode, page.body.includes(stored.sha512)]).toEqual([200, true])
  expect((await get('')).body).toContain(`/advisories/${told?.name ?? ''}.html`)
  await fleet.boots('device-000', '3.0')
  await fleet.boots('device-001', '3.0')
  expect((await get(`/advisories/${told?.name ?? ''}.json`)).statusCode).toBe(404)
})

interface SupportExample {
  endsOn: string | null
  endsIn: string | null
  today: string
  expected: boolean | null
}

it.each`
  endsOn          | endsIn       | today           | expected
  ${'2026-12-01'} | ${null}      | ${'2026-11-30'} | ${true}
  ${'2026-12-01'} | ${null}      | ${'2026-12-01'} | ${false}
  ${null}         | ${'2026-12'} | ${'2026-12-31'} | ${true}
  ${null}         | ${'2026-12'} | ${'2027-01-01'} | ${false}
  ${null}         | ${null}      | ${'2026-12-31'} | ${null}
`(
  'is told on $today that fixes until $endsOn$endsIn come: $expected',
  ({ endsOn, endsIn, today, expected }: SupportExample) => {
    const support = { supportEndsOn: endsOn, supportEndsIn: endsIn }
    expect(judgeSupport(support, new Date(`${today}T12:00:00Z`))).toBe(expected)
  },
)
