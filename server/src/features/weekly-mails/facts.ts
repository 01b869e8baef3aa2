/** What a weekly mail tells. */
import type { EndCause } from '../../formats/acceptances.ts'

export interface CountedRows<Row> {
  rows: readonly Row[]
  total: number
  isLowerBound: boolean
}

export interface VulnerabilityRow {
  cveId: string
  name: string
  severity: string
  isKnownCisaExploit: boolean
  exploitedSources: readonly unknown[]
  affectedDeviceCount: number
  components: readonly { name: string; version: string | null }[]
}

export interface DecisionRow {
  cveId: string
  decision: string
  by: string | null
  firmwareVersionCount: number
}

/** A risk that was accepted. */
export interface AcceptedRow {
  cveId: string
  componentName: string
  firmwareVersion: { name: string; firmware: { name: string } }
  affectedDevices: number
  ownerEmail: string | null
  acceptance: { until: string | null; ended: { causes: readonly EndCause[] } | null } | null
}

interface OwnedRow {
  /** null: what nobody owns. */
  id: string | null
  name: string
  activeCount: number
  criticalCount: number
}

export interface FigureLine {
  title: string
  /** The list behind it. */
  path: string | null
  text: string
}

export interface WeeklyFacts {
  exploited: {
    devices: number
    exploited: number
    /** Of which nothing is known. */
    unknown: number
    exploitedWeekAgo: number | undefined
  }
  fresh: CountedRows<VulnerabilityRow>
  decided: CountedRows<DecisionRow>
  overdue: CountedRows<VulnerabilityRow>
  accepted: {
    ending: CountedRows<AcceptedRow>
    ended: CountedRows<AcceptedRow>
  }
  owned: CountedRows<OwnedRow>
  figures: {
    from: string
    to: string
    /** null: there are too many cases. */
    lines: readonly FigureLine[] | null
  }
  /** The newest one of the audit log; null: no day is sealed yet. */
  seal: { day: string; seal: string } | null
}
