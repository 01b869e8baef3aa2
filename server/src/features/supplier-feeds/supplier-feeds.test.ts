/** What a supplier publishes counts in the workspace that subscribed, and in no other. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, beforeAll, afterEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type FeedServer, startFeedServer } from '../../../test/feed-server.ts'
import { csafDocument } from '../../../test/given-csaf.ts'
import { publishCsafFeed, providerMetadata } from '../../../test/given-publishers.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { readDueFeed } from './reading-service.ts'
import { SupplierDocumentsRead, SupplierDocumentsWithdrawn } from './schemas.ts'

let test: TestApp
let server: FeedServer

beforeAll(async () => {
  const { ctx } = await startTestApp().then((opened) => (test = opened))
  ctx.config.webhooks = { ...ctx.config.webhooks, allowedHosts: [{ net: '127.0.0.1', prefix: 32 }] }
  ctx.http.refusalOf = () => Promise.resolve(undefined)
  await test.startWorker()
})
beforeEach(async () => {
  server = await startFeedServer()
})
afterEach(() => server.close())

let count = 4_000
async function givenFlaw() {
  count += 1
  const [id, product] = [`CVE-2024-${count}`, `chip${count}`]
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  await givenAdvisory(test.ctx.db, {
    id,
    score: 9.8,
    severity: 'Critical',
    title: `Flaw of ${product}`,
    aliases: [],
    affected,
  })
  return { id, product }
}

/** A version that holds version 1.0 of the products. */
async function givenVersion(client: Client, products: readonly string[]): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  await uploadOf(client, firmwareVersionId, products)
  return firmwareVersionId
}

