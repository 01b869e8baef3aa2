/** What the row of a vulnerability says, beside the same rules in TypeScript. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ImportContext, openImportContext } from '../../../../test/given-feeds.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import {
  type RatedAdvisory,
  rateVulnerability,
  type VulnerabilityRating,
} from '../../../../test/rated-vulnerability.ts'
import { ADVISORY_SOURCES, type CvssScore, SEVERITIES } from '../../../formats/advisories/model.ts'
import { openStaging, type StagingSession } from '../staging/store.ts'
import { refreshVulnerabilities } from './store.ts'

let ctx: ImportContext
let staging: StagingSession
let close: () => Promise<void>

beforeAll(async () => {
  const opened = await openImportContext()
  ;({ ctx, close } = opened)
  staging = await openStaging(ctx.pool)
})
afterAll(async () => {
  staging.close()
  await close()
})

/** The rows of vulnerabilities with these advisories. Nothing is left behind. */
async function ratedAll(described: Record<string, readonly RatedAdvisory[]>) {
  const rows = Object.entries(described).flatMap(([vulnerabilityId, advisories]) =>
    // Ids of advisories are unique in their source.
    advisories.map((advisory) => ({
      ...advisory,
      vulnerabilityId,
      id: `${advisory.id}-${vulnerabilityId}`,
    })),
  )
  const tx = await staging.db.startTransaction().execute()
  await sql`
    insert into advisories (source, id, content_hash, aliases, cve_ids, linked_ids, name, primary_score,
      stated_severity, published_at, modified_at, withdrawn_at, first_seen_at, changed_at)
    select source, id, '', '{}', '{}', '{}', name, "primaryScore", "statedSeverity", "publishedAt", "modifiedAt",
      "withdrawnAt", now(), now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as given (
      source text, id text, name text, "primaryScore" jsonb, "statedSeverity" text, "publishedAt" timestamptz,
      "modifiedAt" timestamptz, "withdrawnAt" timestamptz)`.execute(tx)
  await sql`
    with links as (
      insert into advisory_vulnerabilities (source, advisory_id, vulnerability_id)
      select source, id, "vulnerabilityId"
      from json_to_recordset(${JSON.stringify(rows)}::json) as given (source text, id text, "vulnerabilityId" text)
      returning *
    )
    insert into moved (source, advisory_id, vulnerability_id, is_new)
    select source, advisory_id, vulnerability_id, true from links`.execute(tx)
  await refreshVulnerabilities(tx, 'nvd', { at: ctx.now(), onDone: () => undefined })
  const stored = await sql<VulnerabilityRating>`
    select id, name, severity, primary_score, published_at, modified_at from vulnerabilities order by id`.execute(
    tx,
  )
  await tx.rollback().execute()
  return stored.rows
}

async function rated(...advisories: RatedAdvisory[]) {
  const [row] = await ratedAll({ 'CVE-1': advisories })
  return row
}

const ABSENT = {
  name: null,
  primaryScore: null,
  statedSeverity: null,
  publishedAt: null,
  modifiedAt: null,
  withdrawnAt: null,
}
const nvd: RatedAdvisory = { ...ABSENT, source: 'nvd', id: 'CVE-1', name: 'NVD' }
const cvelist: RatedAdvisory = { ...ABSENT, source: 'cvelist', id: 'CVE-1', name: 'CNA' }
const ghsa: RatedAdvisory = { ...ABSENT, source: 'osv', id: 'GHSA-1', name: 'GitHub' }
const alsa: RatedAdvisory = { ...ABSENT, source: 'osv', id: 'ALSA-1', name: 'AlmaLinux' }

function score(baseScore: number, source: string, version = '3.1'): CvssScore {
  return { version, baseScore, source, baseSeverity: '', vectorString: `${source} ${version}` }
}

describe('the name of a vulnerability', () => {
  it.each([
    ['CNA', [alsa, ghsa, nvd, cvelist]],
    ['NVD', [alsa, ghsa, nvd]],
    ['GitHub', [alsa, ghsa]],
    ['AlmaLinux', [{ ...cvelist, name: null }, alsa]],
    ['CVE-1', [{ ...cvelist, name: null }]],
  ])(
    'is %s: of the CVE List, else NVD, else GitHub, else another, else the id',
    async (name, all) => {
      expect(await rated(...all)).toMatchObject({ name })
    },
  )
})

