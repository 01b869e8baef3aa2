/** Has each rule judged by what its type asks for: rules of a kind in one statement. */
import type { Tx } from '../../platform/db/connect.ts'
import { judgeCoreRules } from './core-judging-service.ts'
import type { DueRule, Outcome } from './evaluation.ts'
import type { EngineContext } from './engine-service.ts'
import { judgeMetricRules } from './metric-judging-service.ts'
import type { MetricRule } from './metric-selection.ts'

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
