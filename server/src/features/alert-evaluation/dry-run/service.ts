/** Shows what a rule would have done over the last day. Records nothing and notifies nobody. */
import { DAY_MS } from '../../../formats/instants.ts'
import { isStatementTimeout, type Tx } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { startPauses } from '../../../platform/pauses.ts'
import { isUuid } from '../../../platform/ids.ts'
import {
  durationSeconds,
  listRules,
  type MetricCondition,
  type RuleCommand,
  type RuleCondition,
  scheduledBefore,
  validateCommand,
} from '../../alert-rules/index.ts'
import { windowOf } from '../evaluation.ts'
import { collectMeasures, type MetricRuleInput } from '../metric-rules/measures.ts'
import { verdictsOf } from '../metric-rules/service.ts'
import { countChosenSeries } from '../metric-rules/store.ts'
import type { EvaluationContext } from '../evaluators-service.ts'
import { limitStatements } from '../statement-settings-store.ts'
import { currentStateAnswer, replayAnswer } from './answer.ts'
import { evaluateNow } from './current-state-service.ts'
import { replay, type ReplayedEvaluation } from './replay.ts'

const MAX_SECONDS = 30
/** Values of all series at all instants; more would take longer than a request may. */
const MAX_VALUES = 1_000_000

export async function dryRunCommand(
  ctx: EvaluationContext,
  { workspaceId, ...command }: RuleCommand & { workspaceId: string },
) {
  const rule = await readOnly(ctx, (tx) =>
    validateCommand(tx, workspaceId, { state: 'Enabled', ...command }),
  )
  return dryRun(ctx, { workspaceId, rule })
}

export async function dryRunRule(
  ctx: EvaluationContext,
  { workspaceId, alertRuleId: id }: { workspaceId: string; alertRuleId: string },
) {
  const [rule] = isUuid(id) ? await listRules(ctx.db, workspaceId, { id }) : []
  if (!rule) throw notFound('alert rule', id)
  return dryRun(ctx, { workspaceId, rule })
}

async function dryRun(
  ctx: EvaluationContext,
  { workspaceId, rule }: { workspaceId: string; rule: Rule },
) {
  const { type, condition, evaluationFrequency } = rule
  if (type === 'MetricFixedThreshold' || type === 'MetricPercentualThreshold')
    return readOnly(ctx, (tx) =>
      replayDay(ctx, tx, { workspaceId, rule: { type, condition, evaluationFrequency } }),
    )
  return withTimeout(async () => {
    const limit = (tx: Tx) => limitStatements(tx, MAX_SECONDS)
    return currentStateAnswer(
      await evaluateNow(ctx, { workspaceId, rule: conditionOf(rule) }, limit),
    )
  })
}

/** Leaves out the other fields of a stored rule. */
function conditionOf({ evaluationFrequency, ...rule }: Rule): Rule {
  const { type, condition } = rule
  return { type, condition, evaluationFrequency } as Rule
}

async function readOnly<Result>(
  { db }: EvaluationContext,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return withTimeout(() =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await limitStatements(tx, MAX_SECONDS)
        return work(tx)
      }),
  )
}

async function withTimeout<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      `The dry run takes longer than ${MAX_SECONDS} s: choose a cohort, a shorter window or a less frequent evaluation.`,
      '/condition',
    )
  }
}

type Rule = RuleCondition & { evaluationFrequency: string }

interface MetricRule {
  type: MetricRuleInput['type']
  condition: MetricCondition
  evaluationFrequency: string
}

async function replayDay(
  ctx: EvaluationContext,
  tx: Tx,
  { workspaceId, rule }: { workspaceId: string; rule: MetricRule },
) {
  const { type, condition, evaluationFrequency } = rule
  const instants = instantsOfLastDay(ctx.now(), durationSeconds(evaluationFrequency))
  const rules = instants.map((at): MetricRuleInput => ({
    type,
    condition,
    ...windowOf(condition, at),
    incidentId: '',
  }))
  const seriesCount = await countChosenSeries(tx, workspaceId, collectMeasures(rules))
  requireFewValues(seriesCount * instants.length, condition)
  const verdicts = await verdictsOf(tx, workspaceId, rules)
  const evaluations = instants.flatMap((at, index): ReplayedEvaluation[] => {
    const verdict = verdicts[index]
    return verdict ? [{ at, verdict }] : []
  })
  const replayed = await replay(evaluations, startPauses())
  return replayAnswer({ instants, seriesCount, evaluationFrequency }, replayed)
}

/** Oldest first. */
function instantsOfLastDay(now: Date, frequencySeconds: number): Date[] {
  const last = scheduledBefore(now, frequencySeconds).getTime()
  const step = frequencySeconds * 1_000
  const count = Math.floor(DAY_MS / step)
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * step))
}

function requireFewValues(values: number, { deploymentCohortId }: MetricCondition): void {
  if (values <= MAX_VALUES) return
  const advice = deploymentCohortId === null ? 'choose a cohort' : 'choose a smaller cohort'
  throw invalid(
    `The last day has ${values} values, and a dry run takes at most ${MAX_VALUES}: ${advice}, or a less frequent evaluation.`,
    '/condition',
  )
}