async function uploadOf(
  client: Client,
  firmwareVersionId: string,
  products: readonly string[],
): Promise<void> {
  const components = products.map((name) => ({
    type: 'library',
    'bom-ref': name,
    name,
    version: '1.0',
    cpe: cpeOf(name),
  }))
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const files = [{ name: 'image.cdx.json', bytes: JSON.stringify(bom) }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
}

const cpeOf = (name: string) => `cpe:2.3:a:acme:${name}:1.0:*:*:*:*:*:*:*`

function advisory(cve: string, product: string, status: string, more: object = {}) {
  return csafDocument({
    cve,
    publisher: 'other',
    cpes: { part: cpeOf(product) },
    status: { [status]: ['part'] },
    ...more,
  })
}

function publish(documents: Parameters<typeof publishCsafFeed>[1]): void {
  publishCsafFeed(server, documents)
  const feeds = [{ tlp_label: 'WHITE', url: `${server.url}/csaf/feed.json` }]
  server.put(
    '/.well-known/csaf/provider-metadata.json',
    providerMetadata(server, [{ rolie: { feeds } }]),
  )
}

interface Feed {
  id: string
  state: string
  standing: string
  error: string | null
  notice: string | null
  documents: Record<string, number>
  effects: Record<string, number>
}

const subscribe = async (client: Client) =>
  (
    await client.post('/supplier-feeds', {
      name: `Supplier ${crypto.randomUUID()}`,
      url: server.url,
    })
  ).json<Feed>()
const show = async (client: Client, { id }: Feed) =>
  (await client.get(`/supplier-feeds/${id}`)).json<Feed>()

/** Reads what is due, and waits until it is applied. */
async function read(client: Client, feed: Feed): Promise<Feed> {
  await client.post(`/supplier-feeds/${feed.id}/read`)
  while (await readDueFeed(test.ctx, new AbortController().signal));
  while (await isApplying()) await delay(50)
  return show(client, feed)
}

const APPLYING = [SupplierDocumentsRead.name, SupplierDocumentsWithdrawn.name]

async function isApplying(): Promise<boolean> {
  const { rows } = await sql`
    select from pgboss.job where name = any(${APPLYING}::text[]) and state < 'completed' limit 1`.execute(
    test.ctx.db,
  )
  return rows.length > 0
}

/** A later version of the same firmware. */
async function givenNextVersion(
  client: Client,
  id: string,
  products: readonly string[],
): Promise<string> {
  const { firmware } = (await client.get(`/firmware-versions/${id}`)).json<{
    firmware: { id: string }
  }>()
  const created = await client.post(`/firmwares/${firmware.id}/versions`, { name: 'next' })
  const next = created.json<{ id: string }>().id
  await uploadOf(client, next, products)
  while (await isApplying()) await delay(50)
  return next
}

/** By the component. */
async function byProduct(client: Client, versionId: string): Promise<Record<string, string>> {
  const path = `/firmware-versions/${versionId}/vulnerability-findings/list`
  const { findings } = (await client.post(path, {})).json<{
    findings: { componentName: string; assessment: string }[]
  }>()
  return Object.fromEntries(findings.map((one) => [one.componentName, one.assessment]))
}

async function assessments(client: Client, versionId: string): Promise<Record<string, string>> {
  const path = `/firmware-versions/${versionId}/vulnerability-findings/list`
  const response = await client.post(path, {})
  const { findings } = response.json<{ findings: { cveId: string; assessment: string }[] }>()
  return Object.fromEntries(findings.map(({ cveId, assessment }) => [cveId, assessment]))
}

it('counts in the workspace that subscribed, and in no other with the same SBOM', async () => {
  const [fixed, unaffected] = [await givenFlaw(), await givenFlaw()]
  const [own, other] = [await givenClient(test), await givenClient(test)]
  const products = [fixed.product, unaffected.product]
  const ownVersion = await givenVersion(own, products)
  const otherVersion = await givenVersion(other, products)
  const unknown = 'CVE-2026-9999'
  publish([
    advisory(fixed.id, fixed.product, 'fixed'),
    advisory(unaffected.id, unaffected.product, 'known_not_affected'),
    advisory(unknown, fixed.product, 'known_affected'),
  ])

  const feed = await read(own, await subscribe(own))

  expect(feed).toMatchObject({
    documents: { listed: 3, read: 3, refused: 0, notFetched: 0 },
    effects: {
      statementCount: 3,
      firmwareVersionCount: 1,
      decidedCount: 2,
      affectedWithoutFindingCount: 1,
    },
  })
  expect(await assessments(own, ownVersion)).toEqual({
    [fixed.id]: 'Resolved',
    [unaffected.id]: 'NotAffected',
  })
  expect(await assessments(other, otherVersion)).toEqual({
    [fixed.id]: 'NotAssessed',
    [unaffected.id]: 'NotAssessed',
  })
  const missing = await own.get(`/supplier-feeds/${feed.id}/affected-without-finding`)
  expect(missing.json()).toMatchObject({
    statements: [{ vulnerability: unknown, component: fixed.product, componentVersion: '1.0' }],
  })
  for (const path of ['', '/documents', '/affected-without-finding'])
    expect((await other.get(`/supplier-feeds/${feed.id}${path}`)).statusCode).toBe(404)
  expect((await other.get('/supplier-feeds')).json()).toEqual({ supplierFeeds: [] })
})

it('applies what is known to versions that come later', async () => {
  const { id, product } = await givenFlaw()
  const client = await givenClient(test)
  publish([advisory(id, product, 'known_not_affected')])
  const feed = await read(client, await subscribe(client))
  expect(feed.effects['statementCount']).toBe(0)

  const version = await givenVersion(client, [product])
  while (await isApplying()) await delay(50)

  expect(await assessments(client, version)).toEqual({ [id]: 'NotAffected' })
})

it("leaves what a person has decided, even if the workspace lets the feed's author decide", async () => {
  const { id, product } = await givenFlaw()
  const client = await givenClient(test)
  const version = await givenVersion(client, [product])
  await client.patch('', { decidingVexAuthors: ['other'] })
  const path = `/firmware-versions/${version}/vulnerability-findings/list`
  const [finding] = (await client.post(path, {})).json<{ findings: { id: string }[] }>().findings
  await client.post(`/vulnerability-findings/${finding?.id}/assessments`, {
    assessment: 'Exploitable',
  })
  publish([advisory(id, product, 'known_not_affected', { modified: '2099-01-01T00:00:00Z' })])

  await read(client, await subscribe(client))

  expect(await assessments(client, version)).toEqual({ [id]: 'Exploitable' })
})

it('says what it could not use, and keeps what it had', async () => {
  const flaws = [await givenFlaw(), await givenFlaw(), await givenFlaw()]
  const client = await givenClient(test)
  const say = (index: number, modified: string) =>
    advisory(flaws[index]?.id ?? '', flaws[index]?.product ?? '', 'fixed', { modified })
  publish([0, 1, 2].map((index) => say(index, '2026-08-01T00:00:00Z')))
  const feed = await subscribe(client)
  expect((await read(client, feed)).documents).toMatchObject({ read: 3, refused: 0 })
  const changed = [0, 1, 2].map((index) => say(index, '2026-08-02T00:00:00Z'))
  publish(changed)
  const pathOf = (index: number) => `/csaf/2024/${flaws[index]?.id.toLowerCase()}.json`
  server.put(`${pathOf(0)}.sha256`, `${'0'.repeat(64)}  a.json`)
  server.put(pathOf(1), '{"document": {"csaf_version": "2.0"')
  server.remove(`${pathOf(1)}.sha256`)

  const after = await read(client, feed)

  expect(after.documents).toMatchObject({ listed: 3, read: 3, refused: 2, notFetched: 0 })
  expect(after.standing).toContain('2 could not be used')
  const { documents } = (await client.get(`/supplier-feeds/${feed.id}/documents`)).json<{
    documents: { state: string; error: string | null }[]
  }>()
  expect(documents.map(({ state }) => state)).toEqual(['Refused', 'Refused', 'Read'])
  const reasons = documents
    .map(({ error }) => error ?? '')
    .toSorted()
    .join('\n')
  expect(reasons).toMatch(/another checksum/)
  expect(reasons).toMatch(/JSON/)
})

it('takes back what documents said that are withdrawn or leave the list, but not what people decided', async () => {
  const flaws = [await givenFlaw(), await givenFlaw(), await givenFlaw(), await givenFlaw()]
  const client = await givenClient(test)
  const version = await givenVersion(
    client,
    flaws.map(({ product }) => product),
  )
  const all = flaws.map(({ id, product }) => advisory(id, product, 'fixed'))
  publish(all)
  const feed = await subscribe(client)
  expect((await read(client, feed)).effects['statementCount']).toBe(4)
  const [first, , , fourth] = flaws
  const path = `/firmware-versions/${version}/vulnerability-findings/list`
  const filter = { cveIds: [fourth?.id ?? ''] }
  const [finding] = (await client.post(path, { filter })).json<{ findings: { id: string }[] }>()
    .findings
  await client.post(`/vulnerability-findings/${finding?.id}/assessments`, {
    assessment: 'FalsePositive',
  })
  const later = { modified: '2026-08-03T00:00:00Z', tracking: 'deleted' }
  publish([advisory(first?.id ?? '', first?.product ?? '', 'fixed', later), ...all.slice(1, 2)])

  const after = await read(client, feed)

  expect(after.documents).toMatchObject({ listed: 2, read: 1, withdrawn: 1 })
  expect(after.effects).toMatchObject({ statementCount: 1, decidedCount: 1 })
  expect(await assessments(client, version)).toEqual({
    [flaws[0]?.id ?? '']: 'NotAssessed',
    [flaws[1]?.id ?? '']: 'Resolved',
    [flaws[2]?.id ?? '']: 'NotAssessed',
    [fourth?.id ?? '']: 'FalsePositive',
  })
  const { findings } = (await client.post(path, { filter: { recheck: true } })).json<{
    findings: { cveId: string; recheckReason: string }[]
  }>()
  expect(findings.map(({ cveId }) => cveId).toSorted()).toEqual(
    [flaws[0], flaws[2]].map((flaw) => flaw?.id ?? ''),
  )
  expect(findings[0]?.recheckReason).toMatch(
    /^Resolved by other, which took back the document CVE-/,
  )
})

/** A vulnerability of two products. */
async function givenSharedFlaw(): Promise<SharedFlaw> {
  count += 1
  const [id, kept, changed] = [`CVE-2024-${count}`, `kept${count}`, `changed${count}`]
  await givenAdvisory(test.ctx.db, {
    id,
    score: 9.8,
    severity: 'Critical',
    title: 'Flaw of both',
    aliases: [],
    affected: [kept, changed].map((name) => affectedIn(`cpe:acme:${name}`, [{ fixed: '2.0' }])),
  })
  return { id, kept, changed }
}

const LATER = '2026-08-03T00:00:00Z'

interface SharedFlaw {
  id: string
  kept: string
  changed: string
}

/** The document about both products, and its revisions. */
const shared = (
  { id, kept, changed }: SharedFlaw,
  more: Partial<Parameters<typeof csafDocument>[0]> = {},
) =>
  csafDocument({
    cve: id,
    publisher: 'other',
    cpes: { kept: cpeOf(kept), changed: cpeOf(changed) },
    status: { fixed: ['kept', 'changed'] },
    ...more,
  })

const REVISIONS: Record<string, (flaw: SharedFlaw) => object> = {
  'names the product no longer': (flaw) =>
    shared(flaw, {
      cpes: { kept: cpeOf(flaw.kept) },
      status: { fixed: ['kept'] },
      modified: LATER,
    }),
  'names another version of the product': (flaw) =>
    shared(flaw, {
      cpes: { kept: cpeOf(flaw.kept), changed: cpeOf(flaw.changed).replace(':1.0:', ':0.9:') },
      modified: LATER,
    }),
  'recommends the product, and says no more': (flaw) =>
    shared(flaw, { status: { fixed: ['kept'], recommended: ['changed'] }, modified: LATER }),
}

it.each(Object.entries(REVISIONS))(
  'takes back what a revised document said that %s, here and where it was carried over, and no more',
  async (_what, revise) => {
    const flaw = await givenSharedFlaw()
    const client = await givenClient(test)
    const version = await givenVersion(client, [flaw.kept, flaw.changed])
    const person = await givenVersion(client, [flaw.kept, flaw.changed])
    publish([shared(flaw)])
    const feed = await subscribe(client)
    expect((await read(client, feed)).effects['decidedCount']).toBe(4)
    const next = await givenNextVersion(client, version, [flaw.kept, flaw.changed])
    await sql`
      update finding_decisions set assessment = 'FalsePositive', source = 'User', origin = 'Person', stated_in = null, statement_id = null
      where firmware_version_id = ${person}`.execute(test.ctx.db)
    publish([revise(flaw) as ReturnType<typeof shared>])

    await read(client, feed)

    const after = [version, next, person].map((id) => byProduct(client, id))
    const reopened = { [flaw.kept]: 'Resolved', [flaw.changed]: 'NotAssessed' }
    expect(await Promise.all(after)).toEqual([
      reopened,
      reopened,
      { [flaw.kept]: 'FalsePositive', [flaw.changed]: 'FalsePositive' },
    ])
    const path = `/firmware-versions/${version}/vulnerability-findings/list`
    const { findings } = (await client.post(path, { filter: { recheck: true } })).json<{
      findings: { recheckReason: string }[]
    }>()
    expect(findings.map(({ recheckReason }) => recheckReason)).toEqual([
      `Resolved by other, which no longer says so in the document ${flaw.id}`,
    ])
    const log = await client.get('/audit-log?action=supplier-feed.withdraw')
    expect(log.body).toContain(version)
  },
)

it('takes back what a revised document says of a vulnerability that it no longer has, unless another says it', async () => {
  const flaws = [await givenFlaw(), await givenFlaw()]
  const [first = { id: '', product: '' }, second = { id: '', product: '' }] = flaws
  const client = await givenClient(test)
  const version = await givenVersion(
    client,
    flaws.map(({ product }) => product),
  )
  const both = (of: typeof flaws, modified?: string) => {
    const documents = of.map(({ id, product }) =>
      advisory(id, product, 'fixed', { ...(modified !== undefined && { modified }) }),
    )
    const [whole] = documents
    if (!whole) throw new Error('no document')
    return {
      ...whole,
      document: { ...whole.document, tracking: { ...whole.document.tracking, id: first.id } },
      product_tree: {
        branches: documents.flatMap(({ product_tree: tree }, at) =>
          tree.branches.map((branch) => rename(branch, `part-${at}`)),
        ),
        relationships: [],
      },
      vulnerabilities: documents.flatMap(({ vulnerabilities }, at) =>
        vulnerabilities.map((one) => rename(one, `part-${at}`)),
      ),
    } as typeof whole
  }
  publish([both(flaws)])
  const feed = await subscribe(client)
  expect((await read(client, feed)).effects['decidedCount']).toBe(2)
  publish([both([first], LATER)])

  await read(client, feed)
  const reopened = await assessments(client, version)
  publish([both([first], LATER), advisory(second.id, second.product, 'known_not_affected')])
  await read(client, feed)

  expect(reopened).toEqual({ [first.id]: 'Resolved', [second.id]: 'NotAssessed' })
  expect(await assessments(client, version)).toEqual({
    [first.id]: 'Resolved',
    [second.id]: 'NotAffected',
  })
})

/** The ids of products in documents that are put together. */
const rename = <Value>(value: Value, id: string): Value =>
  JSON.parse(JSON.stringify(value).replaceAll('"part"', JSON.stringify(id))) as Value

it.each`
  status                   | after
  ${'known_affected'}      | ${'Exploitable'}
  ${'known_not_affected'}  | ${'NotAffected'}
  ${'under_investigation'} | ${'InTriage'}
`('follows a revised document that says $status now', async ({ status, after }) => {
  const { id, product } = await givenFlaw()
  const client = await givenClient(test)
  const version = await givenVersion(client, [product])
  publish([advisory(id, product, 'fixed')])
  const feed = await subscribe(client)
  await read(client, feed)
  publish([advisory(id, product, status as string, { modified: LATER })])

  await read(client, feed)

  expect(await assessments(client, version)).toEqual({ [id]: after as string })
})

it('reads no private address, and says why', async () => {
  const client = await givenClient(test)
  publish([])
  const feed = await subscribe(client)
  const { webhooks } = test.ctx.config
  test.ctx.config.webhooks = { ...webhooks, allowedHosts: [] }
  try {
    const after = await read(client, feed)
    expect(after).toMatchObject({ state: 'Off', documents: { listed: null, read: 0 } })
    expect(after.error).toMatch(/PLIMSOLL_WEBHOOK_ALLOWED_HOSTS/)
    expect(server.requests).toEqual([])
  } finally {
    test.ctx.config.webhooks = webhooks
  }
})

it.each(['http://10.0.0.1/x.json', 'http://169.254.169.254/latest', 'https://[fd00::1]/x.json'])(
  'follows a redirect to another host that may be reached, but not to %s',
  async (target) => {
    const flaws = [await givenFlaw(), await givenFlaw()]
    const client = await givenClient(test)
    const other = await startFeedServer()
    const all = flaws.map(({ id, product }) => advisory(id, product, 'fixed'))
    publish(all)
    const [moved, lured] = flaws.map(({ id }) => `/csaf/2024/${id.toLowerCase()}.json`)
    other.put('/moved.json', all[0] ?? {})
    server.fault(moved ?? '', { kind: 'redirect', to: `${other.url}/moved.json` })
    server.fault(lured ?? '', { kind: 'redirect', to: target })
    try {
      const feed = await read(client, await subscribe(client))

      expect(feed.documents).toMatchObject({ listed: 2, read: 1, refused: 1 })
      const { documents } = (await client.get(`/supplier-feeds/${feed.id}/documents`)).json<{
        documents: { error: string | null }[]
      }>()
      expect(documents[0]?.error).toMatch(/PLIMSOLL_WEBHOOK_ALLOWED_HOSTS/)
    } finally {
      await other.close()
    }
  },
)

it('reads no list that a redirect leads to inside the network, and says so', async () => {
  const client = await givenClient(test)
  publish([])
  server.fault('/csaf/feed.json', { kind: 'redirect', to: 'http://10.0.0.1/feed.json' })

  const feed = await read(client, await subscribe(client))

  expect(feed.error).toMatch(/10\.0\.0\.1.*PLIMSOLL_WEBHOOK_ALLOWED_HOSTS/)
  expect(feed.documents).toMatchObject({ listed: null, read: 0 })
})

it('refuses a list and a document that are too large, in words, and uses the rest', async () => {
  const flaws = [await givenFlaw(), await givenFlaw()]
  const client = await givenClient(test)
  publish(flaws.map(({ id, product }) => advisory(id, product, 'fixed')))
  const path = `/csaf/2024/${flaws[0]?.id.toLowerCase()}.json`
  server.put(path, Buffer.alloc(9 * 1024 ** 2, ' '))
  const feed = await subscribe(client)

  const some = await read(client, feed)
  server.put('/csaf/feed.json', Buffer.alloc(17 * 1024 ** 2, ' '))
  const none = await read(client, feed)

  expect(some).toMatchObject({ error: null, documents: { listed: 2, read: 1, refused: 1 } })
  const { documents } = (await client.get(`/supplier-feeds/${feed.id}/documents`)).json<{
    documents: { error: string | null }[]
  }>()
  expect(documents[0]?.error).toMatch(/bytes|MiB|mebibyte/i)
  expect(none.error).toMatch(/bytes|MiB|mebibyte/i)
  expect(none.documents).toMatchObject({ read: 1 })
})

it('reads a piece of a large feed, then the feeds of others, before it goes on', async () => {
  const [large, small] = [await givenClient(test), await givenClient(test)]
  const { id, product } = await givenFlaw()
  const many = Array.from({ length: 250 }, (_, index) =>
    advisory(`CVE-2023-${10_000 + index}`, product, 'fixed'),
  )
  publish(many)
  const largeFeed = await subscribe(large)
  const own = await startFeedServer()
  const whole = server
  server = own
  try {
    publish([advisory(id, product, 'fixed')])
    const smallFeed = await subscribe(small)
    const stopping = new AbortController().signal

    await readDueFeed(test.ctx, stopping)
    const between = await show(large, largeFeed)
    await readDueFeed(test.ctx, stopping)

    expect(between.documents).toMatchObject({ listed: 250, read: 200, notFetched: 50 })
    expect((await show(small, smallFeed)).documents).toMatchObject({ listed: 1, read: 1 })
    expect((await read(large, largeFeed)).documents).toMatchObject({ read: 250, notFetched: 0 })
  } finally {
    await own.close()
    server = whole
  }
})

it.each`
  url                            | why
  ${'ftp://psirt.example.com'}   | ${'another protocol'}
  ${'https://a:b@psirt.example'} | ${'a password'}
  ${'https://'}                  | ${'no host'}
`('refuses $url: $why', async ({ url }) => {
  const client = await givenClient(test)
  const answer = await client.post('/supplier-feeds', { name: 'Chips', url: url as string })
  expect(answer.json()).toMatchObject({ status: 400, errors: [{ pointer: '/url' }] })
})
