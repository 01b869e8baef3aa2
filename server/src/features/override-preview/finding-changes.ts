/** Which findings firmware versions gain and lose when components change from one package to another. */

export interface Move {
  /** One for each component. */
  firmwareVersionIds: readonly string[]
  /** null: the components have no package. */
  before: string | null
  after: string | null
}

/** How many components of a firmware version have a package now. */
export interface HeldPackage {
  firmwareVersionId: string
  packageId: string
  componentCount: number
}

/** Firmware versions that gain the same packages and lose the same ones. */
export interface PackageChange {
  ended: string[]
  begun: string[]
  firmwareVersionIds: string[]
}

interface Count {
  before: number
  after: number
}

/** A firmware version loses a package with its last component, and gains one with its first. */
export function listPackageChanges(
  moves: readonly Move[],
  held: readonly HeldPackage[],
): PackageChange[] {
  const counts = new Map<string, Map<string, Count>>()
  const countOf = (firmwareVersionId: string, packageId: string) => {
    const ofVersion = counts.get(firmwareVersionId) ?? new Map<string, Count>()
    counts.set(firmwareVersionId, ofVersion)
    const count = ofVersion.get(packageId) ?? { before: 0, after: 0 }
    ofVersion.set(packageId, count)
    return count
  }
  for (const { firmwareVersionId, packageId, componentCount } of held) {
    const count = countOf(firmwareVersionId, packageId)
    count.before = componentCount
    count.after = componentCount
  }
  for (const { firmwareVersionIds, before, after } of moves)
    for (const firmwareVersionId of firmwareVersionIds) {
      if (before !== null) countOf(firmwareVersionId, before).after -= 1
      if (after !== null) countOf(firmwareVersionId, after).after += 1
    }
  const changes = new Map<string, PackageChange>()
  for (const [firmwareVersionId, ofVersion] of counts) {
    const entries = [...ofVersion].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const ended = entries.filter(([, { before, after }]) => before > 0 && after <= 0)
    const begun = entries.filter(([, { before, after }]) => before <= 0 && after > 0)
    if (ended.length + begun.length === 0) continue
    const change = { ended: ended.map(([id]) => id), begun: begun.map(([id]) => id) }
    const key = JSON.stringify(change)
    const alike = changes.get(key)
    if (alike) alike.firmwareVersionIds.push(firmwareVersionId)
    else changes.set(key, { ...change, firmwareVersionIds: [firmwareVersionId] })
  }
  return [...changes.values()]
}

export interface Match<Confidence extends string> {
  vulnerabilityId: string
  confidence: Confidence
}

export interface FindingChange<Confidence extends string> {
  vulnerabilityId: string
  /** The package that has it afterwards; of a finding that disappears, the package that had it. */
  packageId: string
  /** null: there is no finding. */
  before: Confidence | null
  after: Confidence | null
  firmwareVersionCount: number
  /** In groups, which several changes share. */
  firmwareVersionIds: (readonly string[])[]
}

/** A vulnerability of a package that ends and of one that begins is one finding, which changes or stays. */
export function listFindingChanges<Confidence extends string>(
  changes: readonly PackageChange[],
  matches: ReadonlyMap<string, readonly Match<Confidence>[]>,
): FindingChange<Confidence>[] {
  const all = new Map<string, FindingChange<Confidence>>()
  for (const { ended, begun, firmwareVersionIds } of changes)
    for (const change of pairedFindings(ended, begun, matches)) {
      const key = JSON.stringify(Object.values(change))
      const known = all.get(key)
      const sum = known ?? { ...change, firmwareVersionCount: 0, firmwareVersionIds: [] }
      sum.firmwareVersionCount += firmwareVersionIds.length
      sum.firmwareVersionIds.push(firmwareVersionIds)
      all.set(key, sum)
    }
  return [...all.values()]
}

type Pair<Confidence extends string> = Pick<
  FindingChange<Confidence>,
  'vulnerabilityId' | 'packageId' | 'before' | 'after'
>

function pairedFindings<Confidence extends string>(
  ended: readonly string[],
  begun: readonly string[],
  matches: ReadonlyMap<string, readonly Match<Confidence>[]>,
): Pair<Confidence>[] {
  const [lost, gained] = [byVulnerability(ended, matches), byVulnerability(begun, matches)]
  return [...new Set([...lost.keys(), ...gained.keys()])].flatMap((vulnerabilityId) => {
    const before = lost.get(vulnerabilityId) ?? []
    const after = gained.get(vulnerabilityId) ?? []
    const longer = after.length > before.length ? after : before
    return longer.map((one, index) => ({
      vulnerabilityId,
      packageId: (after[index] ?? one).packageId,
      before: before[index]?.confidence ?? null,
      after: after[index]?.confidence ?? null,
    }))
  })
}

function byVulnerability<Confidence extends string>(
  packageIds: readonly string[],
  matches: ReadonlyMap<string, readonly Match<Confidence>[]>,
): Map<string, { packageId: string; confidence: Confidence }[]> {
  const found = packageIds.flatMap((packageId) =>
    (matches.get(packageId) ?? []).map((match) => ({ packageId, ...match })),
  )
  return Map.groupBy(found, ({ vulnerabilityId }) => vulnerabilityId)
}
