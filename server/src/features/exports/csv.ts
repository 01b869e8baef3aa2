/** Findings as CSV, one record each. */
import { encodeFindingId } from '../../formats/finding-id.ts'
import { writeCsvTable } from '../../formats/csv.ts'
import { normalisePurl } from '../../formats/purl.ts'
import type { DecidedFinding } from './store.ts'

export interface ExportedVersion {
  firmwareVersionId: string
  firmwareSlug: string
  firmwareVersionName: string
}

const TABLE = writeCsvTable<DecidedFinding & ExportedVersion>([
  ['id', encodeFindingId],
  ['cveId', ({ vulnerabilityId }) => vulnerabilityId],
  'name',
  'severity',
  'cvssScore',
  'epssScore',
  ['isKnownCisaExploit', ({ isKnownExploit }) => isKnownExploit],
  'componentName',
  'componentVersion',
  'componentVendor',
  ['componentPurl', ({ componentPurl }) => componentPurl && normalisePurl(componentPurl)],
  'componentCpe',
  'assessment',
  'justification',
  'responses',
  'detail',
  'ignored',
  'isActive',
  'confidence',
  'detectedAt',
  ['firmware', ({ firmwareSlug }) => firmwareSlug],
  ['firmwareVersion', ({ firmwareVersionName }) => firmwareVersionName],
  'isDisputed',
  'assignee',
  'commentCount',
  'ssvcOutcome',
  ['acceptedUntil', (finding) => findAcceptance(finding)?.until ?? null],
  ['acceptanceOwner', (finding) => findAcceptance(finding)?.owner?.email ?? null],
  ['acceptanceReason', (finding) => findAcceptance(finding)?.reason ?? null],
  'owner',
])

/** What holds: an acceptance that ended says nothing of an open finding. */
export const findAcceptance = ({
  ignored,
  acceptance,
}: Pick<DecidedFinding, 'ignored' | 'acceptance'>) => (ignored ? acceptance : null)

export async function* writeFindingsCsv(
  findings: AsyncIterable<DecidedFinding>,
  version: ExportedVersion,
): AsyncGenerator<string> {
  yield TABLE.header
  for await (const finding of findings) yield TABLE.line({ ...finding, ...version })
}
