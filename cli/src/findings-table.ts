import type { Finding, Severity } from './findings.ts'
import { type Column, type Output, type Style, writeTable } from './table.ts'

const STYLES: Record<Severity, Style | undefined> = {
  Critical: 'magenta',
  High: 'red',
  Medium: 'yellow',
  Low: undefined,
  None: 'dim',
  Unknown: 'dim',
}

export const severityStyle = (severity: Severity) => STYLES[severity]

const COLUMNS: readonly Column<Finding>[] = [
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => STYLES[severity],
  },
  { title: 'CVSS', value: ({ cvssScore }) => cvssScore?.toFixed(1) ?? null },
  { title: 'EPSS', value: ({ epssScore }) => epssScore?.toFixed(3) ?? null },
  { title: 'KEV', value: ({ isKnownCisaExploit }) => (isKnownCisaExploit ? 'yes' : '') },
  { title: 'DEVICES', value: ({ affectedDeviceCount }) => affectedDeviceCount },
  { title: 'CVE', value: ({ cveId }) => cveId },
  { title: 'COMPONENT', value: ({ componentName }) => componentName },
  { title: 'VERSION', value: ({ componentVersion }) => componentVersion },
  { title: 'CONFIDENCE', value: ({ confidence }) => confidence },
  {
    title: 'ASSESSMENT',
    value: ({ assessment, ignored }) => (ignored ? `${assessment}, ignored` : assessment),
  },
  { title: 'NAME', value: ({ name }) => name },
]

export function writeFindings(stream: Output, findings: readonly Finding[]): void {
  writeTable(stream, COLUMNS, findings)
}
