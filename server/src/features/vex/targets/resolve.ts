/** Resolves the products of a statement to targets in a firmware version. */
import { identifyPackage } from '../../../formats/identity.ts'
import type { VexProduct, VexThing } from '../../../formats/vex/model.ts'
import {
  compareNaming,
  type NameComparison,
  type ReadThing,
  readThing,
} from '../../../formats/vex/naming.ts'
import type { Component, Inventory } from './inventory.ts'
import { cutText } from '../../../formats/shorten.ts'

/** A package, or all that an SBOM describes. Without both: the whole firmware version. */
export interface Target {
  packageId?: string
  sbomId?: string
}

export interface Resolution {
  targets: Target[]
  /** Products and parts that name nothing in this firmware version, with the reason. */
  unmatched: UnmatchedProduct[]
  /** The statement is about this firmware version. It may name parts that the version does not hold today. */
  isAccepted: boolean
}

interface UnmatchedProduct {
  product: string
  reason: string
  /** It is looked up again after each change of the inventory. */
  isKept: boolean
  /** Nothing here has this name, not even in another version. */
  isUnknown?: boolean
}

/** The direct parents of a component in the graph of its SBOM. */
export type ParentsOf = (component: Component) => readonly Component[]

export function resolveProducts(
  products: readonly VexProduct[],
  inventory: Inventory,
  parentsOf: ParentsOf,
): Resolution {
  if (products.length === 0)
    return {
      targets: [],
      unmatched: [{ product: '', reason: 'The statement names no product.', isKept: false }],
      isAccepted: false,
    }
  const all = products.map((product) => resolveProduct(product, inventory, parentsOf))
  const targets = all.flatMap((one) => one.targets)
  return {
    targets: [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()],
    unmatched: all.flatMap((one) => one.unmatched),
    isAccepted: all.some((one) => one.isAccepted),
  }
}

/** What a product is here: the firmware version or what one of its SBOMs describes (`target`), or components. */
interface ResolvedProduct {
  target: Target | undefined
  components: Component[]
}

/** Whoever imported the document said that it is about this firmware version. */
const THIS_VERSION: ResolvedProduct = { target: {}, components: [] }

function resolveProduct(
  product: VexProduct,
  inventory: Inventory,
  parentsOf: ParentsOf,
): Resolution {
  const named = readThing(product)
  const whole = product.isVersion ? THIS_VERSION : findProduct(named, inventory)
  if (typeof whole === 'string')
    return {
      targets: [],
      unmatched: [
        {
          product: formatLabel(product),
          reason: whole,
          isKept: false,
          isUnknown: whole === UNKNOWN,
        },
      ],
      isAccepted: false,
    }
  if (product.subcomponents.length === 0)
    return {
      targets: whole.target ? [whole.target] : listPackages(whole.components),
      unmatched: [],
      isAccepted: true,
    }
  const isOnlyInside = createInsideTest(whole, parentsOf)
  const parts = product.subcomponents.map((part) =>
    resolvePart(part, whole, { inventory, isOnlyInside }),
  )
  return {
    targets: parts.flatMap((part) => part.targets),
    unmatched: parts.flatMap((part) => part.unmatched),
    isAccepted: true,
  }
}

const UNKNOWN = 'The product is neither this firmware version nor a component of it.'

/** Answers a reason if the product names nothing here. */
function findProduct(named: ReadThing, inventory: Inventory): ResolvedProduct | string {
  const { namespaces, roots } = inventory
  const asVersion = compareNaming(named, inventory.version)
  if (asVersion === 'same') return THIS_VERSION
  const meant = withoutSharedIds(named, inventory)
  if (typeof meant === 'string') return meant
  const linked = namespaces.find(({ namespace }) => namespace === named.ref)
  if (linked) return { target: { sbomId: linked.sbomId }, components: [] }
  const root = roots.find(({ declared }) => compareNaming(meant, declared) === 'same')
  if (root) return { target: { sbomId: root.sbomId }, components: [] }
  const { components, naming } = findComponents(meant, inventory)
  if (components.length > 0) return { target: undefined, components }
  if (asVersion === 'other') return 'The product is another version of this firmware.'
  return naming === 'other'
    ? 'This firmware version holds another version or build of the product.'
    : UNKNOWN
}

/**
 * An id that several components have, as in merged documents, names none of them: what is named then are its other
 * identifiers. Answers a reason if there are none that are here.
 */
