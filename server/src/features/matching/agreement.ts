/** Whether the project of a package is the one that the records of a product refer to. */
import {
  dropVendorOfName,
  isOpen,
  isVendorless,
  listLookUpKeys,
  type PackageIdentity,
} from '../../formats/identity.ts'
import { listCandidateKeys, type NameResolver, listUnresolvedNames } from './name-resolution.ts'
import type { ReferenceCount } from './store.ts'

/** The projects, by address. */
export type References = ReadonlyMap<string, readonly ReferenceCount[]>

export const NO_REFERENCES: References = new Map()

/** What has to be read of packages to tell whether they agree. */
export function planAgreementQuery(
  identities: readonly PackageIdentity[],
  resolve: NameResolver,
): Record<'addresses' | 'keys', string[]> {
  const addressed = identities.filter(({ addresses = [] }) => addresses.length > 0)
  const addresses = addressed.flatMap((identity) => identity.addresses ?? [])
  const keys = addressed.flatMap((identity) => listCandidateKeys(identity, resolve))
  return { addresses: [...new Set(addresses)].toSorted(), keys: [...new Set(keys)].toSorted() }
}

export function indexReferences(counts: readonly ReferenceCount[]): References {
  return Map.groupBy(counts, ({ address }) => address)
}

/** By the key of a record: all names of a product agree if one does. */
export type Agreements = ReadonlyMap<string, ReferenceCount>

export function findAgreements(
  { pairs, addresses = [] }: Pick<PackageIdentity, 'pairs' | 'addresses'>,
  resolve: NameResolver,
  references: References,
): Agreements {
  const counts = addresses.flatMap((address) => references.get(address) ?? [])
  const found = new Map<string, ReferenceCount>()
  if (counts.length === 0) return found
  for (const group of productGroups(pairs.filter(isOpen), resolve)) {
    const [best] = counts
      .filter(({ key }) => group.includes(key))
      .toSorted((a, b) => b.records - a.records)
    if (best) for (const key of group) found.set(key, best)
  }
  return found
}

/** The keys that stand for one product each: those of one resolution, of one product of the table, or of one stated name. */
function productGroups(pairs: PackageIdentity['pairs'], resolve: NameResolver): string[][] {
  const resolved = pairs
    .filter(({ key }) => isVendorless(key))
    .flatMap(({ key }) => {
      const byProduct = Map.groupBy(resolve(dropVendorOfName(key)), ([own, resolution]) =>
        resolution.kind === 'in words' ? own : resolution,
      )
      return [...byProduct.values()].map((group) => group.map(([own]) => own))
    })
  const stated = Map.groupBy(
    pairs.filter(({ key }) => !isVendorless(key)),
    ({ alias, key }) => alias ?? key,
  )
  const ofStated = [...stated.values()].map((group) =>
    group.flatMap((pair) => listLookUpKeys(pair).map(({ key }) => key)).filter(isOfVendor),
  )
  return [...resolved, ...ofStated]
}

/** A record without vendor may be about another product. */
function isOfVendor(key: string): boolean {
  return !isVendorless(key)
}

/** Without the number of records, which changes from import to import. */
export function describeAgreement({ address, key }: ReferenceCount): string {
  return `its repository or homepage ${address} is the one that records of ${readProduct(key)} refer to`
}

export function describeAgreementWithCount({ address, key, records }: ReferenceCount): string {
  const refer = records === 1 ? 'record refers' : 'records refer'
  return `its repository or homepage is ${address}, to which ${records} ${refer} that name ${readProduct(key)}`
}

function readProduct(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

/** What the names of a package mean, as texts to compare with those of its last match. */
export function listResolvedNames(
  identity: PackageIdentity,
  resolve: NameResolver,
  references: References,
): string[] {
  const agreed = findAgreements(identity, resolve, references)
  return [
    ...listUnresolvedNames(identity.pairs).flatMap((name) =>
      [...resolve(name)].map(([key, { kind }]) => `${name} ${key} ${kind}`),
    ),
    ...[...agreed].map(([key, agreement]) => `${key} ${describeAgreement(agreement)}`),
  ].toSorted()
}
