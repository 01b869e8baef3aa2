/** CSAF documents of a distribution, as publishers serve them, with the faults that such directories have. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FeedServer, startFeedServer } from '../../../test/feed-server.ts'
import { csafDocument } from '../../../test/given-csaf.ts'
import {
  forgetKnowledge,
  givenFolder,
  type ImportContext,
  openImportContext,
} from '../../../test/given-feeds.ts'
import {
  csafLines,
  feedConfig,
  providerMetadata,
  publishCsaf,
  publishCsafFeed,
} from '../../../test/given-publishers.ts'
import type { Config } from '../../config/config.ts'
import { tarOf } from '../../../test/tar-of.ts'
import { importFeeds, writeBundle } from '../advisories/index.ts'
import { getSourceHealth } from './service.ts'
import { syncSource } from './sync-service.ts'

let server: FeedServer
let imports: ImportContext
let ctx: ImportContext & { config: Config }
const closers: (() => Promise<void>)[] = []
let now: Date

beforeAll(async () => {
  const opened = await openImportContext()
  imports = opened.ctx
  closers.push(opened.close)
})
beforeEach(async () => {
  server = await startFeedServer()
  closers.push(server.close)
  now = new Date('2026-08-22T09:30:00Z')
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-sync-'))
  ctx = { ...imports, now: () => now, config: feedConfig(server, dataDir) }
  await forgetKnowledge(ctx.db)
  await sql`truncate vulnerability_source_parts, advisory_parts`.execute(ctx.db)
})
afterAll(async () => {
  for (const close of closers) await close()
})

const sync = (options = {}) => {
  const { signal } = new AbortController()
  return syncSource(ctx, { source: 'csaf', isByHand: true, signal, ...options })
}
const paths = () => server.requests.map(({ path }) => path.replace('/csaf/', ''))

function samba(cve: string, modified: string, fixed = '4.18.6-2.el8') {
  return csafDocument({
    cve,
    modified,
    cpes: { rhel8: 'cpe:/o:redhat:enterprise_linux:8::baseos' },
    purls: { build: `pkg:rpm/redhat/samba@${fixed}?arch=src` },
    status: { fixed: ['rhel8:build'] },
  })
}

async function inForce(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from advisories where source = 'csaf' and withdrawn_at is null order by id`.execute(
    ctx.db,
  )
  return rows.map(({ id }) => id.replace('redhat:', ''))
}

async function rangesOf(cve: string): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select entry ->> 'text' as text from advisory_affected
    cross join json_array_elements(statements -> 0 -> 'versions') as entry
    where source = 'csaf' and advisory_id = ${`redhat:${cve}`}`.execute(ctx.db)
  return rows.map(({ text }) => text)
}

const [A, B, C] = ['CVE-2026-1001', 'CVE-2026-1002', 'CVE-2025-1003'] as const
const OLD = '2026-08-10T00:00:00+00:00'

it('reads the archive once, then only what has changed', async () => {
  const before = [samba(A, OLD), samba(B, OLD)]
  publishCsaf(server, before, { day: '2026-08-20', documents: before })
  const first = await sync()
  const atFirst = paths()
  server.requests.length = 0
  const changed = samba(B, '2026-08-22T08:00:00+00:00', '4.18.6-3.el8')
  const added = samba(C, '2026-08-22T09:00:00+00:00')
  publishCsaf(server, [added, changed, samba(A, OLD)], { day: '2026-08-20', documents: before })

  const second = await sync()
  const atSecond = paths()
  server.requests.length = 0
  const third = await sync()

  expect(first).toMatchObject({ state: 'Succeeded', added: 2 })
  expect(atFirst).toEqual([
    'archive_latest.txt',
    'deletions.csv',
    'changes.csv',
    'csaf_vex_2026-08-20.tar.zst',
    'csaf_vex_2026-08-20.tar.zst.sha256',
  ])
  expect(second).toMatchObject({ state: 'Succeeded', added: 1, changed: 1 })
  expect(atSecond.toSorted()).toEqual(
    [
      'archive_latest.txt',
      'deletions.csv',
      'changes.csv',
      '2026/cve-2026-1002.json',
      '2025/cve-2025-1003.json',
    ].toSorted(),
  )
  expect(third).toMatchObject({ state: 'Succeeded', added: 0, changed: 0 })
  expect(paths()).toEqual(['archive_latest.txt', 'deletions.csv', 'changes.csv'])
  expect(await inForce()).toEqual([C, A, B])
  expect(await rangesOf(B)).toEqual(['< 4.18.6-3.el8', '>= 4.18.6-3.el8'])
})

it('withdraws what a later archive lacks', async () => {
  const documents = [samba(A, OLD), samba(B, OLD), samba(C, OLD)]
  publishCsaf(server, documents, { day: '2026-08-20', documents })
  await sync()
  now = new Date('2026-09-02T00:00:00Z')
  const left = documents.slice(0, 2)
  publishCsaf(server, left, { day: '2026-09-01', documents: left })

  expect(await sync()).toMatchObject({ state: 'Succeeded', withdrawn: 1 })

  expect(await inForce()).toEqual([A, B])
})

it('fetches every document of a publisher without an archive', async () => {
  publishCsaf(server, [samba(B, '2026-08-11T00:00:00Z'), samba(A, OLD)])

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 2 })
  server.requests.length = 0
  await sync()

  expect(await inForce()).toEqual([A, B])
  expect(paths()).toEqual(['archive_latest.txt', 'deletions.csv', 'changes.csv'])
})

it('says that a listed document does not exist, and reads the others', async () => {
  publishCsaf(server, [samba(B, '2026-08-11T00:00:00Z'), samba(A, OLD)])
  server.remove('/csaf/2026/cve-2026-1001.json')

  const outcome = await sync()

  expect(outcome).toMatchObject({ state: 'Succeeded', added: 1 })
  expect(outcome.notice).toBe('acme: 1 listed document does not exist.')
  expect(await inForce()).toEqual([B])
})

it('skips a document that the publisher has cut off, and reads the others', async () => {
  publishCsaf(server, [samba(A, OLD), samba(B, '2026-08-11T00:00:00Z')])
  server.put('/csaf/2026/cve-2026-1001.json', JSON.stringify(samba(A, OLD)).slice(0, -200))

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 1 })

  expect(await inForce()).toEqual([B])
})

it('keeps its place when a document cannot be fetched, and goes on from there', async () => {
  publishCsaf(server, [samba(A, OLD), samba(B, '2026-08-11T00:00:00Z')])
  server.fault('/csaf/2026/cve-2026-1002.json', { kind: 'truncate', after: 100 })
  const failed = await sync()
  server.heal()

  const healed = await sync()

  expect(failed).toMatchObject({ state: 'Failed' })
  expect(healed).toMatchObject({ state: 'Succeeded' })
  expect(await inForce()).toEqual([A, B])
})

it('imports nothing of an archive that is cut off, and fetches nothing one by one instead', async () => {
  const documents = [samba(A, OLD), samba(B, OLD)]
  publishCsaf(server, documents, { day: '2026-08-20', documents })
  const packed = gzipSync(tarOf({ 'a.json': JSON.stringify(documents[0]), 'b.json': '{' }))
  server.put('/csaf/archive_latest.txt', 'cut_2026-08-20.tar.gz')
  server.put('/csaf/cut_2026-08-20.tar.gz', packed.subarray(0, packed.length - 30))

  const outcome = await sync()

  expect(outcome).toMatchObject({ state: 'Failed' })
  expect(await inForce()).toEqual([])
  expect(paths().slice(-2)).toEqual(['cut_2026-08-20.tar.gz', 'cut_2026-08-20.tar.gz.sha256'])
})

it('tries again when the archive is replaced while it is fetched', async () => {
  const documents = [samba(A, OLD)]
  publishCsaf(server, documents, { day: '2026-08-20', documents })
  server.put('/csaf/archive_latest.txt', 'csaf_vex_2026-08-19.tar.zst')

  expect(await sync()).toMatchObject({ state: 'Failed' })
  publishCsaf(server, documents, { day: '2026-08-20', documents })
  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 1 })
})

it.each([
  ['a page of a proxy', '<html>Sign in</html>', 'lists no document'],
  [
    'paths that lead elsewhere',
    '"../../etc/passwd.json","2026-08-10T00:00:00Z"\n',
    'lists no document',
  ],
])('refuses a list that has %s', async (_, list, reason) => {
  publishCsaf(server, [samba(A, OLD)])
  server.put('/csaf/changes.csv', list)

  const outcome = await sync()

  expect(outcome).toMatchObject({
    state: 'Failed',
    error: expect.stringContaining(reason) as string,
  })
})

const DELETED = '2026-08-21T00:00:00+00:00'

it('withdraws a deleted document once, and takes it back when it is there again', async () => {
  const documents = [samba(A, OLD), samba(B, '2026-08-11T00:00:00Z')]
  publishCsaf(server, documents)
  await sync()
  server.put('/csaf/deletions.csv', csafLines(documents.slice(0, 1), DELETED))
  server.remove('/csaf/2026/cve-2026-1001.json')
  const deleted = await sync()
  const afterDeletion = await inForce()
  const next = await sync()
  publishCsaf(server, documents)
  server.put('/csaf/changes.csv', csafLines(documents, '2026-08-22T00:00:00Z'))

  const restored = await sync()

  expect(deleted).toMatchObject({ state: 'Succeeded', parts: 1, withdrawn: 1 })
  expect(afterDeletion).toEqual([B])
  expect(next).toMatchObject({ state: 'Succeeded', parts: 0 })
  expect(restored).toMatchObject({ state: 'Succeeded', changed: 1 })
  expect(await inForce()).toEqual([A, B])
})

it('does not put in force what was deleted after the archive was made', async () => {
  const documents = [samba(A, OLD), samba(B, OLD)]
  publishCsaf(server, documents, { day: '2026-08-20', documents })
  server.put('/csaf/deletions.csv', csafLines(documents.slice(0, 1), '2026-08-31T12:00:00Z'))
  await sync()
  const first = await inForce()
  now = new Date('2026-09-02T00:00:00Z')
  publishCsaf(server, documents, { day: '2026-08-30', documents })

  expect(await sync()).toMatchObject({ state: 'Succeeded', parts: 1, added: 0, changed: 0 })

  expect([first, await inForce()]).toEqual([[B], [B]])
})

it('withdraws many documents at once only when an operator accepts it', async () => {
  const documents = Array.from({ length: 25 }, (_, n) => samba(`CVE-2026-${2_000 + n}`, OLD))
  publishCsaf(server, documents)
  await sync()
  server.put('/csaf/deletions.csv', csafLines(documents.slice(0, 22), DELETED))
  const refused = await sync()
  const before = await inForce()
  const accepted = await sync({ isSmallerAccepted: true })

  expect(refused).toMatchObject({
    state: 'Failed',
    error: 'acme-withdrawn: 22 of 25 known records would be withdrawn; they stay in force.',
  })
  expect(before).toHaveLength(25)
  expect(accepted).toMatchObject({ state: 'Succeeded', withdrawn: 22 })
  expect(await inForce()).toHaveLength(3)
})

it.each([
  ['is cut off', '"2026/cve-2026-1001.json","2026-08-2', 'Succeeded'],
  ['leads elsewhere', `"../csaf/2026/cve-2026-1001.json","${DELETED}"\n`, 'Succeeded'],
  ['is a page of a proxy', '<html>Sign in</html>', 'Failed'],
])('withdraws nothing by a list of deletions that %s', async (_, list, state) => {
  publishCsaf(server, [samba(A, OLD)])
  await sync()
  server.put('/csaf/deletions.csv', list)

  expect(await sync()).toMatchObject({ state, withdrawn: 0 })

  expect(await inForce()).toEqual([A])
})

describe('a ROLIE feed that the metadata of a provider names', () => {
  beforeEach(() => {
    ctx.config.feeds.csafPublishers = [{ name: 'acme', url: server.url }]
    const feeds = [
      { summary: 'for customers', tlp_label: 'AMBER', url: `${server.url}/csaf/amber.json` },
      { summary: 'for all', tlp_label: 'WHITE', url: `${server.url}/csaf/feed.json` },
    ]
    const metadata = providerMetadata(server, [{ rolie: { feeds } }])
    server.put('/.well-known/csaf/provider-metadata.json', metadata)
  })

  it('is read, and what it no longer lists is withdrawn', async () => {
    publishCsafFeed(server, [samba(A, OLD), samba(B, OLD)])
    const first = await sync()
    server.requests.length = 0
    publishCsafFeed(server, [samba(B, OLD), samba(C, '2026-08-22T00:00:00Z')])

    const second = await sync()

    expect(first).toMatchObject({ state: 'Succeeded', added: 2, withdrawn: 0 })
    expect(second).toMatchObject({ state: 'Succeeded', added: 1, withdrawn: 1 })
    expect(await inForce()).toEqual([C, B])
    expect(paths().slice(1)).toEqual([
      'feed.json',
      '2025/cve-2025-1003.json',
      '2025/cve-2025-1003.json.sha256',
      '2025/cve-2025-1003.json',
    ])
  })

  it('may lack checksums; a document with another checksum is not imported', async () => {
    publishCsafFeed(server, [samba(A, OLD), samba(B, OLD)])
    server.remove('/csaf/2026/cve-2026-1001.json.sha256')
    server.put('/csaf/2026/cve-2026-1002.json.sha256', `${'0'.repeat(64)}  b.json\n`)
    const outcome = await sync()
    const before = await inForce()
    publishCsafFeed(server, [samba(A, OLD), samba(B, OLD)])

    expect(outcome).toMatchObject({
      state: 'Failed',
      error: expect.stringContaining('cve-2026-1002.json has another checksum') as string,
    })
    expect(before).toEqual([])
    expect(await sync()).toMatchObject({ state: 'Succeeded', added: 2 })
  })

  it.each([
    ['is cut off', '{"feed":{"entry":[', 'is no valid JSON'],
    ['names its entries twice', '{"feed":{"entry":[],"entry":[]}}', 'names a member twice'],
  ])('that %s changes nothing', async (_, feed, reason) => {
    publishCsafFeed(server, [samba(A, OLD), samba(B, OLD)])
    await sync()
    server.put('/csaf/feed.json', feed)

    const outcome = await sync()

    expect(outcome).toMatchObject({ state: 'Failed', withdrawn: 0 })
    expect(outcome.error).toContain(reason)

    expect(await inForce()).toEqual([A, B])
  })
})

it('finds the directory of VEX documents through security.txt', async () => {
  ctx.config.feeds.csafPublishers = [{ name: 'acme', url: server.url }]
  const metadata = providerMetadata(server, [
    { directory_url: `${server.url}/advisories/` },
    { directory_url: `${server.url}/csaf-vex/` },
  ])
  server.put('/.well-known/security.txt', `Contact: mailto:a@example.com\nCSAF: /provider.json\n`)
  server.put('/provider.json', metadata)
  server.put('/csaf-vex/changes.csv', csafLines([samba(A, OLD)]))
  server.put('/csaf-vex/2026/cve-2026-1001.json', samba(A, OLD))

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 1 })

  expect(server.requests.map(({ path }) => path)).not.toContain('/advisories/changes.csv')
})

it('says that a host has no metadata', async () => {
  ctx.config.feeds.csafPublishers = [{ name: 'acme', url: server.url }]

  expect((await sync()).error).toContain('has no provider-metadata.json, and no security.txt')
})

it('refuses an archive with another checksum than the publisher states', async () => {
  const documents = [samba(A, OLD)]
  publishCsaf(server, documents, { day: '2026-08-20', documents })
  server.put('/csaf/csaf_vex_2026-08-20.tar.zst.sha256', `${'0'.repeat(64)}  a\n`)

  expect((await sync()).error).toContain('has another checksum')

  expect(await inForce()).toEqual([])
})

it('is imported by hand, from files and from archives, and goes along in a bundle', async () => {
  const tar = tarOf({ 'vex/2026/a.json': JSON.stringify(samba(A, OLD)), 'vex/index.txt': 'a.json' })
  const folder = givenFolder({ 'vex.tar': tar, 'b.json': samba(B, OLD) })

  const [imported] = await importFeeds(ctx, { path: folder })
  expect(imported).toMatchObject({ source: 'csaf', added: 2, skipped: 0 })
  const bundle = join(mkdtempSync(join(tmpdir(), 'plimsoll-bundle-')), 'knowledge.plimsoll')
  await writeBundle(ctx, bundle)
  await forgetKnowledge(ctx.db)
  await importFeeds(ctx, { path: bundle })

  expect(await inForce()).toEqual([A, B])
  expect(await rangesOf(A)).toEqual(['< 4.18.6-2.el8', '>= 4.18.6-2.el8'])
})

it('is not stale where nobody asked for it', async () => {
  const { feeds } = ctx.config
  const off = {
    ...ctx,
    config: {
      ...ctx.config,
      feeds: { ...feeds, sources: feeds.sources.filter((one) => one !== 'csaf') },
    },
  }
  const stateIn = async (of: typeof ctx) =>
    (await getSourceHealth(of)).find(({ source }) => source === 'csaf')

  expect(await stateIn(ctx)).toMatchObject({ isStale: true })
  expect(await stateIn(off)).toMatchObject({ isStale: false })
})

describe('an address of this network', () => {
  let inside: FeedServer
  beforeEach(async () => {
    inside = await startFeedServer()
    closers.push(inside.close)
    ctx.config.feeds.csafPublishers = [{ name: 'acme', url: server.url }]
    publishCsafFeed(server, [samba(A, OLD)])
  })

  const offer = (...distributions: object[]) =>
    server.put('/.well-known/csaf/provider-metadata.json', providerMetadata(server, distributions))
  const offerFeed = (url: string) => offer({ rolie: { feeds: [{ tlp_label: 'WHITE', url }] } })
  const offerDocument = (link: { self: string; hash?: string }) => {
    offerFeed(`${server.url}/csaf/one.json`)
    const links = Object.entries(link).map(([rel, href]) => ({ rel, href }))
    server.put('/csaf/one.json', { feed: { entry: [{ updated: OLD, link: links }] } })
  }
  const ways: Record<string, () => void> = {
    'as a directory': () => offer({ directory_url: `${inside.url}/csaf` }),
    'as a feed': () => offerFeed(`${inside.url}/csaf/feed.json`),
    'as a document': () => offerDocument({ self: `${inside.url}/csaf/2026/cve-2026-1001.json` }),
    'as a checksum': () =>
      offerDocument({
        self: `${server.url}/csaf/2026/cve-2026-1001.json`,
        hash: `${inside.url}/sum`,
      }),
    'in security.txt': () =>
      server.put('/.well-known/security.txt', `CSAF: ${inside.url}/metadata.json\n`),
    'by a redirect': () => {
      offer({ directory_url: `${server.url}/csaf` })
      server.fault('/csaf/changes.csv', { kind: 'redirect', to: `${inside.url}/changes.csv` })
    },
  }

  it.each(Object.keys(ways))('that a publisher names %s is not asked', async (way) => {
    ways[way]?.()

    const outcome = await sync()

    expect(outcome).toMatchObject({
      state: 'Failed',
      error: expect.stringContaining(
        '127.0.0.1 has no public address; only hosts that PLIMSOLL_FEEDS_ALLOWED_HOSTS names may',
      ) as string,
    })
    expect(inside.requests).toEqual([])
  })
})
