/** How far a decision can hold. */
import type { Finding, FindingHere, Reach } from './queries.ts'

export interface ReachChoice {
  text: string
  /** Of findings that there are now. */
  count: number
  reach: Reach
}

/**
 * This finding alone; all versions with the same component; all findings of the vulnerability; those and later ones. Each
 * reaches further than the one before.
 */
export function reachesOf(finding: Finding, all: readonly FindingHere[]): ReachChoice[] {
  const { name, version } = finding.component
  const cveId = finding.cve.id
  const own = all.filter(
    ({ component }) => component.name === name && component.version === version,
  )
  const some = (text: string, findings: readonly FindingHere[]): ReachChoice => {
    const findingIds = [...new Set([finding.id, ...findings.map(({ id }) => id)])]
    return { text, count: findingIds.length, reach: { findingIds } }
  }
  const now = [
    some(`This finding, in ${finding.firmwareVersion.name}`, []),
    some(`All versions with ${name} ${version ?? ''}`.trimEnd(), own),
    some(`All findings of ${cveId}`, all),
  ]
  const further = now.filter(
    ({ count }, index) => index === 0 || count > (now[index - 1]?.count ?? 0),
  )
  const count = now.at(-1)?.count ?? 1
  return [...further, { text: `All findings of ${cveId}, later ones too`, count, reach: { cveId } }]
}
