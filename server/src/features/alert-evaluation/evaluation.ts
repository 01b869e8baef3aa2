/** One evaluation of one rule: when it happens, which window it covers, and what it finds. */
import { addMs, SECOND_MS } from '../../formats/instants.ts'
import {
  parseDuration,
  type EvaluationStatus,
  type MetricCondition,
  type RuleCondition,
  findScheduledBefore,
} from '../alert-rules/index.ts'

export interface EvaluationInstants {
  scheduledAt: Date
  /** Half-open: the end is not part of the window. */
  windowStart: Date
  windowEnd: Date
}

/** An enabled rule as the evaluation reads it. */
export type ScheduledRule = RuleCondition & {
  id: string
  name: string
  evaluationFrequency: string
  repeatIntervalSeconds: number | null
  notifyResolved: boolean
  notifyOwners: boolean
  /** Findings, failures and other changes before this instant do not count as new. */
  effectiveSince: Date
  /** The end of the last window that was evaluated without a failure. */
  evaluatedUntil: Date | null
  /** The open incident of the rule. */
  incidentId: string | null
}

/** A rule whose due instant has come. */
export type DueRule = ScheduledRule &
  EvaluationInstants & {
    /** The incident that series belong to: the open one, or the one that begins if a series fires. */
    seriesIncidentId: string
  }

/** After a pause only the newest instant is evaluated; the ones before it are skipped. */
export function planInstants(rule: ScheduledRule, now: Date): EvaluationInstants {
  const scheduledAt = findScheduledBefore(now, parseDuration(rule.evaluationFrequency))
  if (rule.type === 'MetricFixedThreshold' || rule.type === 'MetricPercentualThreshold') {
    return { scheduledAt, ...computeWindow(rule.condition, scheduledAt) }
  }
  // The window begins where the last one ended, so that no event falls between two windows.
  const windowStart = chooseWindowStart(rule, scheduledAt)
  const isPast = windowStart < scheduledAt
  return { scheduledAt, windowStart: isPast ? windowStart : scheduledAt, windowEnd: scheduledAt }
}

/** A last window that ends later was evaluated before the clock was set back: what happened since then is of one period. */
function chooseWindowStart(
  { evaluatedUntil, effectiveSince, evaluationFrequency }: ScheduledRule,
  scheduledAt: Date,
): Date {
  if (evaluatedUntil === null) return effectiveSince
  if (evaluatedUntil <= scheduledAt) return evaluatedUntil
  return earlier(scheduledAt, parseDuration(evaluationFrequency))
}

/** The window of a metric rule that is evaluated at this instant. */
export function computeWindow({ window, delaySeconds }: MetricCondition, scheduledAt: Date) {
  const windowEnd = earlier(scheduledAt, delaySeconds)
  return { windowStart: earlier(windowEnd, parseDuration(window)), windowEnd }
}

function earlier(instant: Date, seconds: number): Date {
  return addMs(instant, -seconds * SECOND_MS)
}

export interface Outcome {
  seriesCount: number
  /** Series that have a value. */
  valueCount: number
  lowest: number | null
  highest: number | null
  /** Series that meet the condition in this window. */
  meetingCount: number
  /** Series that fire now: they meet the condition, or keep firing because they have no data. */
  firingCount: number
}

/** A rule whose series only keep firing for lack of data gets NoData: this evaluation had nothing to compare. */
export function decideStatus({ valueCount, meetingCount, firingCount }: Outcome): EvaluationStatus {
  if (meetingCount > 0) return 'Firing'
  if (valueCount === 0) return 'NoData'
  return firingCount > 0 ? 'Firing' : 'Ok'
}

/** What evaluating one rule in TypeScript finds. */
export interface RuleVerdict {
  /** Series that meet the condition, each once. */
  meeting: { series: string; label?: string; value: number | null }[]
  /** Series without a value that keep firing if they fire. */
  kept: string[]
  seriesCount: number
  valueCount: number
  lowest: number | null
  highest: number | null
}

/** Of an evaluation that failed. */
export const NO_OUTCOME: Outcome = {
  seriesCount: 0,
  valueCount: 0,
  lowest: null,
  highest: null,
  meetingCount: 0,
  firingCount: 0,
}