describe('the severity', () => {
  it('is that of the best score of all advisories', async () => {
    const scored = [
      { ...cvelist, primaryScore: score(5, 'cna') },
      { ...nvd, primaryScore: score(9.8, 'nvd@nist.gov') },
    ]

    expect(await rated(...scored)).toMatchObject({ severity: 'Critical', primaryScore: 9.8 })
  })

  it('is the stated one only without any score', async () => {
    const stated: RatedAdvisory = { ...ghsa, statedSeverity: 'Low' }
    const scored = { ...nvd, primaryScore: score(7, 'x') }

    expect(await rated(stated)).toMatchObject({ severity: 'Low', primaryScore: null })
    expect(await rated(stated, scored)).toMatchObject({ severity: 'High' })
    expect(await rated(ghsa)).toMatchObject({ severity: 'Unknown' })
  })
})

it('lets withdrawn advisories speak only where no other is left', async () => {
  const withdrawn = { ...cvelist, withdrawnAt: new Date(0), primaryScore: score(10, 'cna') }

  expect(await rated(withdrawn, nvd)).toMatchObject({ name: 'NVD', severity: 'Unknown' })
  expect(await rated(withdrawn)).toMatchObject({ name: 'CNA', severity: 'Critical' })
})

it('is published first and modified last of all', async () => {
  const [early, late] = [new Date('2026-01-01'), new Date('2026-02-01')]
  const advisories = [
    { ...nvd, publishedAt: late, modifiedAt: early },
    { ...cvelist, publishedAt: early, modifiedAt: late },
    ghsa,
  ]

  expect(await rated(...advisories)).toMatchObject({ publishedAt: early, modifiedAt: late })
})

const arbitraryScore = fc.record({
  version: fc.constantFrom('2.0', '3.0', '3.1', '4.0'),
  vectorString: fc.constantFrom('CVSS:a', 'CVSS:b', 'AV:N'),
  baseScore: fc.constantFrom(0, 0.1, 3.9, 4, 6.9, 7, 8.9, 9, 9.8, 10),
  baseSeverity: fc.constant(''),
  source: fc.constantFrom(
    'nvd@nist.gov',
    'osv:GHSA',
    'CISA-ADP',
    '134c704f-9b21-4f2e-91b3-4a467353bcc0',
    'cna',
  ),
})
const arbitraryTime = fc.option(
  fc.constantFrom(...[1, 2, 3].map((day) => new Date(day * 86_400_000))),
)
const arbitraryAdvisory: fc.Arbitrary<RatedAdvisory> = fc.record({
  source: fc.constantFrom(...ADVISORY_SOURCES),
  id: fc.constantFrom('CVE-2026-1', 'GHSA-a', 'GHSA-b', 'ALSA-1', 'alsa-1', 'DSA_1'),
  name: fc.option(fc.constantFrom('one', 'two', 'three')),
  primaryScore: fc.option(arbitraryScore),
  statedSeverity: fc.option(fc.constantFrom(...SEVERITIES)),
  publishedAt: arbitraryTime,
  modifiedAt: arbitraryTime,
  withdrawnAt: fc.oneof(fc.constant(null), arbitraryTime),
})
const arbitraryAdvisories = fc.uniqueArray(arbitraryAdvisory, {
  minLength: 1,
  maxLength: 5,
  selector: ({ source, id }) => `${source} ${id}`,
})

it('follows the rules for any advisories', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryAdvisories, { minLength: 30, maxLength: 60 }),
      async (all) => {
        const described = Object.fromEntries(all.map((of, n) => [`CVE-2026-${1000 + n}`, of]))

        const stored = await ratedAll(described)

        const orNull = (rating: VulnerabilityRating) => ({
          ...rating,
          primaryScore: rating.primaryScore ?? null,
          publishedAt: rating.publishedAt ?? null,
          modifiedAt: rating.modifiedAt ?? null,
        })
        expect(stored).toEqual(
          Object.entries(described).map(([id, of]) => orNull(rateVulnerability(id, of))),
        )
      },
    ),
    { numRuns: propertyRuns(40, 10) },
  )
})
