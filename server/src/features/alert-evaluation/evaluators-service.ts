/** Evaluates due rules by their types: all rules of a type together. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { getSourceHealth } from '../feeds/index.ts'
import type { SourceStaleCondition } from '../alert-rules/index.ts'
import type { DueRule, Outcome, RuleVerdict } from './evaluation.ts'
import {
  type CrashRateRule,
  type CrashRule,
  judgeCrashRates,
  judgeEndingSupport,
  judgeLicences,
  judgeNewCrashes,
  type LicenceRule,
  type SupportRule,
} from './version-rules-service.ts'
import {
  type CertificateRule,
  type DeadlineRule,
  judgeCertificateEnds,
  judgeDeadlines,
  judgeProductSupport,
  type ProductSupportRule,
} from './clock-rules-service.ts'
import { type FailureRateRule, selectFailureRates } from './failure-rate-store.ts'
import {
  FINDING_LIMITS,
  type FindingRule,
  listFindingBacklogs,
  planScan,
} from './finding-rules/rules-store.ts'
import { selectChangedFindings, scanFindings } from './finding-rules/store.ts'
import type { MetricRule } from './metric-rules/measures.ts'
import { evaluateMetricRules } from './metric-rules/service.ts'
import {
  type OfflineRule,
  type OldKeyRule,
  selectOfflineDevices,
  selectOldKeys,
} from './device-rules-store.ts'
import { type SourceHealth, judgeStaleSources } from './stale-sources.ts'
import { judgeUrgentFindings, type UrgencyRule } from './urgent-findings-service.ts'
import { selectComputedVerdicts, recordVerdicts, type VerdictQueries } from './verdicts-store.ts'

export type EvaluationContext = Pick<AppContext, 'db' | 'now' | 'log' | 'config'>

type SourceRule = Extract<DueRule, { condition: SourceStaleCondition }>

export interface RuleList {
  workspaceId: string
  rules: readonly DueRule[]
}

/** Outcomes by the ids of rules. */
export async function evaluateRules(
  ctx: EvaluationContext,
  tx: Tx,
  { workspaceId, rules }: RuleList,
): Promise<Map<string, Outcome>> {
  const sourceRules = rules.filter(isSourceRule)
  const offlineRules = rules.filter(isOfflineRule)
  const failureRateRules = rules.filter(isFailureRateRule)
  const findingRules = rules.filter(isFindingRule)
  const supportRules = rules.filter(isSupportRule)
  const urgencyRules = rules.filter(isUrgencyRule)
  const deadlineRules = rules.filter(isDeadlineRule)
  const productRules = rules.filter(isProductRule)
  const certificateRules = rules.filter(isCertificateRule)
  const licenceRules = rules.filter(isLicenceRule)
  const crashRules = rules.filter(isCrashRule)
  const crashRateRules = rules.filter(isCrashRateRule)
  const oldKeyRules = rules.filter(isOldKeyRule)
  const outcomes = new Map(await evaluateMetricRules(tx, workspaceId, rules.filter(isMetricRule)))
  const record = async (of: readonly DueRule[], find: () => FoundVerdicts) => {
    if (of.length === 0) return
    const recorded = await recordVerdicts(tx, workspaceId, { rules: of, queries: await find() })
    for (const [id, outcome] of recorded) outcomes.set(id, outcome)
  }
  const compute = (of: readonly DueRule[], judge: () => Promise<RuleVerdict[]>) =>
    record(of, async () => selectComputedVerdicts(await judge()))
  await compute(sourceRules, () => checkSources(ctx, tx, sourceRules))
  await compute(supportRules, () => judgeEndingSupport(tx, workspaceId, supportRules))
  await compute(urgencyRules, () => judgeUrgentFindings(tx, workspaceId, urgencyRules))
  await compute(deadlineRules, () => judgeDeadlines(tx, workspaceId, deadlineRules))
  await compute(licenceRules, () => judgeLicences(tx, workspaceId, licenceRules))
  await compute(productRules, () => judgeProductSupport(tx, workspaceId, productRules))
  await compute(certificateRules, () => judgeCertificateEnds(tx, workspaceId, certificateRules))
  await compute(crashRules, () => judgeNewCrashes(tx, workspaceId, crashRules))
  await compute(crashRateRules, () => judgeCrashRates(tx, workspaceId, crashRateRules))
  await record(offlineRules, () => selectOfflineDevices(workspaceId, offlineRules))
  await record(oldKeyRules, () => selectOldKeys(workspaceId, oldKeyRules))
  await record(failureRateRules, () => selectFailureRates(workspaceId, failureRateRules))
  await record(findingRules, async () => {
    const ids = findingRules.map(({ id }) => id)
    const backlogs = await listFindingBacklogs(tx, workspaceId, ids)
    const scan = planScan(findingRules, { backlogs, limits: FINDING_LIMITS })
    return selectChangedFindings(await scanFindings(tx, workspaceId, scan))
  })
  return outcomes
}

