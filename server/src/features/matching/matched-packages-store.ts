/** What is kept of packages that were matched. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { JudgedPackage } from './changed-match.ts'

/** What is kept of a package that was matched. */
export interface MatchedPackage {
  id: string
  /** What its names without vendor mean. */
  resolved: readonly string[]
  isNamed: boolean
  registry: string | undefined
  /** What the knowledge lacks about it. */
  gap: string | undefined
}

/**
 * Marks the packages as matched and updates their counts of undecided records from `package_undecided`. Answers those that are
 * judged now and were not, or the other way round.
 */
export async function updatePackagesAsMatched(
  tx: Tx,
  packages: readonly MatchedPackage[],
  { at, rulesVersion }: { at: Date; rulesVersion: number | undefined },
): Promise<JudgedPackage[]> {
  const { rows } = await sql<{ revision: number }>`
    select last_value as revision from knowledge_revision`.execute(tx)
  const updated = await sql<JudgedPackage>`
    update packages
    set matched_at = ${at}, match_rules_version = coalesce(${rulesVersion ?? null}, match_rules_version),
      matched_revision = ${rows[0]?.revision ?? 0},
      is_named = matched."isNamed", registry = matched.registry, resolved = matched.resolved,
      gap = matched.gap, undecided = coalesce(counted.reasons, '{}')
    from json_to_recordset(${JSON.stringify(packages)}::json)
      as matched (id uuid, resolved jsonb, "isNamed" boolean, registry text, gap text)
    left join (
      select package_id, jsonb_object_agg(reason, count) as reasons
      from (
        select package_id, reason, count(*)::int as count from package_undecided
        where package_id = any(${packages.map(({ id }) => id)}::uuid[]) group by package_id, reason
      ) as each
      group by package_id
    ) as counted on counted.package_id = matched.id
    join (select id, gap from packages) as before on before.id = matched.id
    where packages.id = matched.id
    returning packages.id as package_id, before.gap is null as was_judged, packages.gap is null as is_judged`.execute(
    tx,
  )
  return updated.rows.filter(({ wasJudged, isJudged }) => wasJudged !== isJudged)
}

/** Tells the planner what is in the tables now. */
export async function analyzeMatches(db: Db): Promise<void> {
  await sql`analyze package_matches, packages, package_keys, firmware_version_packages`.execute(db)
}
