export interface DemoFinding {
  cveId: string
  name: string
  componentName: string
  componentVersion: string | null
  severity: string
  isKnownCisaExploit: boolean
}

/** Pads columns to their widest cell. */
export function findingsTable(findings: readonly DemoFinding[]): string {
  const rows = findings.map((finding) => [
    finding.severity,
    finding.isKnownCisaExploit ? 'exploited' : '',
    finding.cveId,
    `${finding.componentName} ${finding.componentVersion ?? ''}`,
    finding.name,
  ])
  const all = [['SEVERITY', 'KEV', 'CVE', 'COMPONENT', 'NAME'], ...rows]
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map(
      (row) =>
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}`,
    )
    .join('\n')
}
