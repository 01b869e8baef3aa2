/** What a release dossier holds. */
import type { readCoverage } from '../../coverage/index.ts'
import type { AffectedDevices, getFirmwareVersion, readMark } from '../../firmware/index.ts'
import type { listVerifications } from '../../image-checks/index.ts'
import type { getVersionLicences } from '../../licences/index.ts'
import type { getChain } from '../../provenance/index.ts'
import type { assessGate } from '../../release-gate/index.ts'
import type { getVersionSupport } from '../../support/index.ts'
import type { LookedAt } from '../../vulnerabilities/index.ts'
import type { Imprint } from '../sheet/sheet.ts'
import type { SourceAge } from '../sheet/sources.ts'
import type { CountedFindings, ReportedFinding } from '../version/store.ts'
import type * as store from './store.ts'

/** What is kept as it is now only. */
export interface Present {
  mark: Awaited<ReturnType<typeof readMark>>
  gate: Awaited<ReturnType<typeof assessGate>>
  coverage: Awaited<ReturnType<typeof readCoverage>>
  licences: Awaited<ReturnType<typeof getVersionLicences>>
  support: Awaited<ReturnType<typeof getVersionSupport>>
  sources: readonly SourceAge[]
  seen: AffectedDevices['affectedDevices']
  images: Awaited<ReturnType<typeof listVerifications>>['verifications']
  chain: Awaited<ReturnType<typeof getChain>>
}

export interface Dossier {
  workspaceId: string
  version: Awaited<ReturnType<typeof getFirmwareVersion>>
  imprint: Imprint
  /** The instant that it shows. */
  at: Date
  /** null: it shows a day that is over. */
  present: Present | null
  lookedAt: LookedAt
  counts: readonly CountedFindings[]
  activeFindings: readonly ReportedFinding[]
  otherFindings: readonly ReportedFinding[]
  accepted: readonly store.AcceptedRisk[]
  sboms: readonly store.DossierSbom[]
  artifact: store.DossierArtifact | undefined
  predecessor: (store.Predecessor & { differences: readonly store.Difference[] }) | undefined
  /** null: whoever asked may not read deployments. */
  deployments: readonly store.DossierDeployment[] | null
  /** Devices that ran it then; null: that is not kept. */
  deviceCount: number | null
}

/** "BSI TR-03183-2 2.1: 3 of 14 required elements missing". */
export function describeGrades({ grades }: store.DossierSbom): string[] {
  if (grades === null) return ['Not graded: it was not read since grades are kept']
  if (grades.length === 0) return ['Not graded: a report of a build is no SBOM']
  return grades.map(({ title, outcome, elements }) => {
    const required = elements.filter(({ level }) => level === 'required')
    const missing = required.filter((one) => one.outcome !== 'met').length
    return outcome === 'met'
      ? `${title}: states all ${required.length} required elements`
      : `${title}: ${missing} of ${required.length} required elements missing`
  })
}
