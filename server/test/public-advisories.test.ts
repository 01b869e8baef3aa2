/** What everybody sees of a workspace that publishes, over real HTTP, and what the service's own reader of such feeds makes of it. */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { type Browser, givenMember } from './given-people.ts'
import { type Client, givenClient, matchedSboms, upload } from './given.ts'
import {
  type DeadlineRule,
  judgeDeadlines,
} from '../src/features/alert-evaluation/clock-rules-service.ts'
import { readDueFeed } from '../src/features/supplier-feeds/reading-service.ts'
import { SupplierDocumentsRead } from '../src/features/supplier-feeds/schemas.ts'

let test: TestApp
let origin: string

beforeAll(async () => {
  test = await startTestApp()
  const { ctx, app } = test
  ctx.config.webhooks = { ...ctx.config.webhooks, allowedHosts: [{ net: '127.0.0.1', prefix: 32 }] }
  ctx.http.refusalOf = () => Promise.resolve(undefined)
  await app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  ctx.config.publicUrl = origin
  await test.startWorker()
})

interface Publisher extends Client {
  admin: Browser
  at: (path: string) => string
}

async function givenPublisher(isPublic = true): Promise<Publisher> {
  const client = await givenClient(test)
  const { browser: admin } = await givenMember(test, client.workspaceId, 'Admin')
  await client.put('/advisory-publisher', {
    isPublic,
    prefix: 'ACME',
    name: 'Acme GmbH',
    contact: 'psirt@acme.example',
    contacts: ['psirt@acme.example', 'https://acme.example/report'],
    policyAddress: 'https://acme.example/policy',
  })
  return { ...client, admin, at: (path) => `${origin}/public/${client.workspaceId}/${path}` }
}

const SUMMARY = '<script>alert(1)</script> & "x" \u202Etxt.exe =1+1'

/** An advisory about a version: it is affected, and has to be replaced. */
async function givenAdvisory(client: Publisher, { isPublished = true, title = 'A flaw' } = {}) {
  const slug = `gateway-${crypto.randomUUID().slice(0, 8)}`
  const firmware = await client.post('/firmwares', { slug, name: slug })
  const path = `/firmwares/${firmware.json<{ id: string }>().id}/versions`
  const version = await client.post(path, { name: '1.0.0' })
  const firmwareVersionId = version.json<{ id: string }>().id
  const made = await client.post('/security-advisories', { title })
  const { id } = made.json<{ id: string }>()
  const changed = await client.patch(`/security-advisories/${id}`, {
    summary: SUMMARY,
    vulnerabilities: [
      {
        vulnerabilityId: 'CVE-2026-4711',
        title: '<b>Bold</b>',
        description: 'What happens.',
        exploitation: null,
        cvssVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        cweId: 'CWE-787',
        statuses: [{ firmwareVersionId, status: 'KnownAffected' }],
        remediations: [
          {
            kind: 'Workaround',
            details: 'Switch it off.',
            url: 'https://acme.example/how?a=1&b=2',
            firmwareVersionIds: [firmwareVersionId],
          },
        ],
      },
    ],
  })
  expect([changed.statusCode, changed.body]).toEqual([200, changed.body])
  if (isPublished) await publish(client, id)
  const shown = await client.get(`/security-advisories/${id}`)
  const { trackingId } = shown.json<{ trackingId: string | null }>()
  return { id, slug, trackingId: trackingId ?? '' }
}

async function publish(client: Publisher, id: string) {
  const path = `/workspaces/${client.workspaceId}/security-advisories/${id}/publish`
  const done = await client.admin.post(path, { summary: 'First publication.' })
  expect([done.statusCode, done.body]).toEqual([200, done.body])
}

