/** What is known about a case, from which a draft proposes its texts. */
import type { CaseType } from '../../../formats/law/clocks.ts'
import type { MemberState } from '../../../formats/law/member-states.ts'
import type { CaseStanding } from '../case-facts.ts'
import type { OrderedVersion } from './version-ranges.ts'

export interface DraftFacts {
  now: Date
  type: CaseType
  title: string
  cveId: string | null
  /** Of the proposal, or of whoever began the case. */
  signal: string | null
  /** Empty: not known yet. */
  manufacturer: string
  lines: readonly DraftLine[]
  standing: CaseStanding
  /** Of the affected firmwares, those that are not affected between the others. */
  versions: readonly OrderedVersion[]
  components: readonly { name: string; version: string | null }[]
  /** Devices that report an affected version now, each once. */
  deviceCount: number
  devicesByVersion: readonly { version: string; deviceCount: number }[]
  /** Member States that devices name as their country, with how many do. */
  deviceStates: readonly { state: MemberState; deviceCount: number }[]
  /** undefined: no source knows the vulnerability. */
  record: DraftRecord | undefined
  rollOuts: readonly RollOut[]
  decisions: readonly { version: string; assessment: string; detail: string | null }[]
}

export interface DraftLine {
  name: string
  manufacturer: string
  memberStates: readonly MemberState[]
  productClass: 'Default' | 'ImportantI' | 'ImportantII' | 'Critical'
  category: string | null
  supportEndsIn: string | null
  timeZone: string
}

export interface DraftRecord {
  cveId: string
  source: string | null
  description: string | null
  severity: string
  euvdId: string | null
  cwes: readonly { id: string; name: string }[]
  cvssScores: readonly {
    version: string
    vectorString: string
    baseScore: number
    baseSeverity: string
    source: string
  }[]
  epssScore: number | null
  epssPercentile: number | null
  exploitedSources: readonly { source: 'cisa' | 'enisa'; dateAdded: string }[]
}

/** Of a version that has the vulnerability no more. */
export interface RollOut {
  name: string
  cohort: string
  firmware: string
  version: string
  startedAt: Date
  endedAt: Date | null
  state: string
  succeeded: number
  failed: number
  /** Devices that are to get it. */
  total: number
}
