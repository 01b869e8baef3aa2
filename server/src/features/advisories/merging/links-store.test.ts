import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  cveRecord,
  forgetKnowledge,
  givenFolder,
  type GivenOsv,
  type ImportContext,
  knowledge,
  openImportContext,
  osvRecord,
} from '../../../../test/given-feeds.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { listMislinked } from '../checks-store.ts'
import { importFeeds } from '../service.ts'

let ctx: ImportContext
let close: () => Promise<void>

beforeAll(async () => {
  const opened = await openImportContext()
  ;({ ctx, close } = opened)
})
beforeEach(() => forgetKnowledge(ctx.db))
afterAll(() => close())

let minute = 0

/** Each import is newer than the one before. */
async function importOsv(...records: GivenOsv[]): Promise<void> {
  const modified = new Date(Date.UTC(2026, 0, 1, 0, minute++)).toISOString()
  const path = givenFolder({
    'osv.jsonl': records.map((record) => osvRecord({ modified, ...record })),
  })
  await importFeeds(ctx, { path })
  rmSync(path, { recursive: true })
}

/** The vulnerabilities that each advisory is evidence for. */
async function linksOf(): Promise<Record<string, string[]>> {
  const { links } = await knowledge(ctx.db)
  const grouped = Object.groupBy(links, ({ advisoryId }) => advisoryId)
  return Object.fromEntries(
    Object.entries(grouped).map(([id, of = []]) => [
      id,
      of.map(({ vulnerabilityId }) => vulnerabilityId),
    ]),
  )
}

async function aliasesOf(): Promise<Record<string, string[]>> {
  const { aliases } = await knowledge(ctx.db)
  const grouped = Object.groupBy(aliases, ({ alias }) => alias)
  return Object.fromEntries(
    Object.entries(grouped).map(([alias, of = []]) => [
      alias,
      of.map(({ vulnerabilityId }) => vulnerabilityId),
    ]),
  )
}

async function ledTo(id: string): Promise<string[]> {
  return (await aliasesOf())[id] ?? []
}

describe('an advisory', () => {
  it('with one CVE among its names is evidence for it, and its names lead there', async () => {
    await importOsv({ id: 'GHSA-1', aliases: ['CVE-2026-0001', 'GO-1'] })

    expect(await linksOf()).toEqual({ 'GHSA-1': ['CVE-2026-0001'] })
    expect(await aliasesOf()).toEqual({
      'CVE-2026-0001': ['CVE-2026-0001'],
      'GHSA-1': ['CVE-2026-0001'],
      'GO-1': ['CVE-2026-0001'],
    })
  })

  it('with several CVEs is evidence for each and unites them never', async () => {
    await importOsv(
      { id: 'GO-1', aliases: ['CVE-2026-0001', 'CVE-2026-0002', 'GHSA-1', 'GHSA-2'] },
      { id: 'GHSA-1', aliases: ['CVE-2026-0001'] },
      { id: 'GHSA-2', aliases: ['CVE-2026-0002'] },
    )

    expect(await linksOf()).toEqual({
      'GO-1': ['CVE-2026-0001', 'CVE-2026-0002'],
      'GHSA-1': ['CVE-2026-0001'],
      'GHSA-2': ['CVE-2026-0002'],
    })
    expect(await aliasesOf()).toMatchObject({
      'GO-1': ['CVE-2026-0001', 'CVE-2026-0002'],
      'GHSA-1': ['CVE-2026-0001'],
      'GHSA-2': ['CVE-2026-0002'],
    })
  })

  it('without a CVE stands for the CVE of the advisory it shares a name with', async () => {
    await importOsv(
      { id: 'GO-1', aliases: ['GHSA-1'] },
      { id: 'GHSA-1', aliases: ['CVE-2026-0001'] },
    )

    expect(await linksOf()).toEqual({ 'GHSA-1': ['CVE-2026-0001'], 'GO-1': ['CVE-2026-0001'] })
  })

  it('without a CVE believes an advisory of one CVE before one of several', async () => {
    await importOsv(
      { id: 'PYSEC-1', aliases: ['GHSA-1'] },
      { id: 'GHSA-1', aliases: ['CVE-2026-0001'] },
      { id: 'GO-1', aliases: ['GHSA-1', 'CVE-2026-0001', 'CVE-2026-0002'] },
    )

    expect(await linksOf()).toMatchObject({ 'PYSEC-1': ['CVE-2026-0001'] })
  })

  it('without a CVE anywhere is known by the least id that a record of its group has', async () => {
    await importOsv(
      { id: 'PYSEC-1', aliases: ['GO-2'] },
      { id: 'GO-2', aliases: ['GHSA-3'] },
      { id: 'X-1', aliases: ['PYSEC-1'] },
      { id: 'X-2' },
    )

    const { 'X-2': alone, ...group } = await linksOf()
    expect(group).toEqual({ 'GO-2': ['GO-2'], 'PYSEC-1': ['GO-2'], 'X-1': ['GO-2'] })
    expect(alone).toEqual(['X-2'])
    expect(await ledTo('GHSA-3')).toEqual(['GO-2'])
    await importOsv({ id: 'GHSA-3' })
    expect(await ledTo('GO-2')).toEqual(['GHSA-3'])
  })

  it('of a distribution is evidence for the CVEs it is derived from, but no other name of them', async () => {
    await importOsv({ id: 'USN-1', upstream: ['CVE-2026-0001', 'CVE-2026-0002', 'UBUNTU-1'] })

    expect(await linksOf()).toEqual({ 'USN-1': ['CVE-2026-0001', 'CVE-2026-0002'] })
    expect(await aliasesOf()).toEqual({
      'CVE-2026-0001': ['CVE-2026-0001'],
      'CVE-2026-0002': ['CVE-2026-0002'],
    })
  })

  it('of the CVE List is evidence for its own id', async () => {
    const path = givenFolder({ 'cve.json': cveRecord({ id: 'CVE-2026-0001', title: 'T' }) })
    await importFeeds(ctx, { path })

    expect(await linksOf()).toEqual({ 'CVE-2026-0001': ['CVE-2026-0001'] })
  })
})

