/** Finds active deployments in which too many devices failed, or that stopped themselves. */
import { sql } from 'kysely'
import type { FailureRateCondition } from '../alert-rules/index.ts'
import { defineMaterialized, nameTable } from './cte-store.ts'
import type { DueRule } from './evaluation.ts'
import type { VerdictQueries } from './verdicts-store.ts'

export type FailureRateRule = Extract<DueRule, { condition: FailureRateCondition }>

/**
 * Values are failed devices in percent of finished ones; null: too few have finished. A deployment that stopped itself fires however
 * few they are: it waits for a person. A rule without such a deployment counts as one with a value, so that its status is Ok.
 */
export function selectFailureRates(
  workspaceId: string,
  rules: readonly FailureRateRule[],
): VerdictQueries {
  const given = rules.map(({ condition }, entry) => ({ entry, ...condition }))
  const rateRules = defineMaterialized(
    nameTable<{ entry: number } & FailureRateCondition>('rate_rules'),
    sql`
      select * from json_to_recordset(${JSON.stringify(given)}::json) as given (entry int, "deploymentCohortId" text,
        "thresholdPercent" float8, "minimumFinished" int)`,
  )
  const rates = defineMaterialized(
    nameTable<{
      entry: number
      threshold: number
      series: string
      label: string
      value: number | null
      stopped: boolean
    }>('failure_rates'),
    sql`
      select rule.entry, rule."thresholdPercent" as threshold, deployment.id::text as series,
        deployment.name || ', ' || cohort.name as label,
        case when deployment.state = 'Stopped' or deployment.succeeded + deployment.failed >= rule."minimumFinished"
          then 100.0::float8 * deployment.failed / greatest(deployment.succeeded + deployment.failed, 1) end as value,
        deployment.state = 'Stopped' as stopped
      from ${rateRules.table} as rule
      join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.is_active
        and (rule."deploymentCohortId" is null or deployment.cohort_id::text = rule."deploymentCohortId")
      join deployment_cohorts as cohort
        on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id`,
  )
  return {
    ctes: [rateRules, rates],
    meeting: sql`select entry, series, label, value from ${rates.table} where stopped or value > threshold`,
    totals: () => sql`
      select rule.entry, count(rate.series) as series_count, greatest(count(rate.value), 1) as value_count,
        min(rate.value) as lowest, max(rate.value) as highest
      from ${rateRules.table} as rule left join ${rates.table} as rate using (entry) group by rule.entry`,
  }
}
