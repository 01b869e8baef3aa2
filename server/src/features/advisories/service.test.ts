import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  cveRecord,
  givenFolder,
  type ImportContext,
  kevCatalogue,
  knowledge,
  nvdPage,
  nvdRecord,
  openImportContext,
  osvRecord,
  rowVersions,
} from '../../../test/given-feeds.ts'
import { givenZip } from '../../../test/given-zip.ts'
import { importFeeds } from './service.ts'
import { listSources } from '../feeds/index.ts'

let ctx: ImportContext
const closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  const opened = await openImportContext()
  ctx = opened.ctx
  closers.push(opened.close)
})
afterAll(() => Promise.all(closers.map((close) => close())))

async function importFiles(files: Parameters<typeof givenFolder>[0], options = {}) {
  return importFeeds(ctx, { path: givenFolder(files), ...options })
}

async function keysOf(revision: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from knowledge_changes where revision = ${revision} order by key`.execute(ctx.db)
  return rows.map(({ key }) => key)
}

async function changesOf(revision: number) {
  return ctx.db
    .selectFrom('knowledgeChanges')
    .select(['key', 'vulnerabilityId'])
    .where(sql`revision`, '=', revision)
    .orderBy('vulnerabilityId')
    .execute()
}

async function announced(): Promise<number[]> {
  const { rows } = await sql<{ revision: number }>`
    select (data ->> 'revision')::int as revision from pgboss.job
    where name = 'advisories.knowledge-changed' order by revision`.execute(ctx.db)
  return rows.map(({ revision }) => revision)
}

const EVERYTHING = {
  'osv/GHSA-1.json': osvRecord({
    id: 'GHSA-aaaa-bbbb-cccc',
    aliases: ['CVE-2026-0001', 'PYSEC-2026-1'],
    fixed: { requests: '2.0' },
  }),
  'nvd.json.gz': gzipSync(
    JSON.stringify(
      nvdPage([{ id: 'CVE-2026-0001', score: 9.8, fixed: { 'psf:requests': '2.0' } }]),
    ),
  ),
  'cves/CVE-2026-0001.json': cveRecord({
    id: 'CVE-2026-0001',
    title: 'Requests asks too much',
    fixed: { 'psf/requests': '2.0' },
  }),
  'kev.json': kevCatalogue(['CVE-2026-0001'], '2026-01-05T00:00:00.000Z'),
  'epss.csv':
    '#model_version:v2025.03.14,score_date:2026-01-05T00:00:00+0000\ncve,epss,percentile\nCVE-2026-0001,0.9,0.99\n',
  'README.md': 'What is in here.',
}

describe('an import of a folder', () => {
  it('tells every source by content and counts what it holds', async () => {
    const counts = await importFiles(EVERYTHING)

    expect(counts).toEqual(
      ['cvelist', 'epss', 'kev', 'nvd', 'osv'].map((source) => ({
        source,
        files: 1,
        records: 1,
        added: 1,
        changed: 0,
        unchanged: 0,
        withdrawn: 0,
        skipped: 0,
        skippedReasons: {},
        skippedRecords: [],
      })),
    )
  })

  it('makes one vulnerability of what all sources say of it', async () => {
    await importFiles(EVERYTHING)

    const { vulnerabilities, aliases, links } = await knowledge(ctx.db)
    expect(vulnerabilities).toEqual([
      {
        id: 'CVE-2026-0001',
        name: 'Requests asks too much',
        severity: 'Critical',
        primaryScore: 9.8,
        isKnownExploit: true,
        publishedAt: new Date('2025-12-31'),
        modifiedAt: new Date('2026-01-01'),
      },
    ])
    expect(aliases.map(({ alias }) => alias)).toEqual([
      'CVE-2026-0001',
      'GHSA-aaaa-bbbb-cccc',
      'PYSEC-2026-1',
    ])
    expect(links).toHaveLength(3)
  })

  it('says when each source was tried and succeeded, and how much it holds', async () => {
    await importFiles(EVERYTHING)

    const sources = await listSources(ctx.db)
    expect(sources.map(({ source }) => source)).toEqual(['cvelist', 'epss', 'kev', 'nvd', 'osv'])
    for (const source of sources) expect(source).toMatchObject({ recordCount: 1, lastError: null })
    for (const { lastAttemptAt, lastSuccessAt } of sources)
      expect(lastSuccessAt?.getTime()).toBeGreaterThanOrEqual(lastAttemptAt?.getTime() ?? Infinity)
  })

  it('writes nothing the second time', async () => {
    const path = givenFolder(EVERYTHING)
    await importFeeds(ctx, { path })
    const before = await rowVersions(ctx.db)

    const counts = await importFeeds(ctx, { path })

    for (const count of counts) expect(count).toMatchObject({ added: 0, changed: 0, unchanged: 1 })
    expect(await rowVersions(ctx.db)).toEqual(before)
    expect(await announced()).toHaveLength(3)
  })

  it('names the files it left out, with the reason', async () => {
    const lines: string[] = []

    await importFiles(EVERYTHING, { onProgress: (line: string) => lines.push(line) })

    expect(lines.filter((line) => line.includes('README.md'))).toEqual([
      expect.stringMatching(/^skipped .*README\.md: neither JSON nor EPSS scores$/),
    ])
  })

  it('fails when it recognises nothing', async () => {
    await expect(importFiles({ 'index.html': '<html>' })).rejects.toThrow(
      /holds no advisories of a known source.\n.*index\.html: neither JSON nor CSV, but markup/,
    )
    await expect(importFeeds(ctx, { path: '/nowhere/at/all' })).rejects.toThrow(
      'There is no file or folder /nowhere/at/all.',
    )
  })

  it('reads the files of a ZIP archive, also of one inside which single records lie', async () => {
    const zip = givenZip({
      'all/GHSA-1.json': JSON.stringify(osvRecord({ id: 'GHSA-1' })),
      'all/GHSA-2.json': JSON.stringify(osvRecord({ id: 'GHSA-2' })),
    })

    const [osv] = await importFiles({ 'all.zip': zip })

    expect(osv).toMatchObject({ source: 'osv', files: 2, added: 2 })
  })

  it('follows links to files, and to no folder', async () => {
    const folder = givenFolder({ 'osv.json': osvRecord({ id: 'GHSA-1' }) })
    const linking = givenFolder({})
    symlinkSync(join(folder, 'osv.json'), join(linking, 'link.json'))
    symlinkSync(linking, join(linking, 'again'))

    const [osv] = await importFeeds(ctx, { path: linking })

    expect(osv).toMatchObject({ files: 1, added: 1 })
  })

  it('takes only files of the source it is told', async () => {
    const counts = await importFiles(EVERYTHING, { source: 'osv' as const })

    expect(counts.map(({ source }) => source)).toEqual(['osv'])
  })
})

describe('a bad record', () => {
  it('is skipped and counted by reason, whatever its place', async () => {
    const good = osvRecord({ id: 'GHSA-good' })
    const noId = { ...osvRecord({ id: 'x' }), id: undefined, modified: 'x' }
    const path = {
      'osv.jsonl': `${[good, noId, noId].map((r) => JSON.stringify(r)).join('\n')}\n{]\n`,
    }

    const [osv] = await importFiles(path)

    expect(osv).toMatchObject({ records: 4, added: 1, skipped: 3 })
    expect(osv?.skippedReasons).toEqual({ '/id is missing': 2, 'the record is not JSON': 1 })
    expect(await listSources(ctx.db)).toMatchObject([{ skippedCount: 3, recordCount: 1 }])
  })

  it('is no source taken in where all are so', async () => {
    const configurations = ['CVE-2026-0001', 'CVE-2026-0002'].map((id) => ({
      cve: { override: id },
    }))
    const page = nvdPage([])

    const [nvd] = await importFiles({ 'nvd.json': { ...page, vulnerabilities: configurations } })

    expect(nvd?.error).toBe('none of the 2 records can be used: /cve/id is missing')
    expect(await listSources(ctx.db)).toMatchObject([{ lastSuccessAt: null }])
  })

  it('that is a file of its own and breaks off leaves the others in', async () => {
    const text = JSON.stringify(osvRecord({ id: 'GHSA-broken' }), null, 2)

    const [osv] = await importFiles({
      'a.json': osvRecord({ id: 'GHSA-good' }),
      'b.json': text.slice(0, text.length / 2),
    })

    expect(osv).toMatchObject({ files: 2, records: 2, added: 1, skipped: 1 })
  })
})

describe('a file that breaks off', () => {
  const records = Array.from({ length: 3_000 }, (_, n) => osvRecord({ id: `GHSA-${n}` }))
  const whole = gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const broken = whole.subarray(0, whole.length - 100)

  it('merges nothing of its source, whose knowledge stays, and hinders no other', async () => {
    await importFiles({ 'osv.jsonl': [osvRecord({ id: 'GHSA-old' })] })

    const counts = await importFiles({
      'a.jsonl': [osvRecord({ id: 'GHSA-new' })],
      'b.jsonl.gz': broken,
      'nvd.json': nvdPage([{ id: 'CVE-2026-0001' }]),
    })

    expect(counts).toMatchObject([
      { source: 'nvd', added: 1 },
      {
        source: 'osv',
        added: 0,
        unchanged: 0,
        error: expect.stringMatching(/b\.jsonl\.gz cannot/) as string,
      },
    ])
    const { advisories } = await knowledge(ctx.db)
    expect(advisories).toMatchObject([{ id: 'CVE-2026-0001' }, { id: 'GHSA-old' }])
  })

  it('in a line without end that is read at once merges nothing of its source', async () => {
    const text = JSON.stringify(osvRecord({ id: 'GHSA-broken' }))

    const [osv] = await importFiles({
      'a.json': osvRecord({ id: 'GHSA-good' }),
      'b.jsonl': `${JSON.stringify(osvRecord({ id: 'GHSA-first' }))}\n${text.slice(0, -10)}`,
    })

    expect(osv?.error).toMatch(/b\.jsonl cannot be read to its end/)
    expect((await knowledge(ctx.db)).advisories).toEqual([])
  })

  it('shows what went wrong when the database does not take it', async () => {
    await sql`alter table advisories rename to advisories_away`.execute(ctx.db)

    await expect(importFiles({ 'a.json': osvRecord({ id: 'GHSA-1' }) })).rejects.toThrow(
      'advisories',
    )
    expect((await listSources(ctx.db))[0]?.lastError).toMatch(/^The import failed: relation "advis/)
  })

  it('shows as the last error of its source until an import succeeds', async () => {
    await importFiles({ 'b.jsonl.gz': broken })
    const [failed] = await listSources(ctx.db)
    await importFiles({ 'b.jsonl.gz': whole })
    const [succeeded] = await listSources(ctx.db)

    expect(failed).toMatchObject({ lastSuccessAt: null, recordCount: 0 })
    expect(failed?.lastError).toMatch(/unexpected end of file/)
    expect(succeeded).toMatchObject({ lastError: null, recordCount: 3_000 })
  })
})

describe('of several texts of one record', () => {
  const at = (day: number) => `2026-01-0${day}T00:00:00Z`

  it('the newest of the import wins', async () => {
    const [osv] = await importFiles({
      'osv.jsonl': [2, 3, 1].map((day) =>
        osvRecord({ id: 'GHSA-1', modified: at(day), summary: `day ${day}` }),
      ),
    })

    expect(osv).toMatchObject({ records: 3, added: 1, unchanged: 2 })
    expect((await knowledge(ctx.db)).vulnerabilities).toMatchObject([{ name: 'day 3' }])
  })

  it('one older than the stored is left out, one of the same time is not', async () => {
    const text = (modified: string, summary: string) => ({
      'a.json': osvRecord({ id: 'GHSA-1', modified, summary }),
    })
    await importFiles(text(at(2), 'stored'))

    const [older] = await importFiles(text(at(1), 'older'))
    const [same] = await importFiles(text(at(2), 'of the same time'))

    expect(older).toMatchObject({ changed: 0, unchanged: 1 })
    expect(same).toMatchObject({ changed: 1, unchanged: 0 })
  })

  it('one without a date does not replace a dated one, unless its file is newer', async () => {
    const dated = (day: number) => ({
      'nvd.json': nvdPage([{ id: 'CVE-2026-0001', lastModified: at(day), vulnStatus: 'Analyzed' }]),
    })
    const undated = (vulnStatus: string, timestamp?: string) => {
      const page = nvdPage([{ id: 'CVE-2026-0001', vulnStatus }], timestamp)
      const left = timestamp === undefined ? ['lastModified', 'timestamp'] : ['lastModified']
      const text = JSON.stringify(page, (name, value: unknown) =>
        left.includes(name) ? undefined : value,
      )
      return { 'nvd.json': JSON.parse(text) as object }
    }
    const changed = async (files: Record<string, object>) => (await importFiles(files))[0]?.changed
    await importFiles(undated('Received'))

    const inTurn = [
      await changed(undated('Deferred')),
      await changed(dated(2)),
      await changed(undated('Deferred')),
      await changed(dated(2)),
    ]
    const ofNewerFile = await changed(undated('Modified', at(4)))
    const older = await changed(dated(3))

    expect(inTurn).toEqual([1, 1, 0, 0])
    expect([ofNewerFile, older]).toEqual([1, 0])
  })

  it('NVD files made earlier do not undo what later ones say of the same modification', async () => {
    const page = (vulnStatus: string, timestamp: string) => ({
      'nvd.json': nvdPage([{ id: 'CVE-2026-0001', vulnStatus }], timestamp),
    })
    await importFiles(page('Analyzed', at(3)))

    const [nvd] = await importFiles(page('Received', at(2)))

    expect(nvd).toMatchObject({ changed: 0, unchanged: 1 })
  })
})

describe('a withdrawn advisory', () => {
  it('stays, and says nothing about any package', async () => {
    const fixed = { requests: '2.0' }
    await importFiles({ 'a.json': osvRecord({ id: 'GHSA-1', fixed }) })

    const withdrawn = '2026-02-01T00:00:00Z'
    const record = osvRecord({ id: 'GHSA-1', fixed, withdrawn, modified: withdrawn })
    const [osv] = await importFiles({ 'a.json': record })

    expect(osv).toMatchObject({ changed: 0, withdrawn: 1 })
    const { advisories, affected, vulnerabilities } = await knowledge(ctx.db)
    expect(advisories).toMatchObject([{ id: 'GHSA-1', withdrawnAt: new Date(withdrawn) }])
    expect(affected).toEqual([])
    expect(vulnerabilities).toMatchObject([{ id: 'GHSA-1' }])
    const [, revision = 0] = await announced()
    expect(await keysOf(revision)).toEqual(['purl:pypi/requests'])
  })

  it('gives way to one in force', async () => {
    await importFiles({
      'cve.json': cveRecord({ id: 'CVE-2026-0001', state: 'REJECTED' }),
      'nvd.json': nvdPage([{ id: 'CVE-2026-0001', score: 5, description: 'In force. Yes.' }]),
    })

    expect((await knowledge(ctx.db)).vulnerabilities).toMatchObject([
      { name: 'In force.', severity: 'Medium' },
    ])
  })
})

describe('what a merge announces', () => {
  it('is one message with the keys old and new, each also under any vendor', async () => {
    await importFiles({ 'nvd.json': nvdPage([{ id: 'CVE-2026-0001', fixed: { 'a:old': '1' } }]) })
    const lastModified = '2026-02-01T00:00:00.000'
    const changed = { id: 'CVE-2026-0001', lastModified, fixed: { 'a:new': '1' } }
    await importFiles({ 'nvd.json': nvdPage([changed]) })

    const revisions = await announced()
    expect(revisions).toHaveLength(2)
    expect(await keysOf(revisions[0] ?? 0)).toEqual(['cpe:*:old', 'cpe:a:old'])
    expect(await keysOf(revisions[1] ?? 0)).toEqual([
      'cpe:*:new',
      'cpe:*:old',
      'cpe:a:new',
      'cpe:a:old',
    ])
  })

  it('leaves out keys of which nothing new was said', async () => {
    const record = (modified: string, other: string) => ({
      'a.json': osvRecord({ id: 'GHSA-1', modified, fixed: { stays: '1', moves: other } }),
    })
    await importFiles(record('2026-01-01T00:00:00Z', '1'))
    await importFiles(record('2026-01-02T00:00:00Z', '2'))

    expect(await keysOf((await announced())[1] ?? 0)).toEqual(['purl:pypi/moves'])
  })

  it('is nothing when only words changed', async () => {
    const text = (modified: string, summary: string) => ({
      'a.json': osvRecord({ id: 'GHSA-1', modified, summary, fixed: { requests: '1' } }),
    })
    await importFiles(text('2026-01-01T00:00:00Z', 'before'))
    await importFiles(text('2026-01-02T00:00:00Z', 'after'))

    expect(await announced()).toHaveLength(1)
    expect((await knowledge(ctx.db)).vulnerabilities).toMatchObject([{ name: 'after' }])
  })

  it('are all keys of an advisory that now speaks of another vulnerability', async () => {
    const record = (modified: string, aliases: string[]) => ({
      'a.json': osvRecord({ id: 'GHSA-1', modified, aliases, fixed: { requests: '1' } }),
    })
    await importFiles(record('2026-01-01T00:00:00Z', []))
    await importFiles(record('2026-01-02T00:00:00Z', ['CVE-2026-0001']))

    const [, revision = 0] = await announced()
    expect(await changesOf(revision)).toEqual([
      { key: 'purl:pypi/requests', vulnerabilityId: 'CVE-2026-0001' },
      { key: 'purl:pypi/requests', vulnerabilityId: 'GHSA-1' },
    ])
  })
})

describe('the catalogue of known exploits', () => {
  const [one, two, three] = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003']
  const catalogue = (ids: string[], day: number) => ({
    'kev.json': kevCatalogue(ids, `2026-01-0${day}T00:00:00.000Z`),
  })
  const flagged = async () => {
    const rows = await ctx.db
      .selectFrom('vulnerabilities')
      .select('id')
      .where('isKnownExploit', '=', true)
      .orderBy('id')
      .execute()
    return rows.map(({ id }) => id)
  }

  beforeEach(async () => {
    await importFiles({
      'nvd.jsonl': [one, two, three].map((id) => nvdRecord({ id, fixed: { 'acme:x': '2' } })),
    })
  })

  it('flags what it holds and no longer what left it', async () => {
    await importFiles(catalogue([one, two, 'CVE-2026-9999'], 1))
    const first = await flagged()
    const [kev] = await importFiles(catalogue([two, three], 2))

    expect(first).toEqual([one, two])
    expect(kev).toMatchObject({ records: 2, added: 1, unchanged: 1, withdrawn: 2 })
    expect(await flagged()).toEqual([two, three])
  })

  it('has what it names matched again, and nothing else', async () => {
    const keys = async () => {
      const { rows } = await sql<{ vulnerabilityId: string }>`
        select distinct vulnerability_id from knowledge_changes
        where revision = (select last_value from knowledge_revision) order by 1`.execute(ctx.db)
      return rows.map(({ vulnerabilityId }) => vulnerabilityId)
    }

    await importFiles(catalogue([one, two], 1))
    const first = await keys()
    await importFiles(catalogue([two, three], 2))

    expect([first, await keys()]).toEqual([
      [one, two],
      [one, three],
    ])
  })

  it('of an earlier day changes nothing', async () => {
    await importFiles(catalogue([one, two], 2))
    const [kev] = await importFiles(catalogue([three], 1))

    expect(kev).toMatchObject({ added: 0, unchanged: 1, withdrawn: 0 })
    expect(await flagged()).toEqual([one, two])
  })

  it('that shrank to less than half is refused', async () => {
    await importFiles(catalogue([one, two, three], 1))
    const [kev] = await importFiles(catalogue([one], 2))

    expect(kev?.error).toMatch(/holds 1 entry, but 3 are known/)
    expect(await flagged()).toEqual([one, two, three])
  })
})

it('writes more records than it handles at once, and counts those of each distribution', async () => {
  const ofDebian = (n: number, fixed: string) => ({
    id: `DSA-${String(n).padStart(6, '0')}`,
    modified: `2026-01-0${fixed}T00:00:00Z`,
    affected: [
      {
        package: { ecosystem: 'Debian:12', name: `package-${n}` },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
  })
  const numbers = Array.from({ length: 12_000 }, (_, n) => n)
  const known = numbers.filter((n) => n % 12 > 0)
  const isChanged = (n: number) => n % 12 === 1
  const [first] = await importFiles({ 'a.jsonl': known.map((n) => ofDebian(n, '1')) })
  const [second] = await importFiles({
    'b.jsonl': numbers.map((n) => ofDebian(n, isChanged(n) ? '2' : '1')),
  })
  const [third] = await importFiles({
    'c.jsonl': known.slice(0, 100).map((n) => ({ ...ofDebian(n, '3'), affected: [] })),
  })

  expect([first, second, third]).toMatchObject([
    { added: 11_000, changed: 0 },
    { added: 1_000, changed: 1_000, unchanged: 10_000 },
    { added: 0, changed: 100 },
  ])
  const { rows } = await sql`
    select (select count(*)::int from advisories) as advisories,
      (select count(*)::int from advisory_affected where key like 'purl:%') as affected,
      (select count(*)::int from advisory_affected where statements::text like '%"2"%') as changed,
      (select array_agg((stated, amount)::text) from known_distributions) as distributions`.execute(
    ctx.db,
  )
  expect(rows).toEqual([
    {
      advisories: 12_000,
      affected: 11_900,
      changed: numbers.filter(isChanged).length - known.slice(0, 100).filter(isChanged).length,
      distributions: [expect.stringMatching(/,11900\)$/)],
    },
  ])
  const revisions = await announced()
  expect(await keysOf(revisions[1] ?? 0)).toHaveLength(2_000)
  expect(await keysOf(revisions[2] ?? 0)).toHaveLength(100)
})

/** Workspaces copy the scores again when it has changed. */
async function readScoreRevision(): Promise<number> {
  const epss = ctx.db.selectFrom('vulnerabilitySources').where('source', '=', 'epss')
  return (await epss.select('scoreRevision').executeTakeFirst())?.scoreRevision ?? 0
}

it('keeps EPSS scores a file does not name, and takes none of an earlier day', async () => {
  const scores = (day: number, lines: string[]) => ({
    'epss.csv': `#model_version:v1,score_date:2026-01-0${day}T00:00:00+0000\ncve,epss,percentile\n${lines.join('\n')}\n`,
  })
  await importFiles(scores(2, ['CVE-2026-0001,0.1,0.2', 'CVE-2026-0002,0.3,0.4', 'CVE-x,1,1']))
  const revision = await readScoreRevision()
  const [later] = await importFiles(scores(3, ['CVE-2026-0002,0.5,0.6']))
  const changed = await readScoreRevision()
  const [earlier] = await importFiles(scores(1, ['CVE-2026-0002,0.7,0.8']))

  expect(later).toMatchObject({ records: 1, changed: 1 })
  expect(earlier).toMatchObject({ records: 1, changed: 0, unchanged: 1 })
  expect([changed, await readScoreRevision()]).toEqual([revision + 1, revision + 1])
  const rows = await ctx.db.selectFrom('epssScores').selectAll().orderBy('cveId').execute()
  expect(rows).toEqual([
    { cveId: 'CVE-2026-0001', score: 0.1, percentile: 0.2 },
    { cveId: 'CVE-2026-0002', score: 0.5, percentile: 0.6 },
  ])
})
