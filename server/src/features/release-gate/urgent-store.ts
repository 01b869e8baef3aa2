/** The findings of firmware versions that are as urgent by SSVC as the release gate asks for. */
import { sql } from 'kysely'
import type { Acceptance } from '../../formats/acceptances.ts'
import type { Db } from '../../platform/db/connect.ts'
import { type GateOutcomes, RATED_CLASS } from '../ssvc/index.ts'
import { type GateFinding, type GateScope, selectCounted, selectOpenFindings } from './store.ts'

interface UrgentFinding extends GateFinding {
  ratedClass: number
  isCounted: boolean
  acceptance: Acceptance | null
}

interface UrgentCounts {
  count: number
  /** Those of them that may be less urgent once all is known. */
  uncertainCount: number
  /** Ignored findings that would count otherwise. */
  acceptedCount: number
}

const selectUrgent = (classes: GateOutcomes['classes']) => sql`
  select * from unnest(${classes.map((one) => one.firmwareVersionId)}::uuid[], ${classes.map((one) => one.ratedClass)}::int[],
    ${classes.map((one) => one.outcome)}::int[], ${classes.map((one) => one.isUncertain)}::boolean[])
    as given (firmware_version_id, rated_class, outcome, is_uncertain)`

/** How many of each version count; those without are left out. */
export async function countUrgent(
  db: Db,
  scope: GateScope & Pick<GateOutcomes, 'classes'>,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    with urgent as (${selectUrgent(scope.classes)}), open as (
      select fact.firmware_version_id, ${RATED_CLASS} as rated_class, ${selectCounted(scope)} as is_counted
      from ${selectOpenFindings(scope)}
    )
    select firmware_version_id as id, count(*)::int as count
    from open join urgent using (firmware_version_id, rated_class) where is_counted group by 1`.execute(
    db,
  )
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Counts them, and lists the most urgent ones: at most `limit` of those that count, and of those that somebody accepted. */
export async function findUrgent(
  db: Db,
  scope: GateScope & Pick<GateOutcomes, 'classes'>,
  limit: number,
): Promise<UrgentCounts & { rows: UrgentFinding[] }> {
  const { classes } = scope
  const { rows } = await sql<UrgentFinding & UrgentCounts>`
    with urgent as (${selectUrgent(classes)}), open as (
      select fact.firmware_version_id, fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
        match.score as cvss_score, vulnerability.is_known_exploit, fact.component_name, fact.component_version,
        match.is_exploited, ${RATED_CLASS} as rated_class, ${selectCounted(scope)} as is_counted,
        decision.acceptance
      from ${selectOpenFindings(scope)}
    ), ranked as (
      select open.*, row_number() over (partition by is_counted order by outcome desc, is_exploited desc,
          cvss_score desc nulls last, vulnerability_id, package_id, firmware_version_id) as place,
        (count(*) filter (where is_counted) over ())::int as count,
        (count(*) filter (where is_counted and is_uncertain) over ())::int as uncertain_count,
        (count(*) filter (where not is_counted) over ())::int as accepted_count
      from open join urgent using (firmware_version_id, rated_class)
    )
    select firmware_version_id, package_id, vulnerability_id, name, severity, cvss_score, is_known_exploit, component_name,
      component_version, rated_class, is_counted, acceptance, count, uncertain_count, accepted_count
    from ranked where place <= ${limit} order by is_counted desc, place`.execute(db)
  const { count = 0, uncertainCount = 0, acceptedCount = 0 } = rows[0] ?? {}
  return { count, uncertainCount, acceptedCount, rows }
}
