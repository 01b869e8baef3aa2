/** By which keys a package is looked up, and which products its names without vendor mean. */
import { dropVendor } from '../../formats/advisories/keys.ts'
import { isRegistryOfDistribution, findRegistryOfKey } from '../../formats/ecosystems.ts'
import {
  dropVendorOfName,
  isOfRecords,
  isVendorless,
  type KnownProduct,
  listLookUpKeys,
  type PackageIdentity,
  type PackagePair,
  type Resolution,
  resolveName,
} from '../../formats/identity.ts'
import type { Candidate } from './evidence.ts'

/** The products that the records know by a name without vendor. */
export type NameResolver = (name: string) => ReadonlyMap<string, Resolution>

/** The keys by which the candidates of a package are looked up. */
export function listCandidateKeys(
  { pairs }: Pick<PackageIdentity, 'pairs'>,
  resolve: NameResolver,
): string[] {
  const stated = pairs.flatMap(listLookUpKeys).filter(({ isProductKey }) => !isProductKey)
  const resolved = listUnresolvedNames(pairs).flatMap((name) => [...resolve(name).keys()])
  return [...new Set([...stated.map(({ key }) => key), ...resolved])].toSorted()
}

/**
 * Those of them by which records can judge the package. The key of a distribution's package leads to records about its own builds
 * alone.
 */
export function listJudgingKeys(identity: PackageIdentity, resolve: NameResolver): string[] {
  const keys = listCandidateKeys(identity, resolve)
  return identity.distro === undefined || isOfRecords(identity.distro)
    ? keys
    : keys.filter((key) => !isRegistryOfDistribution(key))
}

/** Whose silence about the package says that it is not affected. */
export function findRegistry({ pairs, distro }: PackageIdentity): string | undefined {
  if (distro !== undefined && !isOfRecords(distro)) return undefined
  return pairs.flatMap(({ key }) => findRegistryOfKey(key) ?? [])[0]
}

/** The names of a package that only the records can resolve. */
export function listUnresolvedNames(pairs: readonly PackagePair[]): string[] {
  return [...new Set(pairs.flatMap(({ key }) => (isVendorless(key) ? dropVendorOfName(key) : [])))]
}

/** Resolves names by the products that these candidates name. */
export function createResolver(candidates: readonly Candidate[]): NameResolver {
  const named = Map.groupBy(candidates, ({ affected }) => affected.key)
  const products = [...named].map(([key, of]) => ({ key, records: of.length }))
  return createProductResolver(products)
}

export function createProductResolver(products: readonly KnownProduct[]): NameResolver {
  const known = Map.groupBy(products, ({ key }) => dropVendor(key) ?? '')
  return cacheReads((name) => resolveName(name, known))
}

/** Caches what it reads: thousands of records of one product repeat a few criteria. */
export function cacheReads<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const value = read(text)
    known.set(text, value)
    return value
  }
}
