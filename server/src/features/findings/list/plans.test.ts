/**
 * The list reads as many rows as the version has findings, whatever PostgreSQL knows of the tables: nothing right after an
 * upload, everything later.
 */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  SORT_COLUMNS,
  type SortColumn,
  WORKSPACE_SORT_COLUMNS,
  type WorkspaceSortColumn,
} from '../schemas.ts'
import { isOfCitus } from '../../../../test/citus.ts'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenFirmwareVersion } from '../../../../test/given-inventory.ts'
import { givenManyFindings } from '../../../../test/given-many-findings.ts'
import { rowsRead, rowsReadBy } from '../../../../test/plans.ts'
import { listWorkspaceFindings } from '../workspace-list/service.ts'
import type { FindingFilter, WorkspaceFindingFilter } from './schemas.ts'
import { countFindings, type FindingQuery, selectFindings, listFindings } from './store.ts'

const PACKAGES = 100
const OF_THE_KERNEL = 3_000
const FINDINGS = OF_THE_KERNEL + PACKAGES - 1
/** Matches of packages that other versions hold. */
const FOREIGN = 20_000
/** Each finding is looked up in a few tables, each look-up is a few nodes of the plan. */
const BOUND = 25 * FINDINGS

const FILTERS: Record<string, FindingFilter> = {
  'no filter': {},
  activeOnly: { activeOnly: true },
  severities: { severities: ['Critical', 'High'] },
  assessments: { assessments: ['NotAssessed', 'InTriage'] },
  ignored: { ignored: false },
  knownCisaExploit: { knownCisaExploit: true },
  name: { name: [{ contains: 'flaw' }] },
  components: { components: [{ packageName: 'kernel' }, { packageName: 'part-7' }] },
  recheck: { recheck: false },
  detectedSince: { detectedSince: '2020-01-01T00:00:00Z' },
  proposed: { proposed: true },
}

let service: TestApp
let version: { workspaceId: string; firmwareVersionId: string }

beforeAll(async () => {
  service = await startTestApp()
  const { workspaceId } = await service.givenWorkspace()
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
  version = { workspaceId, firmwareVersionId }
  await givenManyFindings(service.ctx.db, {
    ...version,
    ofKernel: OF_THE_KERNEL,
    packages: PACKAGES,
    foreign: FOREIGN,
  })
})

const queryOf = (sortColumn: SortColumn, filter: FindingFilter = {}): FindingQuery => ({
  ...version,
  filter,
  sortColumn,
  ascending: false,
  limit: 1_001,
  moment: { at: new Date(), isPast: false },
  after: undefined,
})

/** The orders and filters that read too many rows, with the number. */
async function listUnbounded(): Promise<[string, number][]> {
  const queries: Record<string, FindingQuery> = {
    ...Object.fromEntries(SORT_COLUMNS.map((sortColumn) => [sortColumn, queryOf(sortColumn)])),
    ...Object.fromEntries(
      Object.entries(FILTERS).map(([name, filter]) => [name, queryOf('Risk', filter)]),
    ),
    'the past': { ...queryOf('Assessment'), moment: { at: new Date(), isPast: true } },
  }
  const unbounded: [string, number][] = []
  for (const [name, query] of Object.entries(queries)) {
    const rows = await rowsRead(service.ctx.db, selectFindings(query))
    if (rows >= BOUND) unbounded.push([name, rows])
  }
  return unbounded
}

const WORKSPACE_FILTERS: Record<string, WorkspaceFindingFilter> = {
  active: { activeOnly: true },
  'open assessments': { assessments: ['NotAssessed', 'InTriage'] },
  'decided ones': { assessments: ['InTriage'] },
  'not ignored': { ignored: false },
  confidences: { confidences: ['High'] },
  severities: { severities: ['Critical', 'High'] },
  recheck: { recheck: true },
  name: { name: [{ contains: 'flaw' }] },
  components: { components: [{ packageName: 'part-7' }] },
}

