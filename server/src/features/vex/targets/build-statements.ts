/**
 * What the statements of a firmware version's own SBOMs apply to. All SBOMs are the word of one build: a package counts as
 * repaired only if the build says so of each component that stands for it, and says the opposite of none.
 */
import { isSameVersion } from '../../../formats/vex/version-limits.ts'
import type { VexFormat, VexProduct } from '../../../formats/vex/model.ts'
import type { VexAssessment } from '../../../formats/vex/vocabulary.ts'
import type { Component, Inventory } from './inventory.ts'
import type { Target } from './resolve.ts'
import type { SbomRow } from './inventory.ts'

export interface BuildStatement {
  id: string
  format: VexFormat
  sbomId: string
  vulnerability: string
  assessment: VexAssessment
  nodes: number[] | null
  isWhole: boolean
  products: VexProduct[]
}

interface NamedStatement {
  statement: BuildStatement
  components: ReadonlySet<Component>
  packages: ReadonlySet<string>
}

/** The packages that a product names by its identifiers. */
export type PackagesOf = (product: VexProduct) => readonly string[]

/** Finds the targets, by the id of the statement. */
export function findBuildTargets(
  statements: readonly BuildStatement[],
  { inventory, packagesOf }: { inventory: Inventory; packagesOf: PackagesOf },
): Map<string, Target[]> {
  const namedBy = componentNaming(inventory, packagesOf)
  const isOutdated = outdatedBy(inventory)
  const targets = new Map<string, Target[]>()
  for (const [, about] of Map.groupBy(statements, ({ vulnerability }) => vulnerability)) {
    const named = about.map((statement) => {
      const components = new Set(namedBy(statement))
      return { statement, components, packages: packagesIn(components, statement, isOutdated) }
    })
    const isMeant = createAgreement(named, inventory)
    for (const one of named) targets.set(one.statement.id, listTargets(one, isMeant, isOutdated))
  }
  return targets
}

function packagesIn(
  components: ReadonlySet<Component>,
  { sbomId }: BuildStatement,
  isOutdated: IsOutdated,
): ReadonlySet<string> {
  const ids = [...components].flatMap(({ packageId }) => packageId ?? [])
  return new Set(ids.filter((packageId) => !isOutdated(sbomId, packageId)))
}

type IsMeant = (one: NamedStatement, packageId: string) => boolean

function listTargets(one: NamedStatement, isMeant: IsMeant, isOutdated: IsOutdated): Target[] {
  const { sbomId, isWhole } = one.statement
  if (isWhole && !isOutdated(sbomId)) return [{ sbomId }]
  const meant = [...one.packages].filter((packageId) => isMeant(one, packageId))
  return meant.toSorted().map((packageId) => ({ packageId }))
}

const isClosing = ({ assessment }: BuildStatement) =>
  assessment === 'Resolved' || assessment === 'NotAffected' || assessment === 'FalsePositive'

/** Whether a statement applies to a package, given all that the build says about the vulnerability. */
function createAgreement(named: readonly NamedStatement[], { componentsOf }: Inventory): IsMeant {
  const closed = new Set<Component>()
  const open = new Set<string>()
  for (const { statement, components, packages } of named)
    if (isClosing(statement)) for (const component of components) closed.add(component)
    else if (statement.assessment === 'Exploitable') for (const id of packages) open.add(id)
  const isCovered = (packageId: string, components: ReadonlySet<Component>) => {
    const members = componentsOf(packageId)
    const own = new Set(members.filter((one) => components.has(one)).map(({ sbomId }) => sbomId))
    return members.every((one) => !own.has(one.sbomId) || closed.has(one))
  }
  const isClosed = ({ statement, components }: NamedStatement, packageId: string) =>
    isClosing(statement) &&
    !open.has(packageId) &&
    (statement.format !== 'Build' || isCovered(packageId, components))
  const settled = new Set<string>()
  for (const one of named)
    for (const packageId of one.packages) if (isClosed(one, packageId)) settled.add(packageId)
  return (one, packageId) => {
    if (isClosing(one.statement)) return isClosed(one, packageId)
    // What the build has repaired is no longer in triage.
    return one.statement.assessment === 'Exploitable' || !settled.has(packageId)
  }
}

