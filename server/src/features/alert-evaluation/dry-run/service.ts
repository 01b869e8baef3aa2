/** Shows what a rule would have done over the last day. Records nothing and notifies nobody. */
import type { AppContext } from '../../../platform/context.ts'
import { isStatementTimeout, type Tx } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import {
  describeCondition,
  type EvaluationFrequency,
  listReferencedNames,
  listRules,
  type RuleCommand,
  type RuleCondition,
  validateCommand,
} from '../../alert-rules/index.ts'
import type { EvaluationContext } from '../evaluators-service.ts'
import { limitStatements } from '../statement-settings-store.ts'
import { describeCurrentState } from './answer.ts'
import { evaluateNow } from './current-state-service.ts'
import type { ReplayAnswer, ReplayDay } from './replay-process.ts'

type DryRunContext = EvaluationContext & Pick<AppContext, 'calculators'>

const MAX_SECONDS = 30

export async function tryRuleCommand(
  ctx: DryRunContext,
  { workspaceId, ...command }: RuleCommand & { workspaceId: string },
) {
  const rule = await readOnly(ctx, (tx) =>
    validateCommand(tx, workspaceId, { state: 'Enabled', ...command }),
  )
  return dryRun(ctx, { workspaceId, rule })
}

export async function tryRule(
  ctx: DryRunContext,
  { workspaceId, alertRuleId: id }: { workspaceId: string; alertRuleId: string },
) {
  const [rule] = isUuid(id) ? await listRules(ctx.db, workspaceId, { id }) : []
  if (!rule) throw notFound('alert rule', id)
  return dryRun(ctx, { workspaceId, rule })
}

interface TriedRule {
  workspaceId: string
  rule: Rule
}

async function dryRun(ctx: DryRunContext, { workspaceId, rule }: TriedRule) {
  const names = await listReferencedNames(ctx.db, workspaceId, [rule])
  const conditionText = describeCondition(rule, names)
  return { conditionText, ...(await evaluateDay(ctx, { workspaceId, rule })) }
}

async function evaluateDay(ctx: DryRunContext, { workspaceId, rule }: TriedRule) {
  const { type, condition, evaluationFrequency } = rule
  if (type === 'MetricFixedThreshold' || type === 'MetricPercentualThreshold')
    return replayDay(ctx, { workspaceId, rule: { type, condition, evaluationFrequency } })
  return withTimeout(async () => {
    const limit = (tx: Tx) => limitStatements(tx, MAX_SECONDS)
    return describeCurrentState(
      await evaluateNow(ctx, { workspaceId, rule: pickCondition(rule) }, limit),
    )
  })
}

/** Leaves out the other fields of a stored rule. */
function pickCondition({ evaluationFrequency, ...rule }: Rule): Rule {
  const { type, condition } = rule
  return { type, condition, evaluationFrequency } as Rule
}

async function readOnly<Result>(
  { db }: DryRunContext,
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

type Rule = RuleCondition & { evaluationFrequency: EvaluationFrequency }

const REPLAYER = new URL('./replay-process.ts', import.meta.url)

/** All values of a day: in a process of its own. */
async function replayDay(
  ctx: DryRunContext,
  { workspaceId, rule }: Pick<ReplayDay, 'workspaceId' | 'rule'>,
): Promise<ReplayAnswer> {
  const asked: ReplayDay = { workspaceId, rule, now: ctx.now(), maxSeconds: MAX_SECONDS }
  return withTimeout(async () => (await ctx.calculators.answer(REPLAYER, asked)) as ReplayAnswer)
}
