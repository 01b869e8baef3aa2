/** What a comparison found, as it is stored and shown. */
import type { BuiltInSignal, Signal } from './plan.ts'

export const VERDICTS = ['Worse', 'NotWorse', 'TooFew', 'NotMeasured'] as const
type Verdict = (typeof VERDICTS)[number]

export const PHASE_STATES = ['NotAsked', 'Waiting', 'TooFew', 'Passed', 'Worse'] as const
export type PhaseState = (typeof PHASE_STATES)[number]

/** Devices of both groups. */
export interface GroupCounts {
  updated: number
  waiting: number
}

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

/** A signal that was chosen, or whether devices fell silent, which is compared always. */
export interface ComparedSignal extends Omit<Signal, 'builtIn'> {
  builtIn: BuiltInSignal | 'Silence' | null
}

export interface SignalResult extends ComparedSignal {
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
  /** The smallest change for the worse that would have been found in nine of ten cases. null: it is not told in percent. */
  smallestPercent: number | null
  /** Of so many updated devices, where hardly anything happened. */
  smallestDevices: number | null
  /** Nothing worse was found, but even twice as much, or half as much, would have been missed. */
  isBlind: boolean
  series: SeriesPoint[]
  worstDevices: WorstDevice[]
}

export interface Acceptance {
  at: string
  byEmail: string | null
  reason: string | null
}
