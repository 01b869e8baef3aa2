import type { VulnerabilityFinding } from '../../api-client/src/index.ts'
import type { Severity } from './findings.ts'
import { type Column, type Output, type Style, writeTable } from './table.ts'

const STYLES: Record<Severity, Style | undefined> = {
  Critical: 'magenta',
  High: 'red',
  Medium: 'yellow',
  Low: undefined,
  None: 'dim',
  Unknown: 'dim',
}

export const styleSeverity = (severity: Severity) => STYLES[severity]

export const FINDING_COLUMNS: readonly Column<VulnerabilityFinding>[] = [
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => STYLES[severity],
  },
  { title: 'CVSS', value: ({ cvssScore }) => cvssScore?.toFixed(1) ?? null },
  {
    title: 'EPSS',
    value: ({ epssScore }) => epssScore?.toFixed(3) ?? null,
    isSpare: true,
  },
  { title: 'KEV', value: ({ isKnownCisaExploit }) => (isKnownCisaExploit ? 'yes' : '') },
  { title: 'DEVICES', value: ({ affectedDeviceCount }) => affectedDeviceCount },
  { title: 'CVE', value: ({ cveId }) => cveId, isWhole: true },
  {
    title: 'COMPONENT',
    value: ({ componentName, componentSource: source }) =>
      source ? `${componentName}, of ${source}` : componentName,
  },
  { title: 'VERSION', value: ({ componentVersion }) => componentVersion },
  { title: 'CONFIDENCE', value: ({ confidence }) => confidence, isSpare: true },
  {
    title: 'ASSESSMENT',
    value: ({ assessment, ignored }) => (ignored ? `${assessment}, ignored` : assessment),
    isSpare: true,
  },
  {
    title: 'NAME',
    value: ({ name, isDisputed }) => (isDisputed ? `disputed: ${name}` : name),
  },
]

export function writeFindings(stream: Output, findings: readonly VulnerabilityFinding[]): void {
  writeTable(stream, FINDING_COLUMNS, findings)
}