type FoundVerdicts = VerdictQueries | Promise<VerdictQueries>

/** Values are hours since the last complete success. */
async function checkSources(
  { config }: EvaluationContext,
  tx: Tx,
  rules: readonly SourceRule[],
): Promise<RuleVerdict[]> {
  const ends = new Map(rules.map(({ windowEnd }) => [windowEnd.getTime(), windowEnd]))
  const healths = new Map<number, readonly SourceHealth[]>()
  for (const [time, end] of ends)
    healths.set(time, await getSourceHealth({ config, db: tx, now: () => end }))
  return rules.map(({ windowEnd, condition }) => {
    const health = healths.get(windowEnd.getTime()) ?? []
    return judgeStaleSources(condition, { health, enabled: config.feeds.sources })
  })
}

/** What evaluates the rules of a type. */
const EVALUATED_AS = {
  MetricFixedThreshold: 'metric',
  MetricPercentualThreshold: 'metric',
  VulnerabilitySourceStale: 'source',
  DeviceOffline: 'device',
  DeploymentFailureRate: 'failureRate',
  NewVulnerabilityFinding: 'finding',
  ComponentSupportEnding: 'support',
  UrgentVulnerabilityFinding: 'urgency',
  CaseDeadline: 'deadline',
  SupportEnding: 'productSupport',
  CertificateEnding: 'certificate',
  LicenceDenied: 'licence',
  NewCrash: 'crash',
  CrashRate: 'crashRate',
  OldDeviceKey: 'oldKey',
} as const satisfies Record<DueRule['type'], string>

const isMetricRule = (rule: DueRule): rule is MetricRule => EVALUATED_AS[rule.type] === 'metric'
const isSourceRule = (rule: DueRule): rule is SourceRule => EVALUATED_AS[rule.type] === 'source'
const isOfflineRule = (rule: DueRule): rule is OfflineRule => EVALUATED_AS[rule.type] === 'device'
const isFailureRateRule = (rule: DueRule): rule is FailureRateRule =>
  EVALUATED_AS[rule.type] === 'failureRate'
const isSupportRule = (rule: DueRule): rule is SupportRule => EVALUATED_AS[rule.type] === 'support'
const isDeadlineRule = (rule: DueRule): rule is DeadlineRule =>
  EVALUATED_AS[rule.type] === 'deadline'
const isLicenceRule = (rule: DueRule): rule is LicenceRule => EVALUATED_AS[rule.type] === 'licence'
const isProductRule = (rule: DueRule): rule is ProductSupportRule =>
  EVALUATED_AS[rule.type] === 'productSupport'
const isCertificateRule = (rule: DueRule): rule is CertificateRule =>
  EVALUATED_AS[rule.type] === 'certificate'
const isCrashRule = (rule: DueRule): rule is CrashRule => EVALUATED_AS[rule.type] === 'crash'
const isCrashRateRule = (rule: DueRule): rule is CrashRateRule =>
  EVALUATED_AS[rule.type] === 'crashRate'
const isOldKeyRule = (rule: DueRule): rule is OldKeyRule => EVALUATED_AS[rule.type] === 'oldKey'
const isUrgencyRule = (rule: DueRule): rule is UrgencyRule => EVALUATED_AS[rule.type] === 'urgency'
const isFindingRule = (rule: DueRule): rule is FindingRule => EVALUATED_AS[rule.type] === 'finding'
