/** Has each rule judged by what its type asks for: rules of a kind in one statement. */
import type { Tx } from '../../platform/db/connect.ts'
import { judgeCoreRules } from './non-metric-rules-service.ts'
import type { DueRule, Outcome } from './evaluation.ts'
import type { EngineContext } from './service.ts'
import { judgeMetricRules } from './metric-rules/service.ts'
import type { MetricRule } from './metric-rules/selection.ts'

export interface Judging {
  workspaceId: string
  rules: readonly DueRule[]
}

/** Outcomes by the ids of rules. */
export async function judgeRules(
  ctx: EngineContext,
  tx: Tx,
  { workspaceId, rules }: Judging,
): Promise<Map<string, Outcome>> {
  const metricRules = rules.filter(isMetricRule)
  const outcomes = await judgeMetricRules(tx, workspaceId, metricRules)
  return new Map([...outcomes, ...(await judgeCoreRules(ctx, tx, { workspaceId, rules }))])
}

function isMetricRule(rule: DueRule): rule is MetricRule {
  return rule.type === 'MetricFixedThreshold' || rule.type === 'MetricPercentualThreshold'
}
