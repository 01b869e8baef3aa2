import type { VulnerabilitySource } from '@plimsoll/api-client'

export const SOURCE_NAMES: Record<VulnerabilitySource['source'], string> = {
  cvelist: 'CVE List',
  nvd: 'NVD',
  osv: 'OSV',
  kev: 'CISA KEV',
  epss: 'EPSS',
  csaf: 'CSAF',
  euvd: 'EUVD',
  endoflife: 'endoflife.date',
}

/** With those who list what is exploited. */
const NAMES: Readonly<Record<string, string>> = { ...SOURCE_NAMES, cisa: 'CISA', enisa: 'ENISA' }

/** Whose record or list it is. */
export const formatSource = (source: string): string => NAMES[source] ?? source
