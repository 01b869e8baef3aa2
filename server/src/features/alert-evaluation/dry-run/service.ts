/** What a rule would have done over the last day. Nothing is taken down, and nobody is told. */
import { isStatementTimeout, type Tx } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import {
  durationSeconds,
  listRules,
  type MetricCondition,
  readRule,
  type RuleCommand,
  type RuleCondition,
  scheduledBefore,
} from '../../alert-rules/index.ts'
import { asReplayed, asTried } from './answer.ts'
import { type DryTurn, replay } from './replay.ts'
import { tryNow } from './current-state-service.ts'
import type { EngineContext } from '../service.ts'
import { limitStatements } from '../store.ts'
import { windowOf } from '../evaluation.ts'
import { verdictsOn } from '../metric-rules/service.ts'
import { askedBy, type JudgedRule } from '../metric-rules/selection.ts'
import { countChosenSeries } from '../metric-rules/store.ts'

const DAY_MS = 86_400_000
const PATIENCE_SECONDS = 30
/** What series come to at every turn: more than this takes longer than anybody waits. */
const MOST_VALUES = 1_000_000

type DryRunContext = EngineContext

export async function dryRunCommand(
  ctx: DryRunContext,
  { workspaceId, ...command }: RuleCommand & { workspaceId: string },
) {
  const rule = await apart(ctx, (tx) => readRule(tx, workspaceId, { state: 'Enabled', ...command }))
  return dryRun(ctx, { workspaceId, rule })
}

export async function dryRunRule(
  ctx: DryRunContext,
  { workspaceId, alertRuleId: id }: { workspaceId: string; alertRuleId: string },
) {
  const [rule] = isUuid(id) ? await listRules(ctx.db, workspaceId, { id }) : []
  if (!rule) throw notFound('alert rule', id)
  return dryRun(ctx, { workspaceId, rule })
}

async function dryRun(
  ctx: DryRunContext,
  { workspaceId, rule }: { workspaceId: string; rule: Rule },
) {
  const { type, condition, evaluationFrequency } = rule
  if (type === 'MetricFixedThreshold' || type === 'MetricPercentualThreshold')
    return apart(ctx, (tx) =>
      replayDay(ctx, tx, { workspaceId, rule: { type, condition, evaluationFrequency } }),
    )
  return inTime(async () => {
    const limit = (tx: Tx) => limitStatements(tx, PATIENCE_SECONDS)
    return asTried(await tryNow(ctx, { workspaceId, rule: asRule(rule) }, limit))
  })
}

/** Without what else is known of one that exists. */
function asRule({ evaluationFrequency, ...rule }: Rule): Rule {
  const { type, condition } = rule
  return { type, condition, evaluationFrequency } as Rule
}

async function apart<Result>(
  { db }: DryRunContext,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return inTime(() =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await limitStatements(tx, PATIENCE_SECONDS)
        return work(tx)
      }),
  )
}

async function inTime<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      `The dry run takes longer than ${PATIENCE_SECONDS} s: choose a cohort, a shorter window or a less frequent evaluation.`,
      '/condition',
    )
  }
}

type Rule = RuleCondition & { evaluationFrequency: string }

interface MetricRule {
  type: JudgedRule['type']
  condition: MetricCondition
  evaluationFrequency: string
}

async function replayDay(
  ctx: DryRunContext,
  tx: Tx,
  { workspaceId, rule }: { workspaceId: string; rule: MetricRule },
) {
  const { type, condition, evaluationFrequency } = rule
  const turns = turnsOfTheDay(ctx.now(), durationSeconds(evaluationFrequency))
  const rules = turns.map((at): JudgedRule => ({
    type,
    condition,
    ...windowOf(condition, at),
    incidentId: '',
  }))
  const seriesCount = await countChosenSeries(tx, workspaceId, askedBy(rules))
  requireFew(seriesCount * turns.length, condition)
  const verdicts = await verdictsOn(tx, workspaceId, rules)
  const replayed = replay(
    turns.flatMap((at, index): DryTurn[] => {
      const verdict = verdicts[index]
      return verdict ? [{ at, verdict }] : []
    }),
  )
  return asReplayed({ turns, seriesCount, evaluationFrequency }, replayed)
}

/** Each turn of the last 24 hours, oldest first. */
function turnsOfTheDay(now: Date, frequencySeconds: number): Date[] {
  const last = scheduledBefore(now, frequencySeconds).getTime()
  const step = frequencySeconds * 1_000
  const count = Math.floor(DAY_MS / step)
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * step))
}

function requireFew(values: number, { deploymentCohortId }: MetricCondition): void {
  if (values <= MOST_VALUES) return
  const advice = deploymentCohortId === null ? 'choose a cohort' : 'choose a smaller cohort'
  throw invalid(
    `These are ${values} values in a day, of which a dry run takes ${MOST_VALUES}: ${advice}, or a less frequent evaluation.`,
    '/condition',
  )
}
