/** Sources as publishers serve them, and faults of them: old knowledge stays, and the source shows the reason. */
import { existsSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type FeedServer, startFeedServer } from '../../../test/feed-server.ts'
import {
  cveRecord,
  forgetKnowledge,
  givenFolder,
  type ImportContext,
  kevCatalogue,
  nvdPage,
  nvdRecord,
  openImportContext,
  osvRecord,
} from '../../../test/given-feeds.ts'
import {
  feedConfig,
  publishCveList,
  publishNvdApi,
  publishNvdFeed,
  publishOsv,
} from '../../../test/given-publishers.ts'
import type { Config } from '../../config/config.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import { importFeeds } from '../advisories/index.ts'
import { getSources } from './service.ts'
import { syncSource } from './sync-service.ts'

let server: FeedServer
let imports: ImportContext
let ctx: ImportContext & { config: Config }
const closers: (() => Promise<void>)[] = []
/** The time of the test. */
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

const sync = (source: FeedSource, options = {}) =>
  syncSource(ctx, { source, isByHand: true, signal: new AbortController().signal, ...options })

async function stateOf(source: FeedSource) {
  const { sources } = await getSources(ctx)
  const found = sources.find((one) => one.source === source)
  if (!found) throw new Error(`no source ${source}`)
  return found
}

