/** Advisories through the API: what a draft proposes, what people change, and what leaves the house. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenDecision, givenMatchedSbom, givenProduct } from '../../../test/given-findings.ts'
import { type Browser, givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { encodeFindingId } from '../../formats/finding-id.ts'

let test: TestApp
let client: Client
let people: Record<'engineer' | 'admin' | 'viewer', Browser>
let now = new Date('2026-11-03T10:00:00.000Z')

beforeAll(async () => {
  test = await startTestApp()
  Object.assign(test.ctx, { now: () => now })
  client = await givenClient(test)
  const member = async (role: 'Engineer' | 'Admin' | 'Viewer') =>
    (await givenMember(test, client.workspaceId, role)).browser
  people = {
    engineer: await member('Engineer'),
    admin: await member('Admin'),
    viewer: await member('Viewer'),
  }
})

interface Shown {
  id: string
  trackingId: string | null
  title: string
  summary: string
  state: string
  missing: string[]
  products: { firmwareVersionId: string; version: string; manufacturer: string }[]
  vulnerabilities: {
    vulnerabilityId: string
    statuses: { firmwareVersionId: string; status: string }[]
    remediations: { kind: string; details: string; firmwareVersionIds: string[] }[]
  }[]
  revisions: { number: number; publishedAt: string; sha512: string; isWithdrawal: boolean }[]
  documentUrl: string | null
}

const path = (more: string) => `/workspaces/${client.workspaceId}/security-advisories${more}`

let count = 10_000

/** Versions of one firmware. 1.0 and 1.1 have the flaw, 2.0 has not. Nothing is known of 3.0. */
async function givenFirmware() {
  const vulnerabilityId = `CVE-2026-${++count}`
  const { cpes, product } = await givenProduct(test.ctx, ['High'], { id: vulnerabilityId })
  const slug = `gateway-${crypto.randomUUID().slice(0, 8)}`
  const firmware = (await client.post('/firmwares', { slug, name: 'Gateway' })).json<{
    id: string
  }>()
  const versions: Record<string, string> = {}
  for (const name of ['1.0', '1.1', '2.0', '3.0']) {
    now = new Date(now.getTime() + 60_000)
    const made = await client.post(`/firmwares/${firmware.id}/versions`, { name })
    const { id } = made.json<{ id: string }>()
    versions[name] = id
    const held = name === '2.0' ? [cpes[0]?.replace(':1.0:', ':2.0:') ?? ''] : cpes
    if (name !== '3.0')
      await givenMatchedSbom(test.ctx, { workspaceId: client.workspaceId, firmwareVersionId: id }, [
        { packageName: product, cpes: held },
      ])
  }
  return { firmwareId: firmware.id, versions, vulnerabilityId }
}

type Given = Awaited<ReturnType<typeof givenFirmware>>
const idOf = ({ versions }: Given, name: string) => versions[name] ?? ''
const decide = (given: Given, name: string, assessment: 'Exploitable' | 'NotAffected') =>
  givenDecision(
    test.ctx,
    { workspaceId: client.workspaceId, firmwareVersionId: idOf(given, name) },
    { vulnerabilityId: given.vulnerabilityId, assessment },
  )
const draft = async (body: object) =>
  (await client.post('/security-advisories', body)).json<Shown>()
const difference = (given: Given) =>
  draft({ fromVersionId: idOf(given, '1.0'), toVersionId: idOf(given, '2.0') })
const read = async (id: string) => (await client.get(`/security-advisories/${id}`)).json<Shown>()
const publish = (id: string, by: Browser = people.admin) =>
  by.post(path(`/${id}/publish`), { summary: 'First publication.' })
const statusesOf = ({ products, vulnerabilities }: Shown) =>
  Object.fromEntries<string>(
    (vulnerabilities[0]?.statuses ?? []).map(({ firmwareVersionId, status }) => {
      const product = products.find((one) => one.firmwareVersionId === firmwareVersionId)
      return [product?.version ?? '', status] as const
    }),
  )
const typeOf = (response: { body: string }) => (JSON.parse(response.body) as { type: string }).type

async function givenPublished() {
  const given = await givenFirmware()
  await decide(given, '1.0', 'Exploitable')
  await decide(given, '1.1', 'Exploitable')
  const { id } = await difference(given)
  const response = await publish(id)
  expect([response.statusCode, response.body]).toEqual([200, response.body])
  return { given, shown: response.json<Shown>() }
}

