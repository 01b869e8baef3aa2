/** At which of the active deployments too many devices failed; one that was stopped for that is active still. */
import { sql } from 'kysely'
import type { FailureRateCondition } from '../alert-rules/index.ts'
import type { DueRule } from './evaluation.ts'
import type { Judgement } from './verdicts-store.ts'

export type FailureRateRule = Extract<DueRule, { condition: FailureRateCondition }>

/** Values are percent of the devices that ended. Where none is judged, nothing is wrong. */
export function failureRateJudgement(
  workspaceId: string,
  rules: readonly FailureRateRule[],
): Judgement {
  const asked = rules.map(({ condition }, entry) => ({ entry, ...condition }))
  return sql`
    rate_rules as materialized (
      select * from json_to_recordset(${JSON.stringify(asked)}::json) as given (entry int, "deploymentCohortId" text,
        "thresholdPercent" float8, "minimumFinished" int)
    ), rated as materialized (
      select rule.entry, rule."thresholdPercent" as threshold, deployment.id::text as series,
        deployment.name || ', ' || cohort.name as label,
        case when deployment.succeeded + deployment.failed >= rule."minimumFinished"
          then 100.0::float8 * deployment.failed / (deployment.succeeded + deployment.failed) end as value
      from rate_rules as rule
      join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.is_active
        and (rule."deploymentCohortId" is null or deployment.cohort_id::text = rule."deploymentCohortId")
      join deployment_cohorts as cohort
        on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id
    ), firing as materialized (
      select entry, series, label, value from rated where value > threshold
    ), kept as (
      select entry, series from rated where false
    ), measured as (
      select rule.entry, count(rated.series) as series_count, greatest(count(rated.value), 1) as value_count,
        min(rated.value) as lowest, max(rated.value) as highest
      from rate_rules as rule left join rated using (entry) group by rule.entry
    )`
}
