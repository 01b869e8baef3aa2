/** What a bundle holds, as its pages tell it. */
import { PUBLIC_KEY, SIGNATURE, SUMS } from '../../formats/evidence-sums.ts'
import { formatInstant } from '../../formats/instants.ts'

export interface BundledSbom {
  /** null: its file is missing. */
  path: string | null
  state: 'As received' | 'Not as received' | 'The file is missing'
  fileName: string
  format: string | null
  sizeBytes: number
  sha256: string
  createdAt: Date
  replacedAt: Date | null
}

export interface BundledVersion {
  id: string
  firmware: string
  version: string
  createdAt: Date
  firstDeployedAt: Date | null
  deviceCount: number
  sboms: BundledSbom[]
}

export interface BundledCase {
  path: string
  title: string
  cveId: string | null
  state: string
  isDrill: boolean
  createdAt: Date
  reports: { path: string; stage: string; submittedAt: Date }[]
}

export interface BundledOutsideReport {
  path: string
  /** As it was sent. */
  textPath: string
  title: string
  state: string
  dismissal: string | null
  receivedAt: Date
  credit: string | null
  clocks: readonly { step: string; dueAt: Date; doneAt: Date | null; state: string }[]
}

export interface BundledUpstreamReport {
  path: string
  vulnerabilityId: string
  componentName: string
  recipient: string
  reportedAt: Date
  hasFix: boolean
}

export interface ReportCounts {
  /** Reports from outside that chose no product line and are in no case. */
  unassignedReportCount: number
}

export interface Counts extends ReportCounts {
  findingCount: number
  decisionCount: number
  uptakeCount: number
  deploymentCount: number
  /** Links from SBOMs over images to devices. */
  chainCount: number
  staleSources: string[]
  /** Of the audit log; null: no day is sealed yet. */
  newestSeal: { day: string; seal: string } | null
}

export interface IndexedContents extends Counts {
  versions: readonly BundledVersion[]
  cases: readonly BundledCase[]
  outsideReports: readonly BundledOutsideReport[]
  upstreamReports: readonly BundledUpstreamReport[]
  advisories: readonly { path: string; trackingId: string; number: number; title: string }[]
}

export interface BundleOrigin {
  line: {
    name: string
    manufacturer: string
    role: string
    productClass: string
    category: string | null
    firstPlacedOn: string | null
    supportEndsIn: string | null
    expectedUseYears: number | null
    expectedUseReason: string | null
    contact: string | null
    memberStates: readonly string[]
  }
  workspaceName: string
  madeBy: string
  madeAt: Date
  /** Of Plimsoll. */
  release: string
  from: Date
  to: Date
  fingerprint: string
}

export const UNKNOWN = 'not known: nobody has said'

export const describePeriod = ({ from, to }: BundleOrigin) =>
  from.getTime() === 0
    ? `Until ${formatInstant(to)}.`
    : `From ${formatInstant(from)} to ${formatInstant(to)}.`

/** How to verify a bundle, as plain text beside it. */
export function renderReadme(origin: BundleOrigin): string {
  const { line, fingerprint, madeAt } = origin
  return `Evidence of the product line ${line.name}, made on ${formatInstant(madeAt)}.
${describePeriod(origin)}

Open INDEX.html. To verify the bundle, in the folder that it was unpacked to:

  sha256sum --check ${SUMS}
  openssl pkeyutl -verify -rawin -pubin -inkey ${PUBLIC_KEY} -in ${SUMS} -sigfile ${SIGNATURE}

The first finds files that were changed or are missing, the second whether the list of sums is the one
that was signed. Files that were added are in no list. "plimsoll evidence verify" does all three.

Whoever changes a bundle can sign it with a key of their own. Compare the fingerprint with the one that
the manufacturer names:

  openssl pkey -pubin -in ${PUBLIC_KEY} -outform DER | sha256sum
  ${fingerprint}
`
}