function withoutSharedIds(named: ReadThing, inventory: Inventory): ReadThing | string {
  if (named.refs.length === 0) return named
  const having = inventory
    .candidatesFor(named)
    .filter(({ declared }) => named.refs.some((ref) => declared.refs.includes(ref)))
  const things = new Set(having.map(identifySoftware))
  if (things.size < 2) return named
  const others = { ...named, refs: [] }
  if (findComponents(others, inventory).components.length > 0) return others
  return 'Several components share this id, so that nobody can tell which one is meant.'
}

const identifySoftware = ({ packageId, declared: { names, version } }: Component) =>
  packageId ?? JSON.stringify([names, version])

function findComponents(named: ReadThing, inventory: Inventory) {
  const compared = inventory
    .candidatesFor(named)
    .map((component) => ({ component, naming: compareNaming(named, component.declared) }))
  const same = compared.filter(({ naming }) => naming === 'same')
  if (same.length > 0)
    return { components: same.map(({ component }) => component), naming: 'same' as NameComparison }
  if (compared.some(({ naming }) => naming === 'other'))
    return { components: [], naming: 'other' as NameComparison }
  return { components: findByIdentity(named, inventory), naming: 'unknown' as NameComparison }
}

/** The statement may use another name of the same software: it has a purl, and the SBOM has a CPE. */
function findByIdentity(named: ReadThing, inventory: Inventory): Component[] {
  const { purls, cpes, name = '', version, versions } = named
  if (purls.length + cpes.length === 0 || versions.length > 0) return []
  const identified = identifyPackage({
    packageName: name,
    vendor: undefined,
    version,
    purl: purls[0],
    cpes: [...cpes],
    scope: undefined,
    builtFrom: undefined,
  })
  if (!('identity' in identified)) return []
  const packages = new Set(
    identified.identity.pairs.flatMap((pair) => inventory.packagesNamed(pair.key, pair.version)),
  )
  return [...packages].flatMap(inventory.componentsOf)
}

function resolvePart(
  part: VexThing,
  whole: ResolvedProduct,
  { inventory, isOnlyInside }: { inventory: Inventory; isOnlyInside: (of: Component) => boolean },
): Omit<Resolution, 'isAccepted'> {
  const named = withoutSharedIds(readThing(part), inventory)
  const unmatched = (reason: string, isKept: boolean) => ({
    targets: [],
    unmatched: [{ product: formatLabel(part), reason, isKept }],
  })
  if (typeof named === 'string') return unmatched(named, true)
  const { components, naming } = findComponents(named, inventory)
  const { sbomId } = whole.target ?? {}
  const inside = components.filter(
    (component) => sbomId === undefined || component.sbomId === sbomId,
  )
  if (inside.length === 0)
    return naming === 'other'
      ? unmatched('The product holds another version or build of this part.', true)
      : unmatched('The product holds no part of this name today.', true)
  if (whole.target || inside.every(isOnlyInside))
    return { targets: listPackages(inside), unmatched: [] }
  return unmatched('The part is in the firmware also outside the product.', true)
}

/**
 * Findings are per package. A statement about a package inside one component therefore applies only if the package is
 * nowhere else in the firmware.
 */
function createInsideTest(
  { components }: ResolvedProduct,
  parentsOf: ParentsOf,
): (component: Component) => boolean {
  const products = new Set(components)
  // Remembers what was found, so that the next part does not walk the same ways again.
  const outside = new Set<Component>()
  const inside = new Set<Component>()
  return (component) => {
    const from = new Map<Component, Component | undefined>([[component, undefined]])
    // The loop below also visits entries that it adds.
    for (const next of from.keys()) {
      if (inside.has(next)) continue
      const parents = parentsOf(next)
      if (parents.length === 0 || outside.has(next)) {
        for (let at: Component | undefined = next; at; at = from.get(at)) outside.add(at)
        return false
      }
      for (const parent of parents)
        if (!products.has(parent) && !from.has(parent)) from.set(parent, next)
    }
    for (const one of from.keys()) inside.add(one)
    return true
  }
}

function listPackages(components: readonly Component[]): Target[] {
  const ids = components.flatMap(({ packageId }) => packageId ?? [])
  return [...new Set(ids)].toSorted().map((packageId) => ({ packageId }))
}

function formatLabel({ purls, cpes, ref, name, version, hashes = [] }: VexThing): string {
  const named = name === undefined ? undefined : [name, version].filter(Boolean).join(' ')
  return cutText(purls[0] ?? cpes[0] ?? named ?? ref ?? hashes[0] ?? '', 500)
}
