/** Which devices are away for longer than rules allow: those that are, however many there are, are read once. */
import { sql } from 'kysely'
import { type DeviceOfflineCondition, durationSeconds } from '../alert-rules/index.ts'
import type { DueRule } from './evaluation.ts'
import type { Judgement } from './verdicts-store.ts'

export type OfflineRule = Extract<DueRule, { condition: DeviceOfflineCondition }>

/** Values are minutes since the device was seen last. One that was never seen is not offline: nobody knows it yet. */
export function offlineJudgement(workspaceId: string, rules: readonly OfflineRule[]): Judgement {
  const cutOffs = rules.map(
    ({ windowEnd, condition }) =>
      windowEnd.getTime() - durationSeconds(condition.offlineFor) * 1000,
  )
  const asked = rules.map(({ windowEnd, condition: { deploymentCohortId, tags } }, entry) => ({
    entry,
    cohortId: deploymentCohortId,
    tags,
    seenBefore: new Date(cutOffs[entry] ?? 0),
    windowEnd,
  }))
  return sql`
    offline_rules as materialized (
      select * from json_to_recordset(${JSON.stringify(asked)}::json) as given (entry int, "cohortId" text,
        tags text[], "seenBefore" timestamptz, "windowEnd" timestamptz)
    ), away as materialized (
      select id, cohort_id::text as cohort_id, tags, last_seen_at from devices
      where workspace_id = ${workspaceId} and not connected and last_seen_at < ${new Date(Math.max(...cutOffs))}
    ), firing as materialized (
      select rule.entry, away.id as series, null::text as label,
        floor(extract(epoch from rule."windowEnd" - away.last_seen_at) / 60)::float8 as value
      from offline_rules as rule join away on away.last_seen_at < rule."seenBefore"
      where (rule."cohortId" is null or away.cohort_id = rule."cohortId") and away.tags @> rule.tags
    ), kept as (
      select entry, series from firing where false
    ), measured as (
      select rule.entry, count(firing.series) as series_count, greatest(count(firing.series), 1) as value_count,
        min(firing.value) as lowest, max(firing.value) as highest
      from offline_rules as rule left join firing using (entry) group by rule.entry
    )`
}