describe('when names change', () => {
  it('a group that learns its CVE moves there, and the old id leads to it', async () => {
    await importOsv({ id: 'GHSA-1', aliases: ['GO-1'] }, { id: 'GO-1' })
    const before = await linksOf()
    await importOsv({ id: 'GO-1', aliases: ['CVE-2026-0001'] })

    expect(before).toEqual({ 'GHSA-1': ['GHSA-1'], 'GO-1': ['GHSA-1'] })
    expect(await linksOf()).toEqual({ 'GHSA-1': ['CVE-2026-0001'], 'GO-1': ['CVE-2026-0001'] })
    expect(await ledTo('GHSA-1')).toEqual(['CVE-2026-0001'])
  })

  it('two groups that turn out to be one are known by the lesser id, the other leads there', async () => {
    await importOsv({ id: 'GHSA-1' }, { id: 'PYSEC-1' })
    await importOsv({ id: 'X-1', aliases: ['GHSA-1', 'PYSEC-1'] })

    expect(await linksOf()).toEqual({
      'GHSA-1': ['GHSA-1'],
      'PYSEC-1': ['GHSA-1'],
      'X-1': ['GHSA-1'],
    })
    expect(await ledTo('PYSEC-1')).toEqual(['GHSA-1'])
  })

  it('a group that falls apart is several vulnerabilities again', async () => {
    await importOsv(
      { id: 'GHSA-1' },
      { id: 'PYSEC-1' },
      { id: 'X-1', aliases: ['GHSA-1', 'PYSEC-1'] },
    )
    await importOsv({ id: 'X-1', aliases: ['PYSEC-1'] })

    expect(await linksOf()).toEqual({
      'GHSA-1': ['GHSA-1'],
      'PYSEC-1': ['PYSEC-1'],
      'X-1': ['PYSEC-1'],
    })
    expect(await ledTo('X-1')).toEqual(['PYSEC-1'])
  })

  it('an advisory corrected to another CVE leaves the first', async () => {
    await importOsv({ id: 'GHSA-1', aliases: ['CVE-2026-0001'] })
    await importOsv({ id: 'GHSA-1', aliases: ['CVE-2026-0002'] })

    expect(await linksOf()).toEqual({ 'GHSA-1': ['CVE-2026-0002'] })
    expect(await aliasesOf()).toMatchObject({
      'GHSA-1': ['CVE-2026-0002'],
      'CVE-2026-0001': ['CVE-2026-0001'],
    })
  })

  it('a record no longer derived from a CVE is not a name of it', async () => {
    await importOsv({ id: 'X-1', aliases: ['CVE-2026-0001'] })
    await importOsv({ id: 'X-1', upstream: ['CVE-2026-0002'] })
    const asDerived = await ledTo('X-1')
    await importOsv({ id: 'X-1' })
    await importOsv({ id: 'X-1', upstream: ['CVE-2026-0002'] })

    expect(asDerived).toEqual([])
    expect(await ledTo('X-1')).toEqual(['CVE-2026-0002'])
  })

  it('an id that was a vulnerability goes on leading to where its record went', async () => {
    await importOsv({ id: 'X-1', aliases: ['FOO-1'] })
    const [first] = Object.values(await linksOf())
    const alias = await ledTo('FOO-1')
    await importOsv({ id: 'X-1', aliases: ['FOO-1', 'CVE-2026-0001'] })

    expect(first).toEqual(['X-1'])
    expect(alias).toEqual(['X-1'])
    expect(await ledTo('X-1')).toEqual(['CVE-2026-0001'])
    expect(await ledTo('FOO-1')).toEqual(['CVE-2026-0001'])
  })
})