/** The orders and filters by which a page of the list of a large workspace reads too many rows, with the number. */
async function listUnboundedOfWorkspace(): Promise<[string, number][]> {
  const { ctx, pools } = service
  const asked: [string, WorkspaceSortColumn, WorkspaceFindingFilter][] = [
    ...WORKSPACE_SORT_COLUMNS.map((sortColumn) => [sortColumn, sortColumn, {}] as const),
    ...Object.entries(WORKSPACE_FILTERS).flatMap(([name, filter]) =>
      (['Risk', 'ComponentName'] as const).map((sortColumn) => [name, sortColumn, filter] as const),
    ),
  ].map(([name, sortColumn, filter]) => [name, sortColumn, filter])
  const unbounded: [string, number][] = []
  for (const [name, sortColumn, filter] of asked) {
    const config = { ...ctx.config, fewMatches: 0 }
    const rows = await rowsReadBy(pools.work, (db) =>
      listWorkspaceFindings(
        { ...ctx, db, config },
        { workspaceId: version.workspaceId, sortColumn, filter, limit: 100 },
      ),
    )
    if (rows >= BOUND) unbounded.push([`${name}, ${sortColumn}`, rows])
  }
  return unbounded
}

describe('a version with thousands of findings', () => {
  it('leaves a page of its workspace short before PostgreSQL knows anything of the tables', async () => {
    expect(await listUnboundedOfWorkspace()).toEqual([])
  })

  it('is listed by each order and filter before PostgreSQL knows anything of the tables', async () => {
    expect(await listUnbounded()).toEqual([])
  })

  it('and once it has analysed them', async () => {
    await sql`analyze`.execute(service.ctx.db)

    expect(await listUnbounded()).toEqual([])
    expect(await listUnboundedOfWorkspace()).toEqual([])
  })

  it('looks up the EPSS scores of one severity for a page by risk', async ({ skip }) => {
    if (await isOfCitus(service.ctx.pool)) skip('The coordinator does not see what its nodes read')
    const lookedUp = await service.ctx.db.transaction().execute(async (tx) => {
      await listFindings(tx, { ...queryOf('Risk'), limit: 101 })
      const { rows } = await sql<{ count: number }>`
        select pg_stat_get_xact_blocks_fetched('epss_scores'::regclass)::int as count`.execute(tx)
      return rows[0]?.count
    })

    // A third of the findings are critical.
    expect(lookedUp).toBeGreaterThan(FINDINGS / 4)
    expect(lookedUp).toBeLessThan(FINDINGS / 2)
  })

  it('leads through all findings by each order, each once', async () => {
    for (const sortColumn of SORT_COLUMNS) {
      const seen = new Set<string>()
      const query = queryOf(sortColumn)
      for (let after: FindingQuery['after'], isLast = false; !isLast;) {
        const rows = await listFindings(service.ctx.db, { ...query, after })
        for (const { packageId, vulnerabilityId } of rows)
          seen.add(`${packageId} ${vulnerabilityId}`)
        isLast = rows.length < query.limit
        after = rows.at(-1)?.sortValues
      }
      expect([sortColumn, seen.size]).toEqual([sortColumn, FINDINGS])
    }
  })

  it('is counted, up to a number', async () => {
    const { db } = service.ctx
    const all = queryOf('Risk')
    const kernel = queryOf('Risk', { components: [{ packageName: 'kernel' }] })
    const decided = queryOf('Risk', { assessments: ['InTriage'] })

    expect(await countFindings(db, all, 10_001)).toBe(FINDINGS)
    expect(await countFindings(db, all, 1_000)).toBe(1_000)
    expect(await countFindings(db, kernel, 10_001)).toBe(OF_THE_KERNEL)
    expect(await countFindings(db, decided, 10_001)).toBe(OF_THE_KERNEL / 2)
  })
})
