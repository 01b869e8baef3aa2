/** Compares components and findings of two firmware versions. */
import { type Assessment, isActive } from '../../../formats/assessments.ts'
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import type { Confidence } from '../../matching/index.ts'

export interface HeldComponent {
  /** null: the component is not matched. */
  packageId: string | null
  name: string
  version: string | null
  vendor: string | null
  purl: string | null
  /** The component's keys, without its version. */
  keys: string[]
}

export interface HeldFinding {
  packageId: string
  vulnerabilityId: string
  name: string
  componentName: string
  componentVersion: string | null
  severity: Severity
  cvssScore: number | null
  isKnownExploit: boolean
  confidence: Confidence
  assessment: Assessment
  ignored: boolean
}

export interface Side {
  components: HeldComponent[]
  findings: HeldFinding[]
}

type Software = (key: string) => string

/** Groups keys: all keys of a component belong to one software (union-find). */
function groupSoftware(components: readonly HeldComponent[]): Software {
  const parents = new Map<string, string>()
  const rootOf: Software = (key) => {
    let root = key
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    if (root !== key) parents.set(key, root)
    return root
  }
  for (const { keys } of components)
    for (const key of keys) {
      const [root, other] = [rootOf(keys[0] ?? key), rootOf(key)]
      if (root !== other) parents.set(other, root)
    }
  return rootOf
}

const identity = ({ packageId, name, version, vendor }: HeldComponent) =>
  packageId ?? JSON.stringify([vendor, name, version])
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const byName = (a: HeldComponent, b: HeldComponent) =>
  order(a.name, b.name) ||
  order(a.version ?? '', b.version ?? '') ||
  order(identity(a), identity(b))

/** Pairs the versions of a software that only one side has, in order. The rest was added or removed. */
export function diffComponents(base: Side, version: Side) {
  const rootOf = groupSoftware([...base.components, ...version.components])
  const groupOf = (component: HeldComponent) => rootOf(component.keys[0] ?? identity(component))
  const only = (side: Side, other: Side) => {
    const present = new Set(other.components.map(identity))
    const own = side.components.filter((component) => !present.has(identity(component)))
    return Map.groupBy(own.toSorted(byName), groupOf)
  }
  const [gone, come] = [only(base, version), only(version, base)]
  const changed = [...gone].flatMap(([group, before]) =>
    (come.get(group) ?? [])
      .slice(0, before.length)
      .flatMap((to, index) => (before[index] ? [{ from: before[index], to }] : [])),
  )
  const paired = new Set(changed.flatMap(({ from, to }) => [from, to]))
  const rest = (groups: typeof gone) =>
    [...groups.values()].flat().filter((component) => !paired.has(component))
  return {
    added: rest(come).toSorted(byName),
    removed: rest(gone).toSorted(byName),
    changed: changed.toSorted((a, b) => byName(a.to, b.to)),
  }
}

export interface FindingPair {
  base: HeldFinding | undefined
  version: HeldFinding | undefined
}

const isActiveOne = (finding: HeldFinding | undefined) => finding !== undefined && isActive(finding)

/** Worst first. */
const byHarm = (a: HeldFinding, b: HeldFinding) =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  (b.cvssScore ?? -1) - (a.cvssScore ?? -1) ||
  order(a.vulnerabilityId, b.vulnerabilityId) ||
  order(a.packageId, b.packageId)

/** Findings of one vulnerability in one software count as one, in all its versions; an active one is shown. */
export function diffFindings(base: Side, version: Side) {
  const rootOf = groupSoftware([...base.components, ...version.components])
  const all = [...base.components, ...version.components]
  const groups = new Map(
    all.map((component) => [component.packageId, rootOf(component.keys[0] ?? identity(component))]),
  )
  const chosen = (side: Side) => {
    const byGroup = new Map<string, HeldFinding>()
    for (const finding of side.findings.toSorted(byHarm)) {
      const key = JSON.stringify([
        groups.get(finding.packageId) ?? finding.packageId,
        finding.vulnerabilityId,
      ])
      const present = byGroup.get(key)
      if (!present || (isActiveOne(finding) && !isActiveOne(present))) byGroup.set(key, finding)
    }
    return byGroup
  }
  const [before, now] = [chosen(base), chosen(version)]
  const pairs = [...new Set([...before.keys(), ...now.keys()])].map((key): FindingPair => ({
    base: before.get(key),
    version: now.get(key),
  }))
  const those = (wasActive: boolean, nowActive: boolean) =>
    pairs
      .filter(
        (pair) => isActiveOne(pair.base) === wasActive && isActiveOne(pair.version) === nowActive,
      )
      .flatMap((pair) => {
        const shown = nowActive ? pair.version : pair.base
        return shown ? [{ ...pair, shown }] : []
      })
      .toSorted((a, b) => byHarm(a.shown, b.shown))
  return { fixed: those(true, false), introduced: those(false, true), remaining: those(true, true) }
}

export function countBySeverity(findings: readonly { shown: HeldFinding }[]) {
  const counts = Map.groupBy(findings, ({ shown }) => shown.severity)
  return SEVERITIES.map((severity) => ({ severity, count: counts.get(severity)?.length ?? 0 }))
}