/** Finds the components that a statement names: those of its SBOM, and all that are built from them. */
function componentNaming(
  inventory: Inventory,
  packagesOf: PackagesOf,
): (statement: BuildStatement) => Component[] {
  const { components, componentsOf } = inventory
  const byNode = new Map(components.map((one) => [`${one.sbomId} ${one.node}`, one]))
  const bySbom = Map.groupBy(components, ({ sbomId }) => sbomId)
  const bySource = Map.groupBy(components, ({ source }) => source?.name.toLowerCase())
  const byName = Map.groupBy(components, ({ name }) => name.toLowerCase())
  const builtFrom = ({ name, version }: Source) =>
    (bySource.get(name.toLowerCase()) ?? []).filter(
      ({ source }) => source !== undefined && isVersion(version, source.version),
    )
  const ofProduct = (product: VexProduct): Component[] => {
    const { name, version } = product
    if (name === undefined) return packagesOf(product).flatMap(componentsOf)
    const declared = (byName.get(name.toLowerCase()) ?? []).filter((one) =>
      isVersion(version, one.declared.version),
    )
    return [...declared, ...builtFrom({ name, version })]
  }
  return ({ sbomId, nodes, isWhole, products }) => {
    if (nodes === null) return products.map(ofProduct).find((some) => some.length > 0) ?? []
    const own = nodes.flatMap((node) => byNode.get(`${sbomId} ${node}`) ?? [])
    const whole = isWhole ? (bySbom.get(sbomId) ?? []) : []
    const built = own.flatMap(({ name, declared }) =>
      builtFrom({ name, version: declared.version }),
    )
    return [...own, ...built, ...whole]
  }
}

interface Source {
  name: string
  version: string | undefined
}

const isVersion = (one: string | undefined, other: string | undefined) =>
  one === undefined || other === undefined ? one === other : isSameVersion(one, other)

/** Whether a later edition of the SBOM is there: without a package, one that speaks for all; else one that has the package. */
type IsOutdated = (sbomId: string, packageId?: string) => boolean

function outdatedBy({ sboms, components, roots }: Inventory): IsOutdated {
  const rootOf = new Map(roots.map(({ sbomId, name }) => [sbomId, name.toLowerCase()]))
  const packages = new Map<string, Set<string>>()
  for (const { sbomId, packageId } of components) {
    const known = packages.get(sbomId) ?? new Set<string>()
    packages.set(sbomId, known)
    if (packageId !== undefined) known.add(packageId)
  }
  const laterOf = new Map(
    sboms.map((sbom) => [
      sbom.id,
      sboms.filter((other) => isLaterEdition(other, sbom, (id) => rootOf.get(id))),
    ]),
  )
  return (sbomId, packageId) => {
    const later = laterOf.get(sbomId) ?? []
    // A report has no components of its own: its later edition says all that there is to say.
    if (packageId === undefined || !packages.has(sbomId)) return later.length > 0
    return later.some(({ id }) => packages.get(id)?.has(packageId) === true)
  }
}

function isLaterEdition(
  later: SbomRow,
  sbom: SbomRow,
  rootOf: (sbomId: string) => string | undefined,
): boolean {
  if (later.createdAt <= sbom.createdAt) return false
  if (later.fileName === sbom.fileName) return true
  const [serial, root] = [readSerial(sbom), rootOf(sbom.id)]
  if (serial !== undefined && serial === readSerial(later)) return true
  return root !== undefined && later.format === sbom.format && root === rootOf(later.id)
}

/** The serial number of a BOM-Link, without the version of the document. */
function readSerial({ namespace }: SbomRow): string | undefined {
  return /^urn:cdx:([^/]+)\//.exec(namespace ?? '')?.[1]
}
