/**
 * The list reads as many rows as the version has findings, whatever PostgreSQL knows of the tables: nothing right after an
 * upload, everything later.
 */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenFirmwareVersion } from '../../../../test/given-inventory.ts'
import { givenManyFindings } from '../../../../test/given-many-findings.ts'
import { rowsRead } from '../../../../test/plans.ts'
import { SORT_COLUMNS, type SortColumn } from '../assessment.ts'
import type { FindingFilter } from './filter-store.ts'
import { countFindings, type FindingQuery, findingsQuery, listFindings } from './store.ts'

const PACKAGES = 100
const OF_THE_KERNEL = 3_000
const FINDINGS = OF_THE_KERNEL + PACKAGES - 1
/** Matches of packages that other versions hold. */
const FOREIGN = 20_000
/** Each finding is looked up in a few tables, each look-up is a few nodes of the plan. */
const BOUND = 25 * FINDINGS

const FILTERS: Record<string, FindingFilter> = {
  'no filter': {},
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

async function expectBounded(): Promise<void> {
  const { db } = service.ctx
  for (const sortColumn of SORT_COLUMNS)
    expect(await rowsRead(db, findingsQuery(queryOf(sortColumn))), sortColumn).toBeLessThan(BOUND)
  for (const [name, filter] of Object.entries(FILTERS))
    expect(await rowsRead(db, findingsQuery(queryOf('Risk', filter))), name).toBeLessThan(BOUND)
  const past = { ...queryOf('Assessment'), moment: { at: new Date(), isPast: true } }
  expect(await rowsRead(db, findingsQuery(past)), 'the past').toBeLessThan(BOUND)
}

describe('a version with thousands of findings', () => {
  it(
    'is listed by each order and filter before PostgreSQL knows anything of the tables',
    expectBounded,
  )

  it('and once it has analysed them', async () => {
    await sql`analyze`.execute(service.ctx.db)

    await expectBounded()
  })

  it('leads through all findings by each order, each once', async () => {
    for (const sortColumn of SORT_COLUMNS) {
      const seen = new Set<string>()
      let query = queryOf(sortColumn)
      for (let isLast = false; !isLast;) {
        const rows = await listFindings(service.ctx.db, query)
        for (const { packageId, vulnerabilityId } of rows)
          seen.add(`${packageId} ${vulnerabilityId}`)
        isLast = rows.length < query.limit
        query = { ...query, after: rows.at(-1)?.sortValues }
      }
      expect(seen.size, sortColumn).toBe(FINDINGS)
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
