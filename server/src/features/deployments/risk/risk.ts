/** How a change of firmware versions changes the findings of a cohort's devices. */
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import { diffFindings, type HeldFinding, type Side } from '../../reports/index.ts'

/** A finding, the version in which it is active, and the number of devices that lose or get it. */
export interface RiskFinding {
  firmwareVersionId: string
  finding: HeldFinding
  deviceCount: number
}

export type SeverityCounts = Record<Severity, number>

/** The findings removed and introduced between two versions, and the active findings of both by severity. */
export interface Difference {
  removed: HeldFinding[]
  introduced: HeldFinding[]
  before: SeverityCounts
  after: SeverityCounts
}

export function compareVersions(base: Side, target: Side): Difference {
  const { fixed, introduced, remaining } = diffFindings(base, target)
  const shown = (those: typeof fixed) => those.map((one) => one.shown)
  const removed = shown(fixed)
  const come = shown(introduced)
  const kept = (side: 'base' | 'version') =>
    remaining.flatMap((pair) => (pair[side] ? [pair[side]] : []))
  return {
    removed,
    introduced: come,
    before: countSeverities([...removed, ...kept('base')]),
    after: countSeverities([...come, ...kept('version')]),
  }
}

const NONE: SeverityCounts = { Critical: 0, High: 0, Medium: 0, Low: 0, None: 0, Unknown: 0 }

function countSeverities(findings: readonly HeldFinding[]): SeverityCounts {
  const counts = { ...NONE }
  for (const { severity } of findings) counts[severity] += 1
  return counts
}

export function listCounts(counts: SeverityCounts) {
  return SEVERITIES.map((severity) => ({ severity, count: counts[severity] }))
}

/** Devices that change from one version to another. */
export interface Move {
  baseId: string
  targetId: string
  deviceCount: number
  difference: Difference
}

/** The sum over all devices: each finding with its number of devices, and active findings times devices. */
export function sumMoves(moves: readonly Move[]) {
  const [removed, introduced] = [new Map<string, RiskFinding>(), new Map<string, RiskFinding>()]
  const [before, after] = [{ ...NONE }, { ...NONE }]
  for (const { baseId, targetId, deviceCount, difference } of moves) {
    addAll(removed, { firmwareVersionId: baseId, findings: difference.removed, deviceCount })
    addAll(introduced, {
      firmwareVersionId: targetId,
      findings: difference.introduced,
      deviceCount,
    })
    for (const severity of SEVERITIES) {
      before[severity] += deviceCount * difference.before[severity]
      after[severity] += deviceCount * difference.after[severity]
    }
  }
  return { removed: sortWorstFirst(removed), introduced: sortWorstFirst(introduced), before, after }
}

/** Counts the same vulnerability of the same component in several versions once, shown as in the first of them. */
function addAll(
  all: Map<string, RiskFinding>,
  { findings, ...of }: { firmwareVersionId: string; findings: HeldFinding[]; deviceCount: number },
): void {
  for (const finding of findings) {
    const key = JSON.stringify([finding.vulnerabilityId, finding.componentName])
    const present = all.get(key)
    if (present) present.deviceCount += of.deviceCount
    else all.set(key, { ...of, finding })
  }
}

const rank = ({ finding }: RiskFinding) => SEVERITIES.indexOf(finding.severity)
const score = ({ finding }: RiskFinding) => finding.cvssScore ?? -1
const isKnown = ({ finding }: RiskFinding) => Number(finding.isKnownExploit)
const formatName = ({ finding }: RiskFinding) =>
  `${finding.vulnerabilityId} ${finding.componentName}`

/** Known-exploited findings first, then by severity, score and name. */
function sortWorstFirst(findings: ReadonlyMap<string, RiskFinding>): RiskFinding[] {
  return [...findings.values()].toSorted(
    (a, b) =>
      isKnown(b) - isKnown(a) ||
      rank(a) - rank(b) ||
      score(b) - score(a) ||
      (formatName(a) < formatName(b) ? -1 : 1),
  )
}