const open = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { redirect: 'error', headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const FILES = ['', 'provider-metadata.json', 'csaf-feed-tlp-white.json', 'index.txt', 'changes.csv']

it('answers nothing before somebody switches it on, as if there were no such workspace', async () => {
  const client = await givenPublisher(false)
  const { trackingId } = await givenAdvisory(client)
  const name = `${new Date().getUTCFullYear()}/${trackingId.toLowerCase()}`
  const files = [...FILES, `${name}.json`, `${name}.json.sha512`, `${name}.html`]

  const closed = await Promise.all(files.map((one) => open(client.at(one))))
  const nobody = await open(`${origin}/public/${crypto.randomUUID()}/`)
  await client.patch('/advisory-publisher', { isPublic: true })
  const opened = await Promise.all(files.map((one) => open(client.at(one))))

  expect(closed.map(({ status }) => status)).toEqual(files.map(() => 404))
  const withoutIds = (text: string | undefined) => text?.replaceAll(/[0-9a-f-]{36}/g, '')
  expect(withoutIds(closed[0]?.text)).toBe(withoutIds(nobody.text))
  expect(opened.map(({ status }) => status)).toEqual(files.map(() => 200))
})

it('shows neither drafts nor advisories of others, nor changes before they are published', async () => {
  const [client, other] = [await givenPublisher(), await givenPublisher()]
  const draft = await givenAdvisory(client, { isPublished: false, title: 'Secret draft' })
  const published = await givenAdvisory(client, { title: 'Known flaw' })
  await client.patch(`/security-advisories/${published.id}`, { summary: 'Secret change' })
  const name = `${new Date().getUTCFullYear()}/${published.trackingId.toLowerCase()}.json`

  const all = await Promise.all(
    [...FILES, name, name.replace('.json', '.html')].map((one) => open(client.at(one))),
  )

  const texts = all.map(({ text }) => text).join('\n')
  expect(texts).toContain('Known flaw')
  expect(texts).not.toMatch(/Secret/)
  expect(texts).not.toContain(draft.id)
  expect(published.trackingId).toMatch(/-0001$/)
  for (const path of [
    name,
    name.replace('0001', '0002'),
    '2026/..%2f..',
    '..%2fx/y.json',
    '2026/x',
  ])
    expect((await open(other.at(path))).status).toBe(404)
})

it('has checksums, entity tags and pages that run nothing, and never redirects', async () => {
  const client = await givenPublisher()
  const { trackingId } = await givenAdvisory(client)
  const name = `${new Date().getUTCFullYear()}/${trackingId.toLowerCase()}.json`
  const document = await open(client.at(name))
  const hash = await open(client.at(`${name}.sha512`))
  const page = await open(client.at(name.replace('.json', '.html')))

  expect(hash.text).toBe(
    `${createHash('sha512').update(document.text).digest('hex')}  ${name.slice(5)}\n`,
  )
  const tag = document.headers.get('etag') ?? ''
  expect((await open(client.at(name), { 'if-none-match': tag })).status).toBe(304)
  expect(document.headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(document.text)).toMatchObject({ document: { notes: [{ text: SUMMARY }] } })
  expect(page.text).not.toMatch(/<script|<b>/)
  expect(page.text).toContain('&lt;script&gt;')
  expect(page.text).toContain('https://acme.example/how?a=1&amp;b=2')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
  expect((await open(`${origin}/public/${client.workspaceId}`)).status).toBe(200)
})

it('tells programs where everything is', async () => {
  const client = await givenPublisher()
  const { trackingId } = await givenAdvisory(client)
  const metadata = JSON.parse((await open(client.at('provider-metadata.json'))).text) as {
    canonical_url: string
    distributions: { rolie: { feeds: { url: string }[] } }[]
  }

  const feed = JSON.parse(
    (await open(metadata.distributions[0]?.rolie.feeds[0]?.url ?? '')).text,
  ) as { feed: { entry: { id: string; content: { src: string }; link: { href: string }[] }[] } }

  expect(metadata.canonical_url).toBe(client.at('provider-metadata.json'))
  expect(metadata).toMatchObject({ role: 'csaf_provider', publisher: { name: 'Acme GmbH' } })
  const [entry] = feed.feed.entry
  expect(entry?.id).toBe(trackingId)
  for (const url of [entry?.content.src ?? '', ...(entry?.link.map(({ href }) => href) ?? [])])
    expect((await open(url)).status).toBe(200)
})

it('lists the same documents in its folder as in its feed, the newest change first', async () => {
  const client = await givenPublisher()
  const [older, newer] = [await givenAdvisory(client), await givenAdvisory(client)]
  const year = new Date().getUTCFullYear()
  const pathOf = ({ trackingId }: { trackingId: string }) =>
    `${year}/${trackingId.toLowerCase()}.json`

  const [index, changes, page] = await Promise.all(
    ['index.txt', 'changes.csv', ''].map((one) => open(client.at(one))),
  )

  expect(index?.text).toBe(`${pathOf(newer)}\n${pathOf(older)}\n`)
  const folder = await open(client.at(`${year}/`))
  const other = await open(client.at('1999/'))
  expect([folder.status, other.status]).toEqual([200, 404])
  expect(folder.text).toContain(`href="${client.at(pathOf(older))}"`)
  const rows = (changes?.text ?? '').trimEnd().split('\n')
  const read = rows.map((row) => /^"([^"]+)","(\d{4}-\d\d-\d\dT[\d:.]+Z)"$/.exec(row)?.slice(1))
  expect(read.map((row) => row?.[0])).toEqual([pathOf(newer), pathOf(older)])
  expect(String(read[0]?.[1]) >= String(read[1]?.[1])).toBe(true)
  for (const one of [older, newer]) {
    expect(page?.text).toContain(`href="${client.at(pathOf(one))}"`)
    expect((await open(client.at(pathOf(one)))).status).toBe(200)
  }
})

