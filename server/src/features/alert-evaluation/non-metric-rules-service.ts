/** Rules about findings, vulnerability sources, devices and deployments: those of a type in one statement. */
import type { Tx } from '../../platform/db/connect.ts'
import type { SourceStaleCondition } from '../alert-rules/index.ts'
import { getSourceHealth } from '../feeds/index.ts'
import type { EngineContext } from './service.ts'
import type { DueRule, Outcome } from './evaluation.ts'
import { failureRateJudgement, type FailureRateRule } from './failure-rate-store.ts'
import { changedJudgement, judgeFindings } from './finding-rules/store.ts'
import {
  FINDING_LIMITS,
  type FindingRule,
  listFindingBacklogs,
  lookedAt,
} from './finding-rules/rules-store.ts'
import { offlineJudgement, type OfflineRule } from './offline-devices-store.ts'
import { type Judgement, settleSeries } from './verdicts-store.ts'
import { judgeSources, type SourceHealth } from './stale-sources.ts'
import { toldJudgement, type ToldSeries } from './known-verdicts-store.ts'

type SourceRule = Extract<DueRule, { condition: SourceStaleCondition }>

interface Judging {
  workspaceId: string
  rules: readonly DueRule[]
}

/** Outcomes by the ids of rules; rules of other types have none. */
export async function judgeCoreRules(
  ctx: EngineContext,
  tx: Tx,
  { workspaceId, rules }: Judging,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  const settle = async <Rule extends DueRule>(
    of: readonly Rule[],
    judgementOf: (of: readonly Rule[]) => Promise<Judgement> | Judgement,
  ) => {
    if (of.length === 0) return
    const judgement = await judgementOf(of)
    const settled = await settleSeries(tx, workspaceId, { rules: of, judgement })
    for (const [id, outcome] of settled) outcomes.set(id, outcome)
  }
  await settle(rules.filter(isSourceRule), (of) => sourceJudgement(ctx, tx, of))
  await settle(rules.filter(isOfflineRule), (of) => offlineJudgement(workspaceId, of))
  await settle(rules.filter(isFailureRateRule), (of) => failureRateJudgement(workspaceId, of))
  await settle(rules.filter(isFindingRule), async (of) => {
    const ids = of.map(({ id }) => id)
    const backlogs = await listFindingBacklogs(tx, workspaceId, ids)
    const looked = lookedAt(of, { backlogs, limits: FINDING_LIMITS })
    return changedJudgement(await judgeFindings(tx, workspaceId, looked))
  })
  return outcomes
}

/** Values are hours since the last complete success. */
async function sourceJudgement(
  { config }: EngineContext,
  tx: Tx,
  rules: readonly SourceRule[],
): Promise<Judgement> {
  const told: ToldSeries[] = []
  const ends = new Map(rules.map(({ windowEnd }) => [windowEnd.getTime(), windowEnd]))
  const healths = new Map<number, readonly SourceHealth[]>()
  for (const [time, end] of ends)
    healths.set(time, await getSourceHealth({ config, db: tx, now: () => end }))
  for (const [entry, { windowEnd, condition }] of rules.entries()) {
    const health = healths.get(windowEnd.getTime()) ?? []
    const judged = judgeSources(condition, { health, switchedOn: config.feeds.sources })
    for (const { source, name, ageHours, isStale } of judged)
      told.push({ entry, series: source, label: name, value: ageHours, isFiring: isStale })
  }
  return toldJudgement(told, rules.length)
}

const isSourceRule = (rule: DueRule): rule is SourceRule => rule.type === 'VulnerabilitySourceStale'
const isOfflineRule = (rule: DueRule): rule is OfflineRule => rule.type === 'DeviceOffline'
const isFailureRateRule = (rule: DueRule): rule is FailureRateRule =>
  rule.type === 'DeploymentFailureRate'
const isFindingRule = (rule: DueRule): rule is FindingRule =>
  rule.type === 'NewVulnerabilityFinding'
