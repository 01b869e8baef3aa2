/** Findings as CSV, one record each. New columns are added at the end only. */
import { type Cell, csvLine } from '../../../formats/csv.ts'
import { encodeFindingId } from '../../findings/index.ts'
import type { ExportedFinding } from './store.ts'

export interface ExportedVersion {
  firmwareVersionId: string
  firmwareSlug: string
  firmwareVersionName: string
}

type Column = (finding: ExportedFinding, version: ExportedVersion) => Cell

const COLUMNS: Readonly<Record<string, Column>> = {
  id: (finding, { firmwareVersionId }) => encodeFindingId({ ...finding, firmwareVersionId }),
  cveId: ({ vulnerabilityId }) => vulnerabilityId,
  name: ({ name }) => name,
  severity: ({ severity }) => severity,
  cvssScore: ({ cvssScore }) => cvssScore,
  epssScore: ({ epssScore }) => epssScore,
  isKnownCisaExploit: ({ isKnownExploit }) => isKnownExploit,
  componentName: ({ componentName }) => componentName,
  componentVersion: ({ componentVersion }) => componentVersion,
  componentVendor: ({ componentVendor }) => componentVendor,
  componentPurl: ({ componentPurl }) => componentPurl,
  componentCpe: ({ componentCpe }) => componentCpe,
  assessment: ({ assessment }) => assessment,
  justification: ({ justification }) => justification,
  responses: ({ responses }) => responses,
  detail: ({ detail }) => detail,
  ignored: ({ ignored }) => ignored,
  isActive: ({ isActive }) => isActive,
  confidence: ({ confidence }) => confidence,
  detectedAt: ({ detectedAt }) => detectedAt.toISOString(),
  firmware: (_finding, { firmwareSlug }) => firmwareSlug,
  firmwareVersion: (_finding, { firmwareVersionName }) => firmwareVersionName,
  isDisputed: ({ isDisputed }) => isDisputed,
}

export async function* findingsCsv(
  findings: AsyncIterable<ExportedFinding>,
  version: ExportedVersion,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(COLUMNS))
  const columns = Object.values(COLUMNS)
  for await (const finding of findings)
    yield csvLine(columns.map((column) => column(finding, version)))
}
