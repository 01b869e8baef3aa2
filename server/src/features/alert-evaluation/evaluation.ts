/** One evaluation of one rule, and what comes out of it. */
import {
  durationSeconds,
  type EvaluationStatus,
  type MetricCondition,
  type RuleCondition,
  scheduledBefore,
} from '../alert-rules/index.ts'

export interface Instants {
  scheduledAt: Date
  /** Half-open: the end is not part of the window. */
  windowStart: Date
  windowEnd: Date
}

export type Rule = RuleCondition & {
  id: string
  name: string
  evaluationFrequency: string
  repeatIntervalSeconds: number | null
  notifyResolved: boolean
  /** What happened before it is no news. */
  effectiveSince: Date
  /** Where the last window that was evaluated ended. */
  evaluatedUntil: Date | null
  /** The one that lasts. */
  incidentId: string | null
}

/** A rule whose turn it is. */
export type DueRule = Rule &
  Instants & {
    /** What its series belong to: the incident that lasts, or one that begins if a series fires. */
    seriesIncidentId: string
  }

/** After a pause it is the newest turn alone that is taken. */
export function instantsOf(rule: Rule, now: Date): Instants {
  const scheduledAt = scheduledBefore(now, durationSeconds(rule.evaluationFrequency))
  if (rule.type === 'MetricFixedThreshold' || rule.type === 'MetricPercentualThreshold') {
    return { scheduledAt, ...windowOf(rule.condition, scheduledAt) }
  }
  // Events count from where the last window ended: none falls into a pause.
  const windowStart = rule.evaluatedUntil ?? rule.effectiveSince
  const isPast = windowStart < scheduledAt
  return { scheduledAt, windowStart: isPast ? windowStart : scheduledAt, windowEnd: scheduledAt }
}

/** What a rule on a metric looks at when it is evaluated. */
export function windowOf({ window, delaySeconds }: MetricCondition, scheduledAt: Date) {
  const windowEnd = earlier(scheduledAt, delaySeconds)
  return { windowStart: earlier(windowEnd, durationSeconds(window)), windowEnd }
}

function earlier(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() - seconds * 1_000)
}

export interface Outcome {
  /** How many there are, and how many of them have a value. */
  seriesCount: number
  valueCount: number
  lowest: number | null
  highest: number | null
  /** Those that met the condition in this window. */
  meetingCount: number
  /** Those that fire now: they meet it, or stay as they were for want of data. */
  firingCount: number
}

/** A rule that keeps its state for want of data is firing still, but this evaluation could not tell. */
export function statusOf({ valueCount, meetingCount, firingCount }: Outcome): EvaluationStatus {
  if (meetingCount > 0) return 'Firing'
  if (valueCount === 0) return 'NoData'
  return firingCount > 0 ? 'Firing' : 'Ok'
}
