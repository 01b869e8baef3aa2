/** How far a decision can hold. */
import type { FindingDetail } from '@plimsoll/api-client'
import type { BulkTarget } from '../../components/decision/bulk.ts'
import type { FindingHere } from './queries.ts'

/** Which findings a decision holds for: these, or all of a vulnerability, perhaps also those that begin later. */
type Reach = { findingIds: readonly string[] } | { cveId: string; alsoFuture: boolean }

export interface ScopeChoice {
  text: string
  /** The number of findings that there are now. */
  count: number
  reach: Reach
  /** It holds for one component only, as a single finding of the list does. */
  isOfOneComponent?: true
}

/** The findings of a vulnerability as its answer lists them, which is not all of very many. */
export interface ListedFindings {
  findings: readonly FindingHere[]
  findingCount: number
}

/**
 * This finding alone; all versions with the same component, where all are listed; all findings of the vulnerability; those
 * and later ones. Each reaches further than the one before.
 */
export function listScopes(
  finding: FindingDetail,
  { findings: all, findingCount }: ListedFindings,
): ScopeChoice[] {
  const { name, version } = finding.component
  const cveId = finding.cve.id
  const own = all.filter(
    ({ component }) => component.name === name && component.version === version,
  )
  const some = (text: string, findings: readonly FindingHere[]): ScopeChoice => {
    const findingIds = [...new Set([finding.id, ...findings.map(({ id }) => id)])]
    return { text, count: findingIds.length, reach: { findingIds } }
  }
  const ofOne = (text: string, findings: readonly FindingHere[]): ScopeChoice => ({
    ...some(text, findings),
    isOfOneComponent: true,
  })
  const isWhole = findingCount <= all.length
  const whole = `All findings of ${cveId}`
  const now = [
    ofOne(`This finding, in ${finding.firmwareVersion.name}`, []),
    ...(isWhole ? [ofOne(`All versions with ${name} ${version ?? ''}`.trimEnd(), own)] : []),
    isWhole
      ? some(whole, all)
      : { text: whole, count: findingCount, reach: { cveId, alsoFuture: false } },
  ]
  const further = now.filter(
    ({ count }, index) => index === 0 || count > (now[index - 1]?.count ?? 0),
  )
  const count = now.at(-1)?.count ?? 1
  const later = { text: `${whole}, later ones too`, count, reach: { cveId, alsoFuture: true } }
  return [...further, later]
}

/** Versions that devices run, where all findings are listed; all findings; those and later ones. */
export function listReaches(
  cveId: string,
  { findings, findingCount }: ListedFindings,
): ScopeChoice[] {
  const run = findings.filter(({ deviceCount }) => deviceCount > 0)
  const findingIds = run.map(({ id }) => id)
  const isPart = findingCount <= findings.length && run.length > 0 && run.length < findingCount
  const running = { text: 'Versions that devices run', count: run.length, reach: { findingIds } }
  const all = { text: 'All versions with this CVE', count: findingCount }
  return [
    ...(isPart ? [running] : []),
    { ...all, reach: { cveId, alsoFuture: false } },
    { text: 'Future versions too', count: findingCount, reach: { cveId, alsoFuture: true } },
  ]
}

/** The reach in the form in which a command of the API takes it. */
export function readTarget(reach: Reach): BulkTarget {
  if ('findingIds' in reach) return { findingIds: [...reach.findingIds] }
  const filter = { cveIds: [reach.cveId] }
  return reach.alsoFuture ? { filter, alsoFuture: true } : { filter }
}
