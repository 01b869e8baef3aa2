/** Shows what a rule would have done over the last days. Records nothing and notifies nobody. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { isStatementTimeout } from '../../../platform/db/failures.ts'
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
import type { ReplayAnswer, ReplayedDays } from './replay-process.ts'

type DryRunContext = EvaluationContext & Pick<AppContext, 'calculators'>

const MAX_SECONDS = 30

export async function tryRuleCommand(
  ctx: DryRunContext,
  {
    workspaceId,
    days = 1,
    ...command
  }: RuleCommand & { workspaceId: string; days?: number | undefined },
) {
  const rule = await readOnly(ctx, (tx) =>
    validateCommand(tx, workspaceId, { state: 'Enabled', ...command }),
  )
  return dryRun(ctx, { workspaceId, rule, days })
}

export async function tryRule(
  ctx: DryRunContext,
  { workspaceId, alertRuleId: id, days = 1 }: AskedRule,
) {
  const [rule] = isUuid(id) ? await listRules(ctx.db, workspaceId, { id }) : []
  if (!rule) throw notFound('alert rule', id)
  return dryRun(ctx, { workspaceId, rule, days })
}

interface AskedRule {
  workspaceId: string
  alertRuleId: string
  days?: number
}

interface TriedRule {
  workspaceId: string
  rule: Rule
  days: number
}

async function dryRun(ctx: DryRunContext, tried: TriedRule) {
  const { workspaceId, rule } = tried
  const names = await listReferencedNames(ctx.db, workspaceId, [rule])
  const conditionText = describeCondition(rule, names)
  return { conditionText, ...(await evaluateDays(ctx, tried)) }
}

async function evaluateDays(ctx: DryRunContext, { workspaceId, rule, days }: TriedRule) {
  const { type, condition, evaluationFrequency } = rule
  if (type === 'MetricFixedThreshold' || type === 'MetricPercentualThreshold')
    return replayDays(ctx, { workspaceId, rule: { type, condition, evaluationFrequency }, days })
  return withTimeout(days, async () => {
    const limit = (tx: Tx) => limitStatements(tx, MAX_SECONDS)
    return describeCurrentState(
      await evaluateNow(ctx, { workspaceId, rule: pickCondition(rule), days }, limit),
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
  return withTimeout(1, () =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await limitStatements(tx, MAX_SECONDS)
        return work(tx)
      }),
  )
}

async function withTimeout<Result>(days: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      `The dry run takes longer than ${MAX_SECONDS} s: choose ${days === 1 ? '' : 'fewer days, '}a cohort, a shorter window or a less frequent evaluation.`,
      '/condition',
    )
  }
}

type Rule = RuleCondition & { evaluationFrequency: EvaluationFrequency }

const REPLAYER = new URL('./replay-process.ts', import.meta.url)

/** All values of the time: in a process of its own. */
async function replayDays(
  ctx: DryRunContext,
  tried: Pick<ReplayedDays, 'workspaceId' | 'rule' | 'days'>,
): Promise<ReplayAnswer> {
  const asked: ReplayedDays = { ...tried, now: ctx.now(), maxSeconds: MAX_SECONDS }
  return withTimeout(
    tried.days,
    async () => (await ctx.calculators.answer(REPLAYER, asked)) as ReplayAnswer,
  )
}
