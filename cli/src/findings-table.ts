import type { VulnerabilityFinding } from '../../api-client/src/index.ts'
import type { Severity } from './findings.ts'
import { groupBy } from './grouping.ts'
import { formatCount, printLine } from './print.ts'
import { type Column, type Style, writeTable } from './table.ts'
import { getTerminal } from './terminal.ts'

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
  {
    title: 'SSVC',
    value: ({ ssvcOutcome: most, ssvcLeastOutcome: least }) =>
      least === most ? most : `${least} to ${most}`,
    isSpare: true,
  },
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

/** What is listed of many findings, and how. */
export interface FindingTableOptions {
  limit: number
  by?: 'component'
}

/** The worst of them, in the order given: worst first. */
export function printWorst(
  findings: readonly VulnerabilityFinding[],
  { limit, by }: FindingTableOptions,
): void {
  if (by === undefined) printFirst(FINDING_COLUMNS, findings, { limit, noun: 'finding' })
  else printFirst(COMPONENT_COLUMNS, groupByComponent(findings), { limit, noun: 'component' })
}

function printFirst<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { limit, noun }: { limit: number; noun: string },
): void {
  if (rows.length === 0) return
  writeTable(getTerminal().stdout, columns, rows.slice(0, limit))
  if (rows.length > limit)
    printLine(`\nShowing the worst ${limit} of ${formatCount(rows.length, noun)}: --limit`)
}

type Component = readonly [worst: VulnerabilityFinding, ...others: VulnerabilityFinding[]]

/** Those with the worst finding come first. */
function groupByComponent(findings: readonly VulnerabilityFinding[]): Component[] {
  const groups = groupBy(findings, ({ componentName, componentVersion }) =>
    JSON.stringify([componentName, componentVersion]),
  )
  return [...groups.values()].map((group) => group as unknown as Component)
}

const countWhere = (group: Component, is: (finding: VulnerabilityFinding) => boolean) =>
  group.filter(is).length

const COMPONENT_COLUMNS: readonly Column<Component>[] = [
  { title: 'COMPONENT', value: ([{ componentName }]) => componentName },
  { title: 'VERSION', value: ([{ componentVersion }]) => componentVersion },
  { title: 'FINDINGS', value: (group) => group.length },
  {
    title: 'EXPLOITED',
    value: (group) => countWhere(group, ({ exploitedSources }) => exploitedSources.length > 0),
  },
  {
    title: 'CRITICAL',
    value: (group) => countWhere(group, ({ severity }) => severity === 'Critical'),
  },
  { title: 'HIGH', value: (group) => countWhere(group, ({ severity }) => severity === 'High') },
  {
    title: 'WORST',
    value: ([{ cveId }]) => cveId,
    style: ([{ severity }]) => STYLES[severity],
    isWhole: true,
  },
]
