/** Findings that come or go, as the interface shows them. */
import { asCounts, type RiskFinding } from './risk.ts'
import { shownFinding } from '../shown-finding.ts'

/** How many, and the worst of them. */
export function shownList(findings: readonly RiskFinding[], limit: number) {
  const counts = { Critical: 0, High: 0, Medium: 0, Low: 0, None: 0, Unknown: 0 }
  for (const { finding } of findings) counts[finding.severity] += 1
  return {
    count: findings.length,
    knownExploited: findings.filter(({ finding }) => finding.isKnownExploit).length,
    countsBySeverity: asCounts(counts),
    findings: findings.slice(0, limit).map(({ firmwareVersionId, finding, deviceCount }) => ({
      ...shownFinding(firmwareVersionId, finding),
      deviceCount,
    })),
  }
}
