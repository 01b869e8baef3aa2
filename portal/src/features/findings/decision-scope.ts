/** How far a decision can hold. */
import type { FindingDetail } from '@plimsoll/api-client'
import type { BulkTarget } from '../../components/decision/bulk.ts'
import type { FindingHere } from './queries.ts'

/** Which findings a decision holds for: these, or all of a vulnerability, perhaps also those that begin later. */
type Reach =
  | { findingIds: readonly string[] }
  /** With `lineId`: those of one release line. */
  | { cveId: string; alsoFuture: boolean; lineId?: string }

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
 * This finding alone; those of its release line and later ones; all versions with the same component, where all are listed; all findings
 * of the vulnerability; those and later ones.
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
  const [alone, ...wider] = further
  const line = isWhole && finding.line ? [reachLine(cveId, finding.line, all)] : []
  return [...(alone ? [alone] : []), ...line, ...wider, later]
}

/** The findings that the line has now; the decision also holds for its later ones. */
function reachLine(
  cveId: string,
  { id, name }: NonNullable<FindingHere['line']>,
  all: readonly FindingHere[],
  of = '',
): ScopeChoice {
  const count = all.filter(({ line }) => line?.id === id).length
  const reach = { cveId, alsoFuture: true, lineId: id }
  return { text: `Line ${name}${of} alone, later ones too`, count, reach }
}

/** A choice for each release line that has findings. */
function reachLines(cveId: string, all: readonly FindingHere[]): ScopeChoice[] {
  const lines = new Map(all.flatMap((one) => (one.line ? [[one.line.id, one]] : [])))
  return [...lines.values()].flatMap(({ line, firmwareVersion: { firmware } }) =>
    line ? [reachLine(cveId, line, all, ` of ${firmware.name}`)] : [],
  )
}

/** Versions that devices run, and release lines, where all findings are listed; all findings; those and later ones. */
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
    ...(findingCount <= findings.length ? reachLines(cveId, findings) : []),
    { ...all, reach: { cveId, alsoFuture: false } },
    { text: 'Future versions too', count: findingCount, reach: { cveId, alsoFuture: true } },
  ]
}

/** The reach in the form in which a command of the API takes it. */
export function readTarget(reach: Reach): BulkTarget {
  if ('findingIds' in reach) return { findingIds: [...reach.findingIds] }
  const { cveId, lineId } = reach
  const filter = { cveIds: [cveId], ...(lineId !== undefined && { lineIds: [lineId] }) }
  return reach.alsoFuture ? { filter, alsoFuture: true } : { filter }
}
