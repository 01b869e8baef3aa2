/** Finds the findings that are as urgent by SSVC as a rule asks for, whatever made them so: a record, the product, the fleet or the tree. */
import { ALL_CONTEXTS } from '../../formats/ssvc/classes.ts'
import { encodeFindingId } from '../../formats/finding-id.ts'
import type { Tx } from '../../platform/db/connect.ts'
import type { UrgentFindingCondition } from '../alert-rules/index.ts'
import {
  type DecidingTree,
  describeOutcome,
  findOutcomeBounds,
  listContexts,
  readDecidingTree,
  requireOutcome,
} from '../ssvc/index.ts'
import type { DueRule, RuleVerdict } from './evaluation.ts'
import { listUrgentFindings, type UrgentFinding } from './urgent-findings-store.ts'

export type UrgencyRule = Extract<DueRule, { type: 'UrgentVulnerabilityFinding' }>

/** So many fire at the same time: the most urgent ones. */
const MOST_FIRING = 20_000

/** A series is a finding; values are CVSS scores. Fails where the tree that holds has no such outcome. */
export async function judgeUrgentFindings(
  tx: Tx,
  workspaceId: string,
  rules: readonly UrgencyRule[],
): Promise<RuleVerdict[]> {
  const deciding = await readDecidingTree(tx, workspaceId)
  const contexts = await listContexts(tx, workspaceId)
  const verdicts: RuleVerdict[] = []
  for (const { condition } of rules)
    verdicts.push(await judge(tx, { workspaceId, deciding, contexts, condition }))
  return verdicts
}

interface Judged {
  workspaceId: string
  deciding: DecidingTree
  contexts: readonly bigint[]
  condition: UrgentFindingCondition
}

async function judge(
  tx: Tx,
  { workspaceId, deciding, contexts, condition }: Judged,
): Promise<RuleVerdict> {
  const { tree, decisions } = deciding
  const from = requireOutcome(tree, condition.ssvcFrom, '/condition/ssvcFrom')
  const wanted = new Set([...tree.outcomes.keys()].filter((outcome) => outcome >= from))
  const found = await listUrgentFindings(tx, workspaceId, {
    ssvc: findOutcomeBounds(decisions, contexts, wanted),
    from,
    firmwareIds: condition.firmwareIds,
    onlyRunning: condition.onlyWhereDevicesRun,
    onlyUndecided: condition.watches === 'Undecided',
    limit: MOST_FIRING,
  })
  const totalCount = found[0]?.totalCount ?? 0
  return {
    meeting: found.map((one) => ({
      series: encodeFindingId(one),
      label: describeSeries(one, deciding),
      value: one.score,
    })),
    kept: [],
    seriesCount: totalCount,
    // Where nothing is urgent the rule has a status of Ok, not NoData.
    valueCount: Math.max(totalCount, 1),
    lowest: null,
    highest: null,
  }
}

/** `CVE-2026-1 in openssl 3.0.1, Gateway 1.4 (Track to Act, known exploited)` */
function describeSeries(one: UrgentFinding, { tree, decisions }: DecidingTree): string {
  const { vulnerabilityId, componentName, componentVersion, firmwareName, versionName } = one
  const contexts = BigInt(one.contexts) & ALL_CONTEXTS
  const nameOf = (outcome: number) => tree.outcomes[outcome]?.name ?? ''
  const outcome = describeOutcome({
    ssvcOutcome: nameOf(decisions.decide(one.ratedClass, contexts)),
    ssvcLeastOutcome: nameOf(decisions.decideLeast(one.ratedClass, contexts)),
  })
  const component =
    componentVersion === null ? componentName : `${componentName} ${componentVersion}`
  const known = one.isExploited ? ', known exploited' : ''
  return `${vulnerabilityId} in ${component}, ${firmwareName} ${versionName} (${outcome}${known})`
}