async function idsInForce(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from advisories where withdrawn_at is null order by id`.execute(ctx.db)
  return rows.map(({ id }) => id)
}

const paths = () => server.requests.map(({ path }) => path)
const inDays = (days: number) => (now = new Date(now.getTime() + days * 86_400_000))

describe('NVD', () => {
  beforeEach(() => {
    // A time with few years, so that there are few feeds.
    now = new Date('2004-08-22T09:30:00Z')
  })

  const ids = Array.from({ length: 6 }, (_, n) => `CVE-2004-100${n}`)

  const unmodified = { lastModified: '2004-01-01T00:00:00.000' }

  function publishYears(lastModified = '2004-08-22T03:00:00-04:00') {
    for (let year = 2002; year <= 2004; year++)
      publishNvdFeed(server, String(year), {
        page: nvdPage(
          (year === 2004 ? ids : [`CVE-${year}-1000`]).map((id) => ({ id, ...unmodified })),
        ),
        lastModified,
      })
    publishModified([])
  }

  function publishModified(
    records: Parameters<typeof nvdPage>[0],
    lastModified = '2004-08-22T05:00:00-04:00',
  ) {
    publishNvdFeed(server, 'modified', { page: nvdPage(records), lastModified })
  }

  it('is read year by year, then as it is modified', async () => {
    publishYears()
    const first = await sync('nvd')
    server.requests.length = 0
    const lastModified = '2004-08-22T10:00:00.000'
    publishModified(
      [
        { id: 'CVE-2004-1000', lastModified, score: 9 },
        { id: 'CVE-2004-2000', lastModified },
      ],
      lastModified,
    )
    const second = await sync('nvd')
    const third = await sync('nvd')

    expect(first).toMatchObject({ state: 'Succeeded', parts: 4, added: 8 })
    expect(second).toMatchObject({ state: 'Succeeded', parts: 1, added: 1, changed: 1 })
    expect(third).toMatchObject({ state: 'Succeeded', parts: 0 })
    expect(paths()).toEqual([
      '/nvd/nvdcve-2.0-modified.meta',
      '/nvd/nvdcve-2.0-modified.json.gz',
      '/nvd/nvdcve-2.0-modified.meta',
    ])
    expect(await stateOf('nvd')).toMatchObject({
      recordCount: 9,
      isStale: false,
      lastError: null,
      phase: 'Idle',
      lastSuccessAt: now,
    })
    expect(existsSync(join(ctx.config.dataDir, 'feeds', 'nvd'))).toBe(false)
  })

  it('takes in what it can, is not complete without the rest, and does not fetch twice', async () => {
    publishYears()
    server.fault('/nvd/nvdcve-2.0-2003.json.gz', { kind: 'html' })
    const first = await sync('nvd')
    const between = await stateOf('nvd')
    server.heal()
    server.requests.length = 0
    const second = await sync('nvd')

    expect(first).toMatchObject({ state: 'Failed', parts: 2 })
    expect(between).toMatchObject({ lastSuccessAt: null, isStale: true, recordCount: 7 })
    expect(between.lastError).toMatch(/^2003: .*checksum/)
    expect(second).toMatchObject({ state: 'Succeeded', parts: 2, added: 1 })
    expect(paths()).toEqual(
      ['2003', 'modified'].flatMap((name) => [
        `/nvd/nvdcve-2.0-${name}.meta`,
        `/nvd/nvdcve-2.0-${name}.json.gz`,
      ]),
    )
  })

  it('stops trying when nothing answers', async () => {
    const outcome = await sync('nvd')

    expect(outcome.error).toMatch(/2002: .* answered 404/)
    expect(paths()).toHaveLength(3)
  })

  it('is read anew as a whole when an older parser has read it', async () => {
    publishYears()
    publishModified([])
    await sync('nvd')
    await sql`update vulnerability_source_parts set parser_version = 0`.execute(ctx.db)

    const again = await sync('nvd')
    const then = await sync('nvd')

    expect(again).toMatchObject({ state: 'Succeeded', added: 0, changed: 0 })
    expect(again.parts).toBeGreaterThanOrEqual(3)
    expect(then).toMatchObject({ state: 'Succeeded', parts: 0 })
  })

  it('asks the API for what changed when it is more than eight days behind', async () => {
    publishYears()
    await sync('nvd')
    ctx.config.feeds.fullDays = 300
    inDays(200)
    const lastModified = (day: string) => `${day}T00:00:00.000`
    const changed = [
      nvdRecord({ id: 'CVE-2004-1000', lastModified: lastModified('2004-09-01'), score: 9 }),
      nvdRecord({ id: 'CVE-2004-3000', lastModified: lastModified('2005-02-01') }),
    ]
    publishNvdApi(server, () => changed)
    publishModified([], '2005-03-10T00:00:00Z')
    server.requests.length = 0
    const behind = await sync('nvd')

    expect(behind).toMatchObject({ state: 'Succeeded', added: 1, changed: 1 })
    const asked = server.requests.map(({ path }) => new URL(path, server.url).searchParams)
    expect(asked.map((query) => query.get('lastModStartDate'))).toEqual([
      '2004-08-22T09:00:00.000Z',
      '2004-12-20T09:00:00.000Z',
      // The feed of 2005, which does not exist, and the feed of modified records with its .meta file.
      null,
      null,
      null,
    ])
  })

  it('is read through the API alone where that is set, page by page', async () => {
    ctx.config.feeds.nvdMode = 'api'
    ctx.config.feeds.nvdApiKey = 'secret-key'
    const many = Array.from({ length: 4_100 }, (_, n) =>
      nvdRecord({ id: `CVE-2004-${10_000 + n}` }),
    )
    publishNvdApi(server, () => many)
    const stop = new AbortController()
    const stopped = await sync('nvd', {
      signal: stop.signal,
      onProgress: (text: string) => {
        if (text.includes('fetching api') && server.requests.length === 1) stop.abort()
      },
    })
    const rest = await sync('nvd')
    inDays(1)
    const next = await sync('nvd')

    expect(stopped).toMatchObject({ state: 'Stopped', parts: 1, added: 2_000 })
    expect(rest).toMatchObject({ state: 'Succeeded', parts: 2, added: 2_100 })
    expect(next).toMatchObject({ state: 'Succeeded', parts: 1, added: 0 })
    expect(server.requests.map(({ headers }) => headers['apikey'])).toContain('secret-key')
    const starts = server.requests.map(({ path }) =>
      new URL(path, server.url).searchParams.get('startIndex'),
    )
    expect(starts.filter((start) => start === '0').length).toBeLessThanOrEqual(2)
    expect(await idsInForce()).toHaveLength(4_100)
  })

  it('does not go back in time', async () => {
    publishYears()
    await sync('nvd')
    publishModified([{ id: 'CVE-2004-9999' }], '2004-08-01T00:00:00Z')
    const outcome = await sync('nvd')

    expect(outcome).toMatchObject({ state: 'Succeeded', parts: 0 })
    expect((await stateOf('nvd')).notice).toMatch(/modified: the feed is from 2004-08-01T.* older/)
  })

  it('whose year shrinks to half is refused', async () => {
    publishYears()
    await sync('nvd')
    inDays(8)
    publishYears('2004-08-30T00:00:00Z')
    publishNvdFeed(server, '2004', {
      page: nvdPage(ids.slice(0, 3).map((id) => ({ id }))),
      lastModified: '2004-08-30T00:00:00Z',
    })
    publishModified([], '2004-08-30T01:00:00Z')
    const outcome = await sync('nvd')
    const before = await idsInForce()
    const accepted = await sync('nvd', { isSmallerAccepted: true })

    expect(outcome.error).toBe(
      '2004: The archive holds 3 records, but 6 are known; nothing was imported.',
    )
    expect(before).toHaveLength(8)
    expect(accepted).toMatchObject({ state: 'Succeeded', withdrawn: 3 })
  })
})

describe('the CVE List', () => {
  const cve = (n: number, title = 'first') =>
    cveRecord({
      id: `CVE-2026-${1000 + n}`,
      title,
      dateUpdated: title === 'first' ? '2026-08-01T00:00:00Z' : '2026-08-22T08:00:00Z',
      fixed: { [`vendor/product-${n}`]: '2' },
    })
  const all = Array.from({ length: 8 }, (_, n) => cve(n))
  const release = (day: string, hour: string, delta: ReturnType<typeof cve>[]) => ({
    [`${day}_all_CVEs_at_midnight.zip.zip`]: all,
    [`${day}_delta_CVEs_at_${hour}00Z.zip`]: delta,
  })

  it('is read as an archive of an archive, then hour by hour', async () => {
    publishCveList(server, [release('2026-08-22', '08', [cve(0, 'second'), cve(20)])])
    const first = await sync('cvelist')
    publishCveList(server, [
      release('2026-08-22', '09', [cve(0, 'second'), cve(20), cve(21)]),
      release('2026-08-22', '08', [cve(0, 'second'), cve(20)]),
    ])
    server.requests.length = 0
    const second = await sync('cvelist')

    expect(first).toMatchObject({ state: 'Succeeded', parts: 2, added: 9, changed: 1 })
    expect(second).toMatchObject({ state: 'Succeeded', parts: 1, added: 1 })
    expect(paths()).toEqual([
      '/cvelist/releases?per_page=100',
      '/download/2026-08-22_delta_CVEs_at_0900Z.zip',
    ])
  })

  it('shows which piece is merged while the next is read, and for how long', async () => {
    const many = Array.from({ length: 10_050 }, (_, n) =>
      cveRecord({ id: `CVE-2026-${10_000 + n}` }),
    )
    ctx.config.feeds.urls.cvelist = givenFolder({ 'cves.jsonl': many })
    const blocker = await ctx.pool.connect()
    onTestFinished(() => {
      blocker.release(true)
    })
    await blocker.query('begin; lock table advisories in share mode')
    const syncing = sync('cvelist')
    const merging = async () => (await stateOf('cvelist')).progress?.merging

    await expect
      .poll(merging)
      .toMatchObject({ step: 'Writing', piece: 1, seconds: expect.any(Number) as number })
    await blocker.query('rollback')

    expect(await syncing).toMatchObject({ state: 'Succeeded', added: 10_050 })
  })

  it('is not looked for in a list of files without end', async () => {
    const assets = Array.from({ length: 10_001 }, (_, index) => ({
      name: `${index}.zip`,
      browser_download_url: `${server.url}/${index}.zip`,
    }))
    server.put('/cvelist/releases', [{ tag_name: 'cve_1', assets }])

    const { state, error } = await sync('cvelist')

    expect(state).toBe('Failed')
    expect(error).toContain('lists more than 10000 files')
  })

  it('goes over midnight with the delta of the whole day', async () => {
    publishCveList(server, [release('2026-08-22', '09', [])])
    await sync('cvelist')
    inDays(1)
    publishCveList(server, [
      release('2026-08-23', '09', [cve(31)]),
      { '2026-08-22_delta_CVEs_at_end_of_day.zip': [cve(30)] },
    ])
    const outcome = await sync('cvelist')

    expect(outcome).toMatchObject({ state: 'Succeeded', parts: 2, added: 2 })
  })

  it('takes the baseline again when deltas are missing, and withdraws what left it', async () => {
    publishCveList(server, [release('2026-08-20', '09', [cve(40)])])
    await sync('cvelist')
    const later = release('2026-08-22', '09', [])
    publishCveList(server, [
      { ...later, '2026-08-22_all_CVEs_at_midnight.zip.zip': [...all.slice(1), cve(40), cve(41)] },
    ])
    const outcome = await sync('cvelist')

    expect(outcome).toMatchObject({ state: 'Succeeded', added: 1, withdrawn: 1 })
    expect(await idsInForce()).not.toContain('CVE-2026-1000')
    const { rows } = await sql<{ key: string }>`
      select key from advisory_affected where advisory_id = 'CVE-2026-1000'`.execute(ctx.db)
    expect(rows).toEqual([])
  })

  it('brings a withdrawn record back with the archive that has it again', async () => {
    publishCveList(server, [release('2026-08-20', '09', [])])
    await sync('cvelist')
    publishCveList(server, [{ '2026-08-21_all_CVEs_at_midnight.zip.zip': all.slice(1) }])
    const without = await sync('cvelist')
    publishCveList(server, [{ '2026-08-22_all_CVEs_at_midnight.zip.zip': all }])
    const again = await sync('cvelist')

    expect(without).toMatchObject({ withdrawn: 1 })
    expect(again).toMatchObject({ state: 'Succeeded', changed: 1 })
    expect(await idsInForce()).toHaveLength(8)
  })

  it('keeps what an archive lost by the dozen, and says so', async () => {
    const many = Array.from({ length: 300 }, (_, n) => cve(n))
    publishCveList(server, [{ '2026-08-21_all_CVEs_at_midnight.zip.zip': many }])
    await sync('cvelist')
    publishCveList(server, [{ '2026-08-22_all_CVEs_at_midnight.zip.zip': many.slice(50) }])
    const outcome = await sync('cvelist')

    expect(outcome).toMatchObject({ state: 'Succeeded', withdrawn: 0 })
    expect((await stateOf('cvelist')).notice).toMatch(
      /baseline: 50 of 300 known records are missing/,
    )
    expect(await idsInForce()).toHaveLength(300)
  })

  it('is refused when it shrinks to half of what was imported by hand', async () => {
    await importFeeds(ctx, { path: givenFolder({ 'cves.jsonl': all }) })
    publishCveList(server, [{ '2026-08-22_all_CVEs_at_midnight.zip.zip': all.slice(4) }])
    const outcome = await sync('cvelist')

    expect(outcome.error).toMatch(/baseline: The archive holds 4 records, but 8 are known/)
    expect(await idsInForce()).toHaveLength(8)
  })

  it('does not take deltas for all of it when the baseline fails', async () => {
    publishCveList(server, [release('2026-08-22', '08', [cve(20)])])
    server.fault('/download/2026-08-22_all_CVEs_at_midnight.zip.zip', {
      kind: 'truncate',
      after: 0,
    })
    const outcome = await sync('cvelist')

    expect(outcome).toMatchObject({ state: 'Failed', parts: 0 })
    expect(await idsInForce()).toEqual([])
  })

  it('is read from a folder that others keep current', async () => {
    const folder = givenFolder({ 'cves/2026/1xxx/CVE-2026-1000.json': cve(0) })
    ctx.config.feeds.urls.cvelist = folder
    const first = await sync('cvelist')
    const second = await sync('cvelist')
    writeFileSync(join(folder, 'cves/2026/1xxx/CVE-2026-1001.json'), JSON.stringify(cve(1)))
    utimesSync(folder, now, new Date(now.getTime() + 1_000))
    const third = await sync('cvelist')

    expect(first).toMatchObject({ state: 'Succeeded', added: 1 })
    expect(second).toMatchObject({ state: 'Succeeded', parts: 0 })
    expect(third).toMatchObject({ state: 'Succeeded', added: 1 })
    expect(readdirSync(folder)).toEqual(['cves'])
  })
})

describe('OSV', () => {
  const record = (n: number, modified = '2026-08-01T00:00:00Z', summary = `About ${n}`) =>
    osvRecord({ id: `GHSA-${n}`, modified, summary, fixed: { [`name-${n}`]: '1' } })
  const some = [1, 2, 3, 4].map((n) => record(n))

  beforeEach(() => {
    server.put('/osv/ecosystems.txt', 'npm\nPyPI\nPyPI:1\n')
    publishOsv(server, 'npm', some)
    publishOsv(server, 'PyPI', [...some.slice(3), record(9)])
  })

  it('is read as an archive for every ecosystem, then record by record', async () => {
    const first = await sync('osv')
    server.requests.length = 0
    const unchanged = await sync('osv')
    publishOsv(server, 'npm', [...some.slice(1), record(1, '2026-08-22T01:00:00.5Z', 'New words')])
    const second = await sync('osv')

    expect(first).toMatchObject({ state: 'Succeeded', parts: 2, added: 5 })
    expect(unchanged).toMatchObject({ state: 'Succeeded', parts: 0 })
    expect(second).toMatchObject({ state: 'Succeeded', parts: 1, changed: 1 })
    expect(paths()).toEqual([
      '/osv/ecosystems.txt',
      '/osv/npm/modified_id.csv',
      '/osv/PyPI/modified_id.csv',
      '/osv/ecosystems.txt',
      '/osv/npm/modified_id.csv',
      '/osv/npm/GHSA-1.json',
      '/osv/PyPI/modified_id.csv',
    ])
    expect(server.requests.map(({ status }) => status)).toEqual([200, 304, 304, 200, 200, 200, 304])
  })

  it('takes the archive again when much changed', async () => {
    await sync('osv')
    const many = Array.from({ length: 400 }, (_, n) => record(100 + n, '2026-08-22T01:00:00Z'))
    publishOsv(server, 'npm', [...some, ...many])
    server.requests.length = 0
    const outcome = await sync('osv')

    expect(outcome).toMatchObject({ state: 'Succeeded', parts: 1, added: 400 })
    expect(paths()).toContain('/osv/npm/all.zip')
  })

  it('withdraws a record only when it has left every ecosystem', async () => {
    await sync('osv')
    inDays(8)
    publishOsv(server, 'npm', some.slice(1, 3))
    publishOsv(server, 'npm', some.slice(2, 3), some.slice(1, 3))
    const outcome = await sync('osv', { isSmallerAccepted: true })

    // GHSA-4 is still in PyPI's archive.
    expect(outcome).toMatchObject({ state: 'Succeeded', withdrawn: 1 })
    expect(await idsInForce()).toEqual(['GHSA-2', 'GHSA-3', 'GHSA-4', 'GHSA-9'])
  })

  it('does without an index where a mirror has none, and without a record that is gone', async () => {
    server.remove('/osv/PyPI/modified_id.csv')
    await sync('osv')
    publishOsv(server, 'npm', [
      ...some,
      record(5, '2026-08-22T01:00:00Z'),
      record(6, '2026-08-22T01:00:00Z'),
    ])
    server.remove('/osv/npm/GHSA-6.json')
    const outcome = await sync('osv')

    expect(outcome).toMatchObject({ state: 'Succeeded', added: 1 })
  })

  it('of which one ecosystem fails takes in the others', async () => {
    server.fault('/osv/npm/all.zip', { kind: 'stall', after: 0 })
    const outcome = await sync('osv')

    expect(outcome).toMatchObject({ state: 'Failed', parts: 1, added: 2 })
    const { parts } = await stateOf('osv')
    expect(parts).toMatchObject([
      { part: 'PyPI', recordCount: 2, lastError: null },
      { part: 'npm', completedAt: null, lastError: expect.stringMatching(/stalled/) as string },
    ])
  })
})

describe('what is wrong with a feed', () => {
  const ids = Array.from({ length: 10 }, (_, n) => `CVE-2026-100${n}`)
  const publishKev = (cveIds: readonly string[], day: number) =>
    server.put('/kev.json', kevCatalogue(cveIds, `2026-08-0${day}T00:00:00.000Z`))
  const flagged = async () => {
    const { rows } = await sql<{ cveId: string }>`select cve_id from kev_entries`.execute(ctx.db)
    return rows.length
  }
  beforeEach(async () => {
    publishKev(ids, 1)
    await sync('kev')
  })

  it.each([
    ['answers HTML', { kind: 'html' } as const, /markup/],
    ['stalls', { kind: 'stall', after: 10 } as const, /stalled/],
    ['is truncated', { kind: 'truncate', after: 50 } as const, /closed|shorter|terminated/],
    ['is down', { kind: 'status', status: 503 } as const, /answered 503/],
  ])('that %s shows, and the old knowledge stays in force', async (_, fault, text) => {
    publishKev(ids, 2)
    server.fault('/kev.json', fault)
    inDays(1)
    const outcome = await sync('kev')

    expect(outcome.state).toBe('Failed')
    const { lastError, lastSuccessAt, lastAttemptAt, ageSeconds } = await stateOf('kev')
    expect(lastError).toMatch(text)
    expect(lastAttemptAt).toEqual(now)
    expect(lastSuccessAt?.getTime()).toBe(now.getTime() - 86_400_000)
    expect(ageSeconds).toBe(86_400)
    expect(await flagged()).toBe(10)
  })

  it('such as JSON that is cut off within is refused', async () => {
    const text = JSON.stringify(kevCatalogue(ids, '2026-08-02T00:00:00.000Z'))
    server.put('/kev.json', text.slice(0, text.length - 300))

    expect((await sync('kev')).error).toMatch(/cannot be read to its end/)
    expect(await flagged()).toBe(10)
  })

  it('such as half of it is refused, and a day before changes nothing', async () => {
    publishKev(ids.slice(0, 5), 2)
    const half = await sync('kev')
    publishKev(ids.slice(0, 9), 0)
    server.put('/kev.json', kevCatalogue(ids.slice(0, 9), '2026-07-01T00:00:00.000Z'))
    const before = await sync('kev')

    expect(half.error).toMatch(/holds 5 records, but 10 are known/)
    expect(before.notice).toMatch(/2026-07-01T00:00:00.000Z, older than the known data/)
    expect(await flagged()).toBe(10)
  })

  it('such as repeated records, impossible dates, or 50 MB of one is skipped and counted', async () => {
    const catalogue = kevCatalogue([...ids, ...ids], '2026-08-02T00:00:00.000Z')
    const [entry] = catalogue.vulnerabilities
    const more = [
      { ...entry, cveID: 'CVE-2026-2000', dateAdded: '2026-02-31' },
      { ...entry, cveID: 'CVE-2026-2001', shortDescription: 'x'.repeat(50 * 1024 * 1024) },
    ]
    const vulnerabilities = [...catalogue.vulnerabilities, ...more]
    server.put('/kev.json', { ...catalogue, vulnerabilities })
    const outcome = await sync('kev')

    expect(outcome.state).toBe('Succeeded')
    expect(await stateOf('kev')).toMatchObject({
      recordCount: 10,
      skippedCount: 2,
      skippedReasons: [
        { reason: '/dateAdded is not a date', count: 1 },
        { reason: 'the record has more than 16777216', count: 1 },
      ],
    })
  })

  it('such as records of an unknown schema is no success that says nothing', async () => {
    server.put('/osv/ecosystems.txt', 'npm\n')
    publishOsv(server, 'npm', [
      { ...osvRecord({ id: 'GHSA-1' }), schema_version: '99.0.0', affected: 'somewhere' },
      osvRecord({ id: 'GHSA-2' }),
    ])
    const outcome = await sync('osv')

    expect(outcome).toMatchObject({ state: 'Succeeded', added: 1 })
    expect(await stateOf('osv')).toMatchObject({
      skippedCount: 1,
      skippedReasons: [{ reason: '/affected is not an array', count: 1 }],
    })
  })

  it('is tried again ever later, until it heals', async () => {
    server.fault('/kev.json', { kind: 'status', status: 500 })
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      await sync('kev')
      const { rows } = await sql<{ wait: number }>`
        select round(extract(epoch from next_sync_at - now()) / 60)::int as wait
        from vulnerability_sources where source = 'kev'`.execute(ctx.db)
      waits.push(rows[0]?.wait ?? 0)
    }

    expect(waits).toEqual([5, 10, 20])
  })
})

describe('EPSS', () => {
  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('is read with %s', async (_, pack) => {
    const csv =
      '#model_version:v1,score_date:2026-08-21T00:00:00+0000\ncve,epss,percentile\nCVE-2026-0001,0.1,0.2\n'
    server.put('/epss.csv.gz', pack(csv))

    expect(await sync('epss')).toMatchObject({ state: 'Succeeded', added: 1 })
    expect(await sync('epss')).toMatchObject({ state: 'Succeeded', parts: 0 })
  })
})

describe('any number of workers', () => {
  beforeEach(() => {
    server.put('/kev.json', kevCatalogue(['CVE-2026-0001'], '2026-08-01T00:00:00.000Z'))
  })

  it('fetch a source once an interval', async () => {
    const once = () => sync('kev', { isByHand: false })
    const together = await Promise.all([once(), once(), once(), once()])
    const later = await once()
    await sql`update vulnerability_sources set next_sync_at = now() - interval '1 second'`.execute(
      ctx.db,
    )
    const due = await once()

    expect(together.map(({ state }) => state).toSorted()).toEqual([
      'NotTaken',
      'NotTaken',
      'NotTaken',
      'Succeeded',
    ])
    expect([later.state, due.state]).toEqual(['NotTaken', 'Succeeded'])
    expect(server.requests.map(({ status }) => status)).toEqual([200, 304])
  })

  it('take over from one that died', async () => {
    await sql`insert into vulnerability_sources (source, claimed_by, claimed_until, phase)
      values ('kev', gen_random_uuid(), now() + interval '1 minute', 'Fetching')`.execute(ctx.db)
    const early = await sync('kev')
    await sql`update vulnerability_sources set claimed_until = now() - interval '1 second'`.execute(
      ctx.db,
    )
    const shown = await stateOf('kev')
    const late = await sync('kev')

    expect([early.state, late.state]).toEqual(['NotTaken', 'Succeeded'])
    expect(shown.phase).toBe('Idle')
  })
})