const NAMES = ['GHSA-1', 'GO-1', 'PYSEC-1', 'X-1', 'X-2', 'X-3']
const CVES = ['CVE-2026-0001', 'CVE-2026-0002', 'CVE-2026-0003']

/** Rows that name an advisory or a vulnerability that is not there: no foreign key prevents them. */
async function listDangling(): Promise<unknown[]> {
  const { rows } = await sql`
    select source, advisory_id as id from advisory_vulnerabilities as link
    where not exists (select from vulnerabilities where vulnerabilities.id = link.vulnerability_id)
    union all
    select 'alias', alias from vulnerability_aliases as stored
    where not exists (select from vulnerabilities where vulnerabilities.id = stored.vulnerability_id)
    union all
    select source, advisory_id from (
      select source, advisory_id from advisory_vulnerabilities
      union all select source, advisory_id from advisory_affected
      union all select source, advisory_id from advisory_linked_ids
    ) as named
    where not exists (
      select from advisories where advisories.source = named.source and advisories.id = named.advisory_id)`.execute(
    ctx.db,
  )
  return rows
}

const arbitraryRecord: fc.Arbitrary<GivenOsv> = fc.record(
  {
    id: fc.constantFrom(...NAMES),
    aliases: fc.uniqueArray(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
        { weight: 1, arbitrary: fc.constantFrom(...CVES) },
      ),
      { maxLength: 3 },
    ),
    upstream: fc.uniqueArray(fc.constantFrom(...CVES), { maxLength: 2 }),
    withdrawn: fc.constant('2026-01-01T00:00:00Z'),
  },
  { requiredKeys: ['id', 'aliases'] },
)

describe('the union of names', () => {
  it('is the same after any number of imports as after one of the last texts', async () => {
    const batches = fc.array(fc.array(arbitraryRecord, { minLength: 1, maxLength: 4 }), {
      minLength: 2,
      maxLength: 5,
    })

    await fc.assert(
      fc.asyncProperty(batches, async (imports) => {
        await forgetKnowledge(ctx.db)
        const last = new Map<string, GivenOsv>()
        for (const records of imports) {
          // One text per record and import: among several with the same time, the last would count.
          const distinct = new Map(records.map((record) => [record.id, record]))
          await importOsv(...distinct.values())
          for (const [id, record] of distinct) last.set(id, record)
        }
        const [links, aliases] = [await linksOf(), await aliasesOf()]
        expect(await listMislinked(ctx.db)).toEqual([])
        const { vulnerabilities } = await knowledge(ctx.db)
        const ever = await ctx.db.selectFrom('vulnerabilities').select('id').execute()
        const wasHandedOut = new Set(ever.map(({ id }) => id))
        await forgetKnowledge(ctx.db)
        await importOsv(...last.values())

        expect(links).toEqual(await linksOf())
        const current = await aliasesOf()
        // An id that was once a vulnerability leads to where that vulnerability went, too.
        for (const [alias, targets] of Object.entries(aliases))
          if (wasHandedOut.has(alias))
            expect(targets).toEqual(expect.arrayContaining(current[alias] ?? []))
          else expect(targets).toEqual(current[alias])
        expect(Object.keys(aliases)).toEqual(expect.arrayContaining(Object.keys(current)))
        const ids = vulnerabilities.map(({ id }) => id)
        expect(ids).toEqual((await knowledge(ctx.db)).vulnerabilities.map(({ id }) => id))
        const nowhere = Object.values(aliases)
          .flat()
          .filter((target) => !target.startsWith('CVE-') && !ids.includes(target))
        expect(nowhere).toEqual([])
        expect(await listDangling()).toEqual([])
        for (const [id, record] of last) {
          const cves = record.aliases?.filter((name) => name.startsWith('CVE-')).toSorted() ?? []
          if (cves.length > 0) expect(links[id]).toEqual(cves)
        }
      }),
      { numRuns: propertyRuns(12, 6) },
    )
  })
})