it('says of each version what was decided, and nothing of a version without components', async () => {
  const given = await givenFirmware()
  await decide(given, '1.0', 'Exploitable')

  const made = await difference(given)

  expect(statusesOf(made)).toEqual({
    '1.0': 'KnownAffected',
    '1.1': 'UnderInvestigation',
    '2.0': 'Fixed',
  })
  expect(made).toMatchObject({ state: 'Draft', trackingId: null, missing: [], documentUrl: null })
  expect(made.vulnerabilities[0]?.remediations).toMatchObject([
    { kind: 'VendorFix', details: 'Update to Gateway 2.0.' },
  ])
})

it('makes the same of a finding and of a case, for which the line names the manufacturer', async () => {
  const given = await givenFirmware()
  const held = await test.ctx.db
    .selectFrom('firmwareVersionPackages')
    .select('packageId')
    .where('firmwareVersionId', '=', idOf(given, '1.0'))
    .executeTakeFirstOrThrow()
  const { vulnerabilityId } = given
  const key = { ...held, firmwareVersionId: idOf(given, '1.0'), vulnerabilityId }
  const line = await client.post('/product-lines', {
    name: `Line ${crypto.randomUUID()}`,
    manufacturer: 'Acme GmbH',
    firmwareIds: [given.firmwareId],
  })
  const made = await client.post('/cases', {
    type: 'Vulnerability',
    title: 'A flaw in gateways',
    cveId: vulnerabilityId,
    productLineIds: [line.json<{ id: string }>().id],
  })
  const { id: caseId } = made.json<{ id: string }>()
  const ofCase = await draft({ caseId })
  await client.post(`/cases/${caseId}/answers`, { question: 'CanBeExploited', answer: 'Yes' })

  const ofFinding = await draft({ findingId: encodeFindingId(key) })
  const ofAnswered = await draft({ caseId })

  const open = { '1.0': 'UnderInvestigation', '1.1': 'UnderInvestigation', '2.0': 'Fixed' }
  expect([statusesOf(ofFinding), statusesOf(ofCase)]).toEqual([open, open])
  expect(statusesOf(ofAnswered)).toEqual({
    ...open,
    '1.0': 'KnownAffected',
    '1.1': 'KnownAffected',
  })
  expect(ofCase).toMatchObject({ title: 'A flaw in gateways', caseId })
  expect(ofCase.products.map(({ manufacturer }) => manufacturer)).toEqual(
    ofCase.products.map(() => 'Acme GmbH'),
  )
})

it('is made of a vulnerability in all firmware that has it, by its id or an alias, and listed by what it is of', async () => {
  const [given, other] = [await givenFirmware(), await givenFirmware()]
  const { vulnerabilityId } = given

  const made = await draft({ vulnerabilityId })
  const unknown = await client.post('/security-advisories', { vulnerabilityId: 'CVE-1999-0001' })
  const listed = await client.get(`/security-advisories?vulnerabilityId=${vulnerabilityId}`)
  const ofCase = await client.get(`/security-advisories?caseId=${crypto.randomUUID()}`)

  expect(statusesOf(made)).toEqual({
    '1.0': 'UnderInvestigation',
    '1.1': 'UnderInvestigation',
    '2.0': 'Fixed',
  })
  expect(unknown.statusCode).toBe(404)
  expect(listed.json()).toMatchObject({ securityAdvisories: [{ id: made.id, missingCount: 0 }] })
  expect(ofCase.json()).toMatchObject({ securityAdvisories: [] })
  expect(listed.body).not.toContain(other.vulnerabilityId)
})

