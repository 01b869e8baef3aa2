/** Knowledge that a file carries from one machine to another. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  cveRecord,
  forgetKnowledge,
  givenFolder,
  type ImportContext,
  kevCatalogue,
  knowledge,
  nvdPage,
  openImportContext,
  osvRecord,
} from '../../../../test/given-feeds.ts'
import { describeWithSharedData } from '../../../../test/shared-data.ts'
import { listSources } from '../../feeds/index.ts'
import { checkBundle, writeBundle } from './service.ts'
import { importFeeds } from '../service.ts'

let ctx: ImportContext
let isolated: ImportContext
const closers: (() => Promise<void>)[] = []
const longAgo = new Date('2026-01-10T00:00:00Z')

beforeAll(async () => {
  for (const set of [(of: ImportContext) => (ctx = of), (of: ImportContext) => (isolated = of)]) {
    const opened = await openImportContext()
    set(opened.ctx)
    closers.push(opened.close)
  }
})
beforeEach(async () => {
  await forgetKnowledge(ctx.db)
  await forgetKnowledge(isolated.db)
})
afterAll(() => Promise.all(closers.map((close) => close())))

const EVERYTHING = {
  'osv.jsonl': [
    osvRecord({ id: 'GHSA-1', aliases: ['CVE-2026-0001'], fixed: { requests: '2.0' } }),
    osvRecord({ id: 'GHSA-2', withdrawn: '2026-01-02T00:00:00Z', fixed: { urllib3: '1' } }),
    osvRecord({
      id: 'GHSA-3',
      summary: 'A line separator \u2028 within',
      upstream: ['CVE-2026-0002'],
    }),
  ],
  'nvd.json': nvdPage([{ id: 'CVE-2026-0001', score: 9.8, fixed: { 'psf:requests': '2.0' } }]),
  'cve.json': cveRecord({ id: 'CVE-2026-0001', title: 'Too much', fixed: { 'psf/requests': '2' } }),
  'kev.json': kevCatalogue(['CVE-2026-0001'], '2026-01-05T00:00:00.000Z'),
  'epss.csv':
    '#model_version:v1,score_date:2026-01-05T00:00:00+0000\ncve,epss,percentile\nCVE-2026-0001,0.91234,0.99\n',
}

async function givenBundle(): Promise<string> {
  await importFeeds({ ...ctx, now: () => longAgo }, { path: givenFolder(EVERYTHING) })
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-bundle-')), 'knowledge.bundle')
  await writeBundle(ctx, file)
  return file
}

async function exploits(of: ImportContext) {
  const kev = await sql`select * from kev_entries order by cve_id`.execute(of.db)
  const epss = await sql`select * from epss_scores order by cve_id`.execute(of.db)
  const hashes = await sql`
    select source, id, content_hash, cve_ids, linked_ids, feed_at, modified_at from advisories order by source, id`.execute(
    of.db,
  )
  return [kev.rows, epss.rows, hashes.rows]
}

describe('a bundle', () => {
  it('gives the same knowledge, as old as it was, and the feeds after it change nothing', async () => {
    const file = await givenBundle()

    const counts = await importFeeds(isolated, { path: file })

    expect(counts.map(({ source, added, withdrawn }) => [source, added, withdrawn])).toEqual([
      ['cvelist', 1, 0],
      ['epss', 1, 0],
      ['kev', 1, 0],
      ['nvd', 1, 0],
      ['osv', 2, 1],
    ])
    expect(await knowledge(isolated.db)).toEqual(await knowledge(ctx.db))
    expect(await exploits(isolated)).toEqual(await exploits(ctx))
    const sources = await listSources(isolated.db)
    expect(sources.map(({ lastSuccessAt }) => lastSuccessAt)).toEqual(sources.map(() => longAgo))
    const again = await importFeeds(isolated, { path: givenFolder(EVERYTHING) })
    for (const count of again) expect(count).toMatchObject({ added: 0, changed: 0, withdrawn: 0 })
  })

  const repacked = (change: (text: string) => string) => (bytes: Buffer) =>
    gzipSync(change(gunzipSync(bytes).toString()))

  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length - 20), /unexpected end of file/],
    ['lost its end', repacked((text) => text.split('\n').slice(0, -2).join('\n')), /ends early/],
    [
      'lost a record',
      repacked((text) => text.split('\n').toSpliced(3, 1).join('\n')),
      /1 record is missing/,
    ],
    [
      'names a member twice',
      repacked((text) => text.replace('"source":', '"source":"kev","source":')),
      /names a member twice/,
    ],
    ['was altered', repacked((text) => text.replace('"2.0"', '"9.0"')), /checksum does not match/],
    [
      'has something after its end',
      repacked((text) => `${text}{"source":"kev"}\n`),
      /follow its end/,
    ],
    [
      'is of a later version',
      repacked((text) => text.replace('"plimsollFeedBundle":1', '"plimsollFeedBundle":2')),
      /version 2; this release reads version 1/,
    ],
  ])('that %s is refused whole', async (_, change, reason) => {
    const file = await givenBundle()
    await importFeeds(isolated, {
      path: givenFolder({ 'a.json': osvRecord({ id: 'GHSA-old' }) }),
    })
    writeFileSync(file, change(readFileSync(file)))

    const outcome = await importFeeds(isolated, { path: file }).then(
      (counts) => counts.map(({ error }) => error),
      (error: unknown) => [String(error)],
    )

    for (const error of outcome) expect(error).toMatch(reason)
    const { advisories } = await knowledge(isolated.db)
    expect(advisories).toMatchObject([{ id: 'GHSA-old' }])
  })

  /** Changes a bundle and makes its end match again. */
  const forged = (from: string, to: string) => (bytes: Buffer) => {
    const lines = gunzipSync(bytes).toString().replace(from, to).split('\n').slice(0, -2)
    const text = lines.map((line) => `${line}\n`).join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const end = JSON.stringify({ end: true, records: lines.length - 1, sha256 })
    return gzipSync(`${text}${end}\n`)
  }

  it.each([
    ['a bound that is not a text', forged('"fixed":"2.0"', '"fixed":2')],
    ['an ordering there is not', forged('"scheme":"pypi"', '"scheme":"constructor"')],
  ])('with %s, which would keep packages from being matched, is refused', async (_, change) => {
    const file = await givenBundle()
    const bytes = readFileSync(file)
    expect(change(bytes)).not.toEqual(bytes)
    writeFileSync(file, change(bytes))

    const outcomes = await importFeeds(isolated, { path: file })

    for (const { error } of outcomes) expect(error).toMatch(/a record cannot be read/)
    expect((await knowledge(isolated.db)).advisories).toEqual([])
  })

  it('that is not the one whose checksum was written down is refused', async () => {
    const file = await givenBundle()
    const { sha256 } = await writeBundle(ctx, file)

    await checkBundle(file, sha256.toUpperCase())
    await expect(checkBundle(file, 'a'.repeat(64))).rejects.toThrow('it was altered')
  })
})

describeWithSharedData('a bundle of real records', (folder) => {
  it('gives the same knowledge', async () => {
    for (const path of [
      'osv/pypa.jsonl.gz',
      'nvd/nvd20-firmware.jsonl.gz',
      'cve5/openssl-cna.jsonl.gz',
      'cve5/vulnrichment-firmware.jsonl.gz',
      'kev/kev-2026-08-22.json.gz',
    ])
      await importFeeds(ctx, { path: join(folder, path) })
    const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-bundle-')), 'knowledge.bundle')
    await writeBundle(ctx, file)

    const counts = await importFeeds(isolated, { path: file })

    expect(counts.map(({ skipped, error }) => [skipped, error])).toEqual(
      counts.map(() => [0, undefined]),
    )
    expect(await knowledge(isolated.db)).toEqual(await knowledge(ctx.db))
    expect(await exploits(isolated)).toEqual(await exploits(ctx))
  })
})
