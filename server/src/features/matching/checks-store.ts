/** What `admin doctor` reads of packages and their matches. All of it is global. */
import { sql } from 'kysely'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { Db } from '../../platform/db/connect.ts'
import { listWithoutJob } from '../../platform/jobs/late-jobs.ts'
import { KnowledgeChanged } from '../advisories/index.ts'

/** Merges whose packages no job will match again. */
export async function listForgottenRevisions(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('knowledgeChanges')
    .select('revision')
    .distinct()
    .orderBy('revision')
    .execute()
  const forgotten = await listWithoutJob(db, rows, {
    messages: [KnowledgeChanged],
    isMeant: sql`job.data ->> 'revision' = asked.row ->> 'revision'`,
  })
  return forgotten.map(({ revision }) => revision)
}

/** Open matches that have another rating than their vulnerability, and that no job is about to match again. */
export async function listMisratedMatches(
  db: Db,
): Promise<{ packageId: string; vulnerabilityId: string }[]> {
  const { rows } = await sql<{ packageId: string; vulnerabilityId: string }>`
    select match.package_id, match.vulnerability_id
    from package_matches as match
    left join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    where match.until is null
      and (match.severity, match.score, match.is_exploited) is distinct from (
        vulnerability.severity, vulnerability.primary_score, vulnerability.is_known_exploit or exists (
          select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id))
      and not exists (
        select from knowledge_changes as change where change.vulnerability_id = match.vulnerability_id)
    order by match.package_id, match.vulnerability_id`.execute(db)
  return rows
}

export async function countMatchedPackages(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from packages where matched_at is not null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Packages that were matched by these rules, in id order. Ids are hashes, so those after a random one are a sample. */
export async function listPackagesAfter(
  db: Db,
  { after, rulesVersion, limit }: { after: string; rulesVersion: number; limit: number },
): Promise<{ id: string; identity: PackageIdentity; resolved: string[] }[]> {
  return db
    .selectFrom('packages')
    .select('id')
    .select(sql<PackageIdentity>`identity`.as('identity'))
    .select(sql<string[]>`resolved`.as('resolved'))
    .where('id', '>', after)
    .where('matchedAt', 'is not', null)
    .where('matchRulesVersion', '=', rulesVersion)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export interface StoredVerdict {
  packageId: string
  vulnerabilityId: string
  /** A confidence, or why nothing can be told. */
  verdict: string
}

/** What is stored of these packages, and may be compared: no job is about to match the vulnerability again. */
export async function listStoredVerdicts(
  db: Db,
  packageIds: readonly string[],
): Promise<StoredVerdict[]> {
  const { rows } = await sql<StoredVerdict>`
    select package_id, vulnerability_id, confidence as verdict from package_matches
    where package_id = any(${packageIds}::uuid[]) and until is null
    union all
    select package_id, vulnerability_id, reason from package_undecided
    where package_id = any(${packageIds}::uuid[])`.execute(db)
  return rows
}

/** Vulnerabilities that a job is about to match again; `*`: those of whole distributions. */
export async function listPendingVulnerabilities(db: Db): Promise<Set<string>> {
  const rows = await db
    .selectFrom('knowledgeChanges')
    .select('vulnerabilityId')
    .distinct()
    .execute()
  return new Set(rows.map(({ vulnerabilityId }) => vulnerabilityId))
}
