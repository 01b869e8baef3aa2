/** Has each rule judged by what its type asks for: rules of a kind in one statement. */
import type { Tx } from '../../platform/db/connect.ts'
import type { DueRule, Outcome } from './evaluation.ts'
import type { EngineContext } from './engine-service.ts'
import { metricJudgement, type MetricRule } from './metric-judging-store.ts'
import { type Judgement, settleSeries } from './settle-store.ts'

export interface Judging {
  workspaceId: string
  rules: readonly DueRule[]
}

/** Outcomes by the ids of rules. */
export async function judgeRules(
  _ctx: EngineContext,
  tx: Tx,
  { workspaceId, rules }: Judging,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  const settle = async (of: readonly DueRule[], judgement: Judgement) => {
    const settled = await settleSeries(tx, workspaceId, { rules: of, judgement })
    for (const [at, { id }] of of.entries()) {
      const outcome = settled[at]
      if (outcome) outcomes.set(id, outcome)
    }
  }
  const metricRules = rules.filter(isMetricRule)
  if (metricRules.length > 0) await settle(metricRules, metricJudgement(workspaceId, metricRules))
  return outcomes
}

function isMetricRule(rule: DueRule): rule is MetricRule {
  return rule.type === 'MetricFixedThreshold' || rule.type === 'MetricPercentualThreshold'
}