it('writes the text of a security.txt to sign and serve elsewhere', async () => {
  const client = await givenPublisher()

  const { securityText, securityTextExpiresAt } = (await client.get('/advisory-publisher')).json<{
    securityText: string
    securityTextExpiresAt: string
  }>()

  const lines = securityText.split('\n')
  expect(lines.filter((line) => line.startsWith('Contact:'))).toEqual([
    'Contact: mailto:psirt@acme.example',
    'Contact: https://acme.example/report',
  ])
  expect(lines).toContain(`CSAF: ${client.at('provider-metadata.json')}`)
  expect(lines).toContain('Policy: https://acme.example/policy')
  expect(lines.filter((line) => line === `Expires: ${securityTextExpiresAt}`)).toHaveLength(1)
  expect(Date.parse(securityTextExpiresAt) - Date.now()).toBeGreaterThan(0)
})

it('tells by alerts before the security.txt expires that people said they serve, as good practice', async () => {
  const client = await givenPublisher()
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await client.patch('/advisory-publisher', { securityTextServedUntil: soon })
  const [rule] = [
    {
      id: crypto.randomUUID(),
      type: 'CaseDeadline',
      windowEnd: new Date(),
      condition: { includesDrills: true, includesGoodPractice: true },
    },
  ] as unknown as DeadlineRule[]
  const judge = (condition: object) =>
    test.ctx.db
      .transaction()
      .execute((tx) =>
        judgeDeadlines(tx, client.workspaceId, [{ ...rule, condition } as DeadlineRule]),
      )

  const [told] = await judge({ includesDrills: true, includesGoodPractice: true })
  const [lawAlone] = await judge({ includesDrills: true, includesGoodPractice: false })
  await client.patch('/advisory-publisher', { securityTextServedUntil: null })
  const [unsaid] = await judge({ includesDrills: true, includesGoodPractice: true })

  expect(told?.meeting).toMatchObject([{ series: 'security-text/7d' }])
  expect([lawAlone?.meeting, unsaid?.meeting]).toEqual([[], []])
})

