/** What a metric rule would have done over the last day. Nothing is taken down, and nobody is told. */
import type { AppContext } from '../../platform/context.ts'
import { isStatementTimeout, type Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { MetricCondition, RuleCondition } from './condition.ts'
import { type DryTurn, replay } from './dry-run.ts'
import { durationSeconds } from './duration.ts'
import { limitStatements } from './engine-store.ts'
import { windowOf } from './evaluation.ts'
import { verdictsOn } from './metric-judging-service.ts'
import { askedBy, type JudgedRule } from './metric-selection.ts'
import { countChosenSeries } from './metric-values-store.ts'
import { readRule, type RuleCommand } from './rule-command-service.ts'
import { listRules } from './rules-store.ts'
import { scheduledBefore } from './schedule.ts'

const DAY_MS = 86_400_000
const PATIENCE_SECONDS = 30
/** What series come to at every turn: more than this takes longer than anybody waits. */
const MOST_VALUES = 3_000_000
const SERIES_SHOWN = 100

type DryRunContext = Pick<AppContext, 'db' | 'now'>

export async function dryRunCommand(
  ctx: DryRunContext,
  { workspaceId, ...command }: RuleCommand & { workspaceId: string },
) {
  return apart(ctx, async (tx) =>
    dryRun(ctx, tx, {
      workspaceId,
      rule: await readRule(tx, workspaceId, { state: 'Enabled', ...command }),
    }),
  )
}

export async function dryRunRule(
  ctx: DryRunContext,
  { workspaceId, alertRuleId: id }: { workspaceId: string; alertRuleId: string },
) {
  return apart(ctx, async (tx) => {
    const [rule] = isUuid(id) ? await listRules(tx, workspaceId, { id }) : []
    if (!rule) throw notFound('alert rule', id)
    return dryRun(ctx, tx, { workspaceId, rule })
  })
}

async function apart<Result>(
  { db }: DryRunContext,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await limitStatements(tx, PATIENCE_SECONDS)
        return work(tx)
      })
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      `The dry run takes longer than ${PATIENCE_SECONDS} s: choose a cohort, a shorter window or a less frequent evaluation.`,
      '/condition',
    )
  }
}

type Rule = RuleCondition & { evaluationFrequency: string }

async function dryRun(
  ctx: DryRunContext,
  tx: Tx,
  { workspaceId, rule }: { workspaceId: string; rule: Rule },
) {
  const { type, condition, evaluationFrequency } = rule
  if (type !== 'MetricFixedThreshold' && type !== 'MetricPercentualThreshold')
    throw new AppError(
      'invalid',
      'dry-run-not-possible',
      `What a rule of the type ${type} looks at is not kept for the day before. Rules on metrics can be tried.`,
    )
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
  return asShown({ turns, seriesCount, evaluationFrequency }, replayed)
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

interface Ran {
  turns: readonly Date[]
  seriesCount: number
  evaluationFrequency: string
}

function asShown({ turns, seriesCount, evaluationFrequency }: Ran, run: ReturnType<typeof replay>) {
  const { evaluations, incidents, timeline, series } = run
  const turnSeconds = durationSeconds(evaluationFrequency)
  const text = (date: Date) => date.toISOString()
  const [first, last] = [turns[0], turns.at(-1)]
  return {
    from: first ? text(first) : null,
    to: last ? text(last) : null,
    seriesCount,
    evaluations: {
      count: turns.length,
      ok: evaluations.Ok,
      firing: evaluations.Firing,
      noData: evaluations.NoData,
      failed: evaluations.Failed,
    },
    incidents: incidents.map(({ beganAt, endedAt, seriesCount: count }) => ({
      beganAt: text(beganAt),
      endedAt: endedAt && text(endedAt),
      seriesCount: count,
    })),
    timeline: timeline.map((span) => ({ ...span, from: text(span.from), to: text(span.to) })),
    firingSeriesCount: series.length,
    firingSeries: series.slice(0, SERIES_SHOWN).map(({ firingTurns, firstAt, lastAt, ...one }) => ({
      ...one,
      firingSeconds: firingTurns * turnSeconds,
      firstAt: text(firstAt),
      lastAt: text(lastAt),
    })),
  }
}
