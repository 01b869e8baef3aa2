/** What a comparison found, as it is stored and shown. */
import type { Signal } from './plan.ts'

export const VERDICTS = ['Worse', 'NotWorse', 'TooFew', 'NotMeasured'] as const
type Verdict = (typeof VERDICTS)[number]

export const PHASE_STATES = ['NotAsked', 'Waiting', 'TooFew', 'Passed', 'Worse'] as const
export type PhaseState = (typeof PHASE_STATES)[number]

export interface GroupResult {
  deviceCount: number
  withoutValuesCount: number
  meanBefore: number | null
  meanAfter: number | null
  changePercent: number | null
}

export interface SeriesPoint {
  seconds: number
  updated: number | null
  waiting: number | null
}

export interface WorstDevice {
  deviceId: string
  before: number
  after: number
  changePercent: number | null
}

export interface SignalResult extends Signal {
  verdict: Verdict
  /** The verdict in words. */
  detail: string
  updated: GroupResult
  waiting: GroupResult
  /** Positive: updated devices rose more. null: it cannot be told. */
  differencePercent: number | null
  fromPercent: number | null
  toPercent: number | null
  pValue: number | null
  series: SeriesPoint[]
  worstDevices: WorstDevice[]
}

export interface Acceptance {
  at: string
  byEmail: string | null
  reason: string | null
}