it.each`
  change                                                 | pointer
  ${{ contacts: ['mailto:a@b.example\nContact: evil'] }} | ${'/contacts/0'}
  ${{ contacts: ['ftp://a.example'] }}                   | ${'/contacts/0'}
  ${{ publicAddress: 'javascript:alert(1)' }}            | ${'/publicAddress'}
  ${{ policyAddress: 'https://a:b@acme.example/' }}      | ${'/policyAddress'}
  ${{ prefix: '../..' }}                                 | ${'/prefix'}
`('refuses $change', async ({ change, pointer }) => {
  const client = await givenPublisher()
  const response = await client.patch('/advisory-publisher', change as object)
  expect(response.statusCode).toBe(400)
  expect(response.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer)
})

it('is switched on by admins alone', async () => {
  const client = await givenPublisher(false)
  const { browser } = await givenMember(test, client.workspaceId, 'Engineer')
  const path = `/workspaces/${client.workspaceId}/advisory-publisher`

  expect((await browser.patch(path, { isPublic: true })).statusCode).toBe(403)
  expect((await client.admin.patch(path, { isPublic: true })).json()).toMatchObject({
    isPublic: true,
  })
})

it('is read back by a subscriber with the same checksums and the same statements, until it is withdrawn', async () => {
  const [client, subscriber] = [await givenPublisher(), await givenClient(test)]
  const { id, slug, trackingId } = await givenAdvisory(client)
  const version = await givenHolder(subscriber, slug)
  const made = await subscriber.post('/supplier-feeds', {
    name: `Acme ${slug}`,
    url: client.at('provider-metadata.json'),
  })
  const feedId = made.json<{ id: string }>().id

  const feed = await readFeed(subscriber, feedId)

  expect(feed).toMatchObject({
    error: null,
    documents: { listed: 1, read: 1, refused: 0 },
    effects: { statementCount: 1, firmwareVersionCount: 1, affectedWithoutFindingCount: 1 },
  })
  const affected = await subscriber.get(`/supplier-feeds/${feedId}/affected-without-finding`)
  expect(affected.json()).toMatchObject({
    statements: [
      {
        vulnerability: 'CVE-2026-4711',
        firmwareVersionId: version,
        document: trackingId,
        detail: 'Switch it off.',
      },
    ],
  })
  const { rows } = await sql<{ document: object }>`
    select document from supplier_documents where workspace_id = ${subscriber.workspaceId}`.execute(
    test.ctx.db,
  )
  const published = (await client.get(`/security-advisories/${id}/document?revision=1`)).body
  expect(rows.map(({ document }) => document)).toEqual([JSON.parse(published)])

  const path = `/workspaces/${client.workspaceId}/security-advisories/${id}/withdraw`
  await client.admin.post(path, { reason: 'Not in our products.' })
  expect((await readFeed(subscriber, feedId)).effects).toMatchObject({ statementCount: 0 })
})

/** A version of somebody else that holds ours as a component. */
async function givenHolder(client: Client, slug: string): Promise<string> {
  const firmware = await client.post('/firmwares', { slug: `plant-${slug}` })
  const path = `/firmwares/${firmware.json<{ id: string }>().id}/versions`
  const firmwareVersionId = (await client.post(path, { name: '7' })).json<{ id: string }>().id
  const component = {
    type: 'firmware',
    'bom-ref': slug,
    name: slug,
    version: '1.0.0',
    purl: `pkg:generic/${slug}@1.0.0`,
  }
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] }
  const files = [{ name: 'plant.cdx.json', bytes: JSON.stringify(bom) }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  return firmwareVersionId
}

async function readFeed(client: Client, feedId: string) {
  await client.post(`/supplier-feeds/${feedId}/read`)
  while (await readDueFeed(test.ctx, new AbortController().signal));
  while (await isApplying()) await delay(50)
  return (await client.get(`/supplier-feeds/${feedId}`)).json<{
    error: string | null
    effects: object
  }>()
}

async function isApplying(): Promise<boolean> {
  const { rows } = await sql`
    select from pgboss.job where name = ${SupplierDocumentsRead.name} and state < 'completed' limit 1`.execute(
    test.ctx.db,
  )
  return rows.length > 0
}
