/** Imports whose records are merged while later ones are read. */
import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  forgetKnowledge,
  givenFolder,
  type GivenNvd,
  type ImportContext,
  kevCatalogue,
  knowledge,
  nvdPage,
  openImportContext,
} from '../../../test/given-feeds.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { type RatedAdvisory, rateVulnerability } from '../../../test/rated-vulnerability.ts'
import { importFeeds } from './service.ts'
import type { MergeProgress } from './index.ts'

let ctx: ImportContext
let close: () => Promise<void>

beforeAll(async () => {
  const opened = await openImportContext()
  ;({ ctx, close } = opened)
})
beforeEach(() => forgetKnowledge(ctx.db))
afterAll(() => close())

/** Each file is one piece, since its time differs. */
const pieces = (files: readonly GivenNvd[][]) =>
  Object.fromEntries(
    files.map((records, n) => [`${n}.json`, nvdPage(records, `2026-02-0${n + 1}T00:00:00.000`)]),
  )

async function importPieces(files: Parameters<typeof givenFolder>[0], options = {}) {
  const path = givenFolder(files)
  try {
    return await importFeeds(ctx, { path, mergedAtOnce: 1, ...options })
  } finally {
    rmSync(path, { recursive: true })
  }
}

async function latestRevision(): Promise<number> {
  const { rows } = await sql<{ revision: number }>`
    select coalesce(max(revision), 0) as revision from knowledge_changes`.execute(ctx.db)
  return rows[0]?.revision ?? 0
}

