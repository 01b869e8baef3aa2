/** What figures are made of, as the stores answer it at the end of a period. */
import type { Severity } from '../../formats/advisories/model.ts'
import type { Period } from './asked.ts'
import type { CaseOwner, FigureCase } from './figure.ts'

/** Places of versions in a row. */
export interface PlaceRange {
  from: number
  /** The first one after them. */
  to: number
}

/** See `CaseRow`. */
export interface Case {
  firmwareId: string
  vulnerabilityId: string
  severity: Severity
  detectedAt: Date
  places: readonly PlaceRange[]
  isOpen: boolean
  isJudgedAway: boolean
  isResolved: boolean
  resolvedAt: Date | null
  decidedAt: Date | null
  decidedBy: string | null
  decidedAs: string | null
  statedAt: Date | null
  carriedAt: Date | null
  publishedAt: Date | null
  returnedAt: Date | null
  reopenedAt: Date | null
}

export interface Version {
  firmwareId: string
  place: number
  inventoryAt: Date
}

export interface FleetTimes {
  vulnerabilityId: string
  severity: Severity
  publishedAt: Date
  reached50: string | null
  reached90: string | null
  reached99: string | null
}

interface Acceptance {
  firmwareId: string
  vulnerabilityId: string
  owner: string | null
  acceptedAt: Date
  wasOpen: boolean
  isOpen: boolean
  endedAt: Date | null
}

/** What held of a case from a day on, until the next one. */
export interface CaseDay {
  /** In UTC. */
  sinceDay: string
  owners: readonly CaseOwner[]
  /** What SSVC decided; null: no outcome had a target. */
  outcome: string | null
  /** Of the outcome; null: it had none. */
  targetDays: number | null
}

type TargetDays = Readonly<Record<string, number>>

export interface Facts {
  period: Pick<Period, 'from' | 'to'>
  cases: readonly Case[]
  versions: readonly Version[]
  fleet: readonly FleetTimes[]
  fleetUnknown: { undated: number; early: number; devices: number; strangers: number }
  acceptances: readonly Acceptance[]
  /** In the order of their ends; the last one holds now. */
  targets: readonly { until: Date | null; targetDays: TargetDays }[]
  publishedSince: Date
  /** By `nameCase`, in order. */
  caseDays: ReadonlyMap<string, readonly CaseDay[]>
  /** Since when these are kept. */
  caseDaysSince: Date
}

/** What a figure cannot tell, in words, and how often. */
export interface NotCounted {
  reason: string
  count: number
}

export interface FigureParts {
  cases: FigureCase[]
  notCounted: NotCounted[]
}