it('shows the team the page as everybody would see it, and says that nobody does', async () => {
  const { shown } = await givenPublished()
  const summary = '<script>alert(1)</script>'
  await client.patch(`/security-advisories/${shown.id}`, { summary })
  const page = (more: string) => client.get(`/security-advisories/${shown.id}/page${more}`)

  const [next, first, none] = [await page(''), await page('?revision=1'), await page('?revision=9')]

  expect(next.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(String(next.headers['content-security-policy'])).toContain("frame-ancestors 'none'")
  expect(next.body).toContain('&lt;script&gt;')
  expect(next.body).not.toContain(summary)
  expect(next.body).toContain('Nobody else sees this page')
  expect(first.body).not.toContain('&lt;script&gt;')
  expect(none.statusCode).toBe(404)
})

it('states the score and the weakness of the preferred record, and what people write in their place', async () => {
  const { cpes, product } = await givenProduct(test.ctx, ['High'], { id: 'CVE-2026-99001' })
  const firmware = await client.post('/firmwares', { slug: 'rated', name: 'Rated' })
  const { id: firmwareId } = firmware.json<{ id: string }>()
  const version = await client.post(`/firmwares/${firmwareId}/versions`, { name: '1.0' })
  const of = {
    workspaceId: client.workspaceId,
    firmwareVersionId: version.json<{ id: string }>().id,
  }
  await givenMatchedSbom(test.ctx, of, [{ packageName: product, cpes }])
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const score = { version: '3.1', vectorString: vector, baseScore: 9.8, source: 'nvd' }
  await test.ctx.db
    .updateTable('advisoryRecords')
    .set({
      record: sql`(record::jsonb || ${JSON.stringify({ scores: [score], cweIds: ['CWE-16', 'CWE-787'] })}::jsonb)::json`,
    })
    .where('advisoryId', '=', 'CVE-2026-99001')
    .execute()

  const made = await draft({ vulnerabilityId: 'CVE-2026-99001' })
  const [one] = made.vulnerabilities
  const change = (more: object) =>
    client.patch(`/security-advisories/${made.id}`, { vulnerabilities: [{ ...one, ...more }] })

  expect(one).toMatchObject({ cvssVector: vector, cweId: 'CWE-787' })
  const document = await client.get(`/security-advisories/${made.id}/document`)
  expect(document.json<{ vulnerabilities: object[] }>().vulnerabilities[0]).toMatchObject({
    cwe: { id: 'CWE-787' },
    scores: [{ cvss_v3: { baseScore: 9.8, baseSeverity: 'CRITICAL' } }],
  })
  const [wrongVector, wrongCwe] = [
    await change({ cvssVector: 'CVSS:3.1/AV:N' }),
    await change({ cweId: 'CWE-16' }),
  ]
  expect(wrongVector.json()).toMatchObject({
    errors: [{ pointer: '/vulnerabilities/0/cvssVector' }],
  })
  expect(wrongCwe.json()).toMatchObject({ errors: [{ pointer: '/vulnerabilities/0/cweId' }] })
})

it('lets engineers write and only admins publish, as people and not as keys', async () => {
  const given = await givenFirmware()
  const { id } = await difference(given)

  const [engineer, viewer, key] = [
    await publish(id, people.engineer),
    await people.viewer.patch(path(`/${id}`), { summary: 'x' }),
    await client.post(`/security-advisories/${id}/publish`, { summary: 'First publication.' }),
  ]

  expect([engineer.statusCode, viewer.statusCode, key.statusCode]).toEqual([403, 403, 403])
  expect(typeOf(key)).toBe('/problems/needs-a-person')
  expect((await people.engineer.patch(path(`/${id}`), { summary: 'Wait.' })).statusCode).toBe(200)
  expect((await people.viewer.get(path(`/${id}`))).json()).toMatchObject({ summary: 'Wait.' })
  expect((await publish(id)).statusCode).toBe(200)
})

it('is not published while an affected version has no remedy, not even none', async () => {
  const given = await givenFirmware()
  await decide(given, '1.0', 'Exploitable')
  const { id, vulnerabilities } = await difference(given)
  const without = vulnerabilities.map((one) => ({ ...one, remediations: [] }))
  await client.patch(`/security-advisories/${id}`, { vulnerabilities: without })

  const refused = await publish(id)

  expect([refused.statusCode, typeOf(refused)]).toEqual([409, '/problems/advisory-incomplete'])
  expect(refused.json<{ detail: string }>().detail).toContain('Gateway 1.0')
  expect(typeOf(await publish((await draft({ title: 'Nothing' })).id))).toBe(
    '/problems/advisory-incomplete',
  )
})

it('waits until the day that somebody gave, with the reason', async () => {
  const given = await givenFirmware()
  const { id } = await difference(given)
  const heldUntil = new Date(now.getTime() + 600_000).toISOString()
  const alone = await client.patch(`/security-advisories/${id}`, { heldUntil })
  await client.patch(`/security-advisories/${id}`, { heldUntil, heldReason: 'Users cannot update' })

  const early = await publish(id)
  now = new Date(now.getTime() + 600_001)

  expect(alone.json()).toMatchObject({ status: 400, errors: [{ pointer: '/heldReason' }] })
  expect(typeOf(early)).toBe('/problems/advisory-held')
  expect(early.json<{ detail: string }>().detail).toContain('Users cannot update')
  expect((await publish(id)).json()).toMatchObject({ state: 'Published', heldUntil: null })
})

it('keeps number and file for ever, and every revision byte by byte', async () => {
  const { shown } = await givenPublished()
  const { id, trackingId } = shown
  expect(trackingId).toMatch(/^PSIRT-2026-[0-9]{4}$/)
  const bytes = async (revision: number) =>
    (await client.get(`/security-advisories/${id}/document?revision=${revision}`)).body
  const first = await bytes(1)
  const again = await publish(id)
  await client.patch(`/security-advisories/${id}`, { summary: 'Update now.' })
  const changed = await read(id)
  // The clock of the host jumps back.
  now = new Date(now.getTime() - 3_600_000)

  const second = (await publish(id)).json<Shown>()
  now = new Date(now.getTime() + 7_200_000)

  expect(typeOf(again)).toBe('/problems/advisory-unchanged')
  expect([changed.state, second.state, second.trackingId]).toEqual([
    'Changed',
    'Published',
    trackingId,
  ])
  expect(await bytes(1)).toBe(first)
  expect(second.revisions.map(({ number }) => number)).toEqual([1, 2])
  expect(second.revisions.map(({ publishedAt }) => publishedAt)).toEqual(
    second.revisions.map(({ publishedAt }) => publishedAt).toSorted(),
  )
  expect(second.revisions[1]?.sha512).toBe(
    createHash('sha512')
      .update(await bytes(2))
      .digest('hex'),
  )
  expect(JSON.parse(await bytes(2))).toMatchObject({
    document: {
      category: 'csaf_security_advisory',
      distribution: { tlp: { label: 'WHITE' } },
      tracking: { id: trackingId, version: '2', status: 'final' },
    },
  })
})

it('gives each number once, however many publish at the same time', async () => {
  const drafts = await Promise.all(
    Array.from({ length: 5 }, async () => difference(await givenFirmware())),
  )

  const published = await Promise.all(drafts.map(({ id }) => publish(id)))

  const numbers = published.map((one) => one.json<Shown>().trackingId)
  expect(new Set(numbers).size).toBe(5)
  expect(numbers).not.toContain(null)
})

it('takes what is published back by a revision, and never deletes it', async () => {
  const { shown } = await givenPublished()
  const { id } = shown
  const withdraw = () =>
    people.admin.post(path(`/${id}/withdraw`), { reason: 'Not in our products.' })

  const deleted = await client.delete(`/security-advisories/${id}`)
  const withdrawn = (await withdraw()).json<Shown>()
  const twice = await withdraw()

  expect([deleted.statusCode, typeOf(deleted)]).toEqual([409, '/problems/advisory-published'])
  expect(withdrawn).toMatchObject({ state: 'Withdrawn', trackingId: shown.trackingId })
  expect(withdrawn.revisions.map(({ isWithdrawal }) => isWithdrawal)).toEqual([false, true])
  expect(typeOf(twice)).toBe('/problems/advisory-already-withdrawn')
  const document = (
    await client.get(`/security-advisories/${id}/document?revision=2`)
  ).json<object>()
  expect(document).not.toHaveProperty('vulnerabilities')
  expect(JSON.stringify(document)).toContain('Not in our products.')
  expect((await publish(id)).json()).toMatchObject({ state: 'Published' })
})

it('publishes what was read, and not what somebody changed meanwhile', async () => {
  const given = await givenFirmware()
  const { id } = await difference(given)
  const seen = String((await client.get(`/security-advisories/${id}`)).headers.etag)
  await client.patch(`/security-advisories/${id}`, { summary: 'Something else.' })

  const late = await test.app.inject({
    method: 'POST',
    url: path(`/${id}/publish`),
    headers: { ...people.admin.headers, 'sec-fetch-site': 'same-origin', 'if-match': seen },
    payload: { summary: 'First publication.' },
  })

  expect(late.statusCode).toBe(412)
  expect(await read(id)).toMatchObject({ state: 'Draft', revisions: [] })
})

it('keeps the names of versions that are deleted later', async () => {
  const given = await givenFirmware()
  const { id } = await difference(given)
  await client.delete(`/firmware-versions/${idOf(given, '1.0')}`)

  const changed = await client.patch(`/security-advisories/${id}`, { summary: 'Update.' })

  expect(changed.json<Shown>().products.map(({ version }) => version)).toContain('1.0')
})

it('keeps texts as they are, whatever is in them', async () => {
  const { id } = await difference(await givenFirmware())
  const summary = '<script>alert(1)</script>\n=cmd|"/c calc"!A1 \u202Etxt.exe 🦊'

  await client.patch(`/security-advisories/${id}`, { summary })

  expect((await read(id)).summary).toBe(summary)
  const document = (await client.get(`/security-advisories/${id}/document`)).json<object>()
  expect(document).toMatchObject({
    document: { notes: [{ text: summary }], tracking: { status: 'draft' } },
  })
})

it.each`
  vulnerabilities                                 | pointer
  ${[{ firmwareVersionId: crypto.randomUUID() }]} | ${'/vulnerabilities/0/statuses/0/firmwareVersionId'}
  ${'twice'}                                      | ${'/vulnerabilities/1/vulnerabilityId'}
  ${'javascript'}                                 | ${'/vulnerabilities/0/remediations/0/url'}
  ${'nul'}                                        | ${'/vulnerabilities/0/description'}
`('refuses $vulnerabilities, and names $pointer', async ({ vulnerabilities, pointer }) => {
  const { id, vulnerabilities: known } = await difference(await givenFirmware())
  const [first] = known
  if (!first) throw new Error('The draft has no vulnerability.')
  const [remedy] = first.remediations
  const bodies: Record<string, object[]> = {
    twice: [first, first],
    javascript: [{ ...first, remediations: [{ ...remedy, url: 'javascript:alert(1)' }] }],
    nul: [{ ...first, description: 'a\u0000b' }],
  }
  const statuses = [{ firmwareVersionId: crypto.randomUUID(), status: 'Fixed' }]
  const given = bodies[String(vulnerabilities)] ?? [{ ...first, statuses }]

  const response = await client.patch(`/security-advisories/${id}`, { vulnerabilities: given })

  expect(response.statusCode).toBe(400)
  expect(response.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer)
})

it('makes nothing of versions of which nothing can be told', async () => {
  const [given, other] = [await givenFirmware(), await givenFirmware()]
  const ask = (from: string, to: string) =>
    client.post('/security-advisories', { fromVersionId: from, toVersionId: to })

  const same = await ask(idOf(given, '1.0'), idOf(given, '1.1'))
  const unknown = await ask(idOf(given, '1.0'), idOf(given, '3.0'))
  const others = await ask(idOf(given, '1.0'), idOf(other, '2.0'))

  expect([typeOf(same), typeOf(unknown)]).toEqual([
    '/problems/advisory-says-nothing',
    '/problems/advisory-says-nothing',
  ])
  expect(others.statusCode).toBe(400)
  expect((await client.post('/security-advisories', {})).statusCode).toBe(400)
})

it('is of its workspace alone, by id and by number', async () => {
  const { shown } = await givenPublished()
  const stranger = await givenClient(test)

  for (const id of [shown.id, shown.trackingId ?? ''])
    for (const more of ['', '/document', '/document?revision=1'])
      expect((await stranger.get(`/security-advisories/${id}${more}`)).statusCode).toBe(404)
  expect((await stranger.get('/security-advisories')).json()).toMatchObject({
    securityAdvisories: [],
  })
  expect((await client.get(`/security-advisories/${shown.trackingId}`)).statusCode).toBe(200)
  const log = await client.get(`/audit-log?resourceType=security-advisory&resourceId=${shown.id}`)
  expect(log.json<{ entries: { action: string }[] }>().entries.map(({ action }) => action)).toEqual(
    ['security-advisory.publish', 'security-advisory.create'],
  )
})