/** None where what changed is no product's, as a new record that is rejected. */
async function keysAfter(revision: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct key from knowledge_changes where revision > ${revision} order by key`.execute(
    ctx.db,
  )
  return rows.map(({ key }) => key)
}

/** What each vulnerability must say, by the function that rates those of several advisories. */
async function ratings() {
  const { rows } = await sql<RatedAdvisory>`
    select source, id, name, primary_score, stated_severity, published_at, modified_at, withdrawn_at
    from advisories order by id`.execute(ctx.db)
  return rows.map((advisory) => rateVulnerability(advisory.id, [advisory]))
}

const arbitraryRecord: fc.Arbitrary<GivenNvd> = fc.record({
  id: fc.constantFrom('CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003'),
  lastModified: fc.constantFrom(...[1, 2, 3].map((day) => `2026-01-0${day}T00:00:00.000`)),
  vulnStatus: fc.constantFrom('Analyzed', 'Analyzed', 'Rejected'),
  score: fc.constantFrom(0, 3, 9.8),
  fixed: fc.dictionary(fc.constantFrom('a:one', 'a:two'), fc.constantFrom('1', '2')),
})
/** Files of few texts, each of which comes several times. */
const arbitraryFiles = fc.array(arbitraryRecord, { minLength: 2, maxLength: 5 }).chain((texts) => {
  const files = (minLength: number) =>
    fc.array(fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }), {
      minLength,
      maxLength: 4,
    })
  return fc.tuple(files(1), files(2))
})

/** Equally old. */
const TEXT: GivenNvd = { id: 'CVE-2026-0001', score: 3, fixed: { 'a:one': '1' } }
const OTHER_TEXT: GivenNvd = { id: 'CVE-2026-0001', score: 3, fixed: { 'a:one': '2' } }
/** New, and rejected by a later file. */
const PRODUCT: GivenNvd = { id: 'CVE-2026-0002', score: 3, fixed: { 'a:two': '2' } }
const REJECTED: GivenNvd = {
  id: 'CVE-2026-0002',
  lastModified: '2026-01-02T00:00:00.000',
  vulnStatus: 'Rejected',
  score: 0,
  fixed: {},
}

it('gives the same knowledge as a merge of all records at once, also where it does not read known texts', async () => {
  const run = async (known: GivenNvd[][], files: GivenNvd[][], options: object) => {
    await forgetKnowledge(ctx.db)
    await importPieces(pieces(known), options)
    const before = await latestRevision()
    const [nvd] = await importPieces(pieces(files), options)
    const { records, added = 0, changed = 0, unchanged = 0, withdrawn = 0 } = nvd ?? {}
    const written = added + changed + withdrawn
    const keys = await keysAfter(before)
    return {
      records,
      written,
      all: written + unchanged,
      keys,
      knowledge: await knowledge(ctx.db),
      ratings: await ratings(),
    }
  }

  await fc.assert(
    fc.asyncProperty(arbitraryFiles, async ([known, files]) => {
      const atOnce = await run(known, files, { mergedAtOnce: 1_000 })
      const inPieces = await run(known, files, { mergedAtOnce: 1 })
      const unread = await run(known, files, { mergedAtOnce: 1, comparedAfter: 0 })
      const unreadAtOnce = await run(known, files, { mergedAtOnce: 1_000, comparedAfter: 0 })

      expect(unreadAtOnce).toEqual(atOnce)
      for (const other of [inPieces, unread]) {
        expect(other.knowledge).toEqual(atOnce.knowledge)
        expect(other.knowledge.vulnerabilities).toMatchObject(other.ratings)
        // A text that the import itself replaces may name more keys, and a change may be undone again.
        expect(other.keys).toEqual(expect.arrayContaining(atOnce.keys))
        expect(other.written).toBeGreaterThanOrEqual(atOnce.written)
        expect(other.all).toBe(other.records)
      }
    }),
    {
      numRuns: propertyRuns(8, 3),
      examples: [
        [[[[TEXT]], [[OTHER_TEXT], [TEXT]]]],
        [[[[TEXT]], [[PRODUCT], [REJECTED], [TEXT]]]],
      ],
    },
  )
})

it('counts a record that several pieces hold once', async () => {
  const text = (day: number) => ({
    id: 'CVE-2026-0001',
    lastModified: `2026-01-0${day}T00:00:00.000`,
  })

  const [first] = await importPieces(pieces([[text(1)], [text(2)], [text(3)]]))
  const [second] = await importPieces(pieces([[text(4)], [text(5)]]))

  expect(first).toMatchObject({ records: 3, added: 1, changed: 0, unchanged: 2 })
  expect(second).toMatchObject({ records: 2, added: 0, changed: 1, unchanged: 1 })
})

it('leaves nothing of a source whose later file breaks off, and hinders no other', async () => {
  const files = {
    ...pieces([[{ id: 'CVE-2026-0001' }], [{ id: 'CVE-2026-0002' }]]),
    '8.json': JSON.stringify(nvdPage([{ id: 'CVE-2026-0003' }])).slice(0, -20),
    '9.json': kevCatalogue(['CVE-2026-0001'], '2026-01-05T00:00:00.000Z'),
  }

  const broken = await importPieces(files)
  const { advisories } = await knowledge(ctx.db)
  const [whole] = await importPieces(pieces([[{ id: 'CVE-2026-0001' }]]))

  expect(broken).toMatchObject([
    { source: 'kev', added: 1 },
    { source: 'nvd', added: 0, error: expect.stringContaining('8.json cannot be read') as string },
  ])
  expect(advisories).toEqual([])
  expect(whole).toMatchObject({ added: 1 })
  expect((await knowledge(ctx.db)).vulnerabilities).toMatchObject([{ isKnownExploit: true }])
})

it('withdraws what the whole archive no longer holds', async () => {
  const part = { name: 'all', isSnapshot: true, isWhole: true, marks: {}, isSmallerAccepted: true }
  const ids = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003']
  await importPieces(pieces(ids.map((id) => [{ id }])), { part })

  const [nvd] = await importPieces(pieces(ids.slice(1).map((id) => [{ id }])), { part })

  expect(nvd).toMatchObject({ records: 2, added: 0, changed: 0, withdrawn: 1 })
  const { advisories } = await knowledge(ctx.db)
  expect(
    advisories.map((advisory) => Reflect.get(advisory as object, 'withdrawnAt') !== null),
  ).toEqual([true, false, false])
})

it('takes back a withdrawal when the archive holds the same text again', async () => {
  const part = { name: 'all', isSnapshot: true, isWhole: true, marks: {}, isSmallerAccepted: true }
  const ids = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003']
  const archive = (held: string[]) => pieces(held.map((id) => [{ id }]))
  const options = { part, comparedAfter: 0 }
  await importPieces(archive(ids), options)

  const [less] = await importPieces(archive(ids.slice(0, 2)), options)
  const [again] = await importPieces(archive(ids), options)

  expect(less).toMatchObject({ records: 2, changed: 0, withdrawn: 1 })
  expect(again).toMatchObject({ records: 3, changed: 1, unchanged: 2, withdrawn: 0 })
})

it('reads a known text again only when the parsers have changed', async () => {
  const files = pieces([[{ id: 'CVE-2026-0001' }]])
  await importPieces(files)
  await sql`update advisories set content_hash = sha256('as another parser read it')`.execute(
    ctx.db,
  )

  const [unread] = await importPieces(files, { comparedAfter: 0 })
  await sql`update advisories set text_hash = set_byte(text_hash, 0, 0)`.execute(ctx.db)
  const [read] = await importPieces(files, { comparedAfter: 0 })

  expect(unread).toMatchObject({ records: 1, changed: 0, unchanged: 1 })
  expect(read).toMatchObject({ records: 1, changed: 1, unchanged: 0 })
})

it('ends beside another import that merges in pieces, and does the work once', async () => {
  const files = pieces(
    Array.from({ length: 6 }, (_, n) =>
      Array.from({ length: 50 }, (__, m) => ({ id: `CVE-2026-${1_000 + n * 50 + m}` })),
    ),
  )

  const both = await Promise.all([importPieces(files), importPieces(files)])

  const sum = (count: 'added' | 'changed' | 'unchanged') =>
    both.flat().reduce((total, of) => total + of[count], 0)
  expect([sum('added'), sum('changed'), sum('unchanged')]).toEqual([300, 0, 300])
})

it('says which piece it merges and what it waits for', async () => {
  const said: string[] = []
  const listen = (name: string) => ({
    onMerging: (progress?: MergeProgress) =>
      said.push(
        progress ? `${name} ${progress.piece ?? 'rest'} ${progress.step}` : `${name} reads on`,
      ),
  })
  const files = pieces([[{ id: 'CVE-2026-0001' }], [{ id: 'CVE-2026-0002' }]])
  const blocker = await ctx.pool.connect()
  await blocker.query('begin; lock table vulnerabilities in share mode')

  const first = importPieces(files, listen('nvd'))
  await expect.poll(() => said.at(-1)).toBe('nvd 1 Rating')
  const kev = { 'kev.json': kevCatalogue(['CVE-2026-0001'], '2026-01-05T00:00:00.000Z') }
  const second = importPieces(kev, listen('kev'))
  await expect.poll(() => said.at(-1)).toBe('kev rest Waiting')
  await blocker.query('rollback')
  blocker.release()
  await Promise.all([first, second])

  const ofNvd = [...new Set(said.filter((line) => line.startsWith('nvd')))]
  const steps = (of: string) =>
    ['Comparing', 'Writing', 'Linking', 'Rating'].map((step) => `nvd ${of} ${step}`)
  expect(ofNvd).toEqual([
    ...steps('1'),
    'nvd reads on',
    // New records are written while they are read.
    'nvd 2 Linking',
    'nvd 2 Rating',
    ...steps('rest'),
    'nvd rest Finishing',
  ])
  expect(said.filter((line) => line.startsWith('kev'))).toEqual([
    'kev rest Waiting',
    'kev rest Writing',
  ])
})
