/** Replays the last days of a metric rule; runs in a process for calculations. */
import { DAY_MS } from '../../../formats/instants.ts'
import type { Calculation } from '../../../platform/calculators.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { invalid } from '../../../platform/errors.ts'
import {
  type EvaluationFrequency,
  parseDuration,
  type MetricCondition,
  findScheduledBefore,
} from '../../alert-rules/index.ts'
import { computeWindow } from '../evaluation.ts'
import { collectMeasures, type MetricRuleInput } from '../metric-rules/measures.ts'
import { judgeMetricRules } from '../metric-rules/service.ts'
import { countChosenSeries } from '../metric-rules/store.ts'
import { limitStatements } from '../statement-settings-store.ts'
import { replayAnswer } from './answer.ts'
import { replay, type ReplayedEvaluation } from './replay.ts'

/** Values of all series at all instants; more would take longer than a request may. */
const MAX_VALUES = 1_000_000

export interface ReplayedDays {
  workspaceId: string
  rule: {
    type: MetricRuleInput['type']
    condition: MetricCondition
    evaluationFrequency: EvaluationFrequency
  }
  now: Date
  days: number
  /** The time that one statement may take. */
  maxSeconds: number
}

export type ReplayAnswer = ReturnType<typeof replayAnswer>

export const calculate: Calculation<ReplayedDays, ReplayAnswer> = ({ db }, asked) =>
  db
    .transaction()
    .setAccessMode('read only')
    .execute(async (tx) => {
      await limitStatements(tx, asked.maxSeconds)
      return replayDays(tx, asked)
    })

async function replayDays(
  tx: Tx,
  { workspaceId, rule, now, days }: ReplayedDays,
): Promise<ReplayAnswer> {
  const { type, condition, evaluationFrequency } = rule
  const instants = listInstants(now, { days, stepMs: parseDuration(evaluationFrequency) * 1_000 })
  const rules = instants.map((at): MetricRuleInput => ({
    type,
    condition,
    ...computeWindow(condition, at),
    incidentId: '',
  }))
  const seriesCount = await countChosenSeries(tx, workspaceId, collectMeasures(rules))
  requireFewValues(seriesCount * instants.length, { days, condition })
  const verdicts = await judgeMetricRules(tx, workspaceId, rules)
  const evaluations = instants.flatMap((at, index): ReplayedEvaluation[] => {
    const verdict = verdicts[index]
    return verdict ? [{ at, verdict }] : []
  })
  return replayAnswer({ instants, seriesCount, evaluationFrequency }, replay(evaluations))
}

/** Oldest first. */
function listInstants(now: Date, { days, stepMs }: { days: number; stepMs: number }): Date[] {
  const last = findScheduledBefore(now, stepMs / 1_000).getTime()
  const count = Math.floor((days * DAY_MS) / stepMs)
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * stepMs))
}

function requireFewValues(
  values: number,
  { days, condition }: { days: number; condition: MetricCondition },
): void {
  if (values <= MAX_VALUES) return
  const advice =
    condition.deploymentCohortId === null ? 'choose a cohort' : 'choose a smaller cohort'
  throw invalid(
    `The last ${days === 1 ? 'day has' : `${days} days have`} ${values} values, and a dry run takes at most ${MAX_VALUES}: ${days === 1 ? '' : 'choose fewer days, '}${advice}, or a less frequent evaluation.`,
    '/condition',
  )
}
