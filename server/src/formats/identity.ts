/**
 * Which package a component stands for (docs/design/matching.md, package identity): its declared identifiers and those of what it is built from,
 * extended by the names of the alias table, as one canonical set. Rules add names; they never replace declared ones.
 */
import { formatCpeKey, nameKey } from './advisories/keys.ts'
import { ANY, type Cpe, readCpeValue, formatCpe } from './cpe.ts'
import { hasAdvisories } from './ecosystems.ts'
import { findAliasedProducts } from './identity/alias-index.ts'
import { ALIAS_TABLE_VERSION } from './identity/aliases.ts'
import { findSourcePackage } from './identity/distro-names.ts'
import {
  createIdentity,
  isVendorless,
  type PackageIdentity,
  type PackagePair,
} from './identity/canonical.ts'
import { findAliases } from './identity/families.ts'
import { listProductKeysOfName } from './identity/known-products.ts'
import type { ProductAliases } from './identity/product-aliases.ts'
import { type Name, readPurl } from './identity/identifiers.ts'
import { type DeclaredNames, listNames, type StatedIdentifiers } from './identity/names.ts'
import { type FindOverride, withVersion } from './identity/overrides.ts'
import { isStandIn } from './identity/registry-products.ts'
import { isUnregisteredType } from './identity/unregistered-types.ts'
import { projectAddress } from './project-address.ts'
import {
  type BuiltFrom,
  type ComponentIdentifiers,
  type ComponentScope,
  UNMATCHED_SCOPES,
} from './sboms/model.ts'
import { isCommit } from './versions/normalise.ts'

export type { PackageIdentity, PackagePair, PairOrigin } from './identity/canonical.ts'
export { isVendorless } from './identity/canonical.ts'
export { isOfExtendedStream, isOfOwnStream, judgeStream } from './identity/extended-streams.ts'
export { isStandIn } from './identity/registry-products.ts'
export { spellVersionForRecord } from './identity/record-versions.ts'
export { isOfLaterUpstream, isOfRecords } from './identity/builders.ts'
export {
  normaliseDistribution,
  hasOwnRecords,
  isOfRelease,
  selectStream,
  findUnknownDistribution,
} from './identity/distro.ts'
export { type KnownProduct, type Resolution, resolveName } from './identity/known-products.ts'
export {
  type FindOverride,
  listPartNames,
  createOverrideFinder,
  type OverrideSelector,
  type PackageOverride,
  parseSelectorCpe,
  listSelectorKeys,
  parseSelectorPurl,
} from './identity/overrides.ts'
import { shortenText } from './shorten.ts'

/** Raise it whenever the rules of this file or of `identity/` change: packages of older rules are then identified again. */
export const IDENTITY_RULES_VERSION = 9_000 + ALIAS_TABLE_VERSION

export type IdentifiableComponent = ComponentIdentifiers & {
  scope: ComponentScope | undefined
  builtFrom: BuiltFrom | undefined
  downloadLocation?: string | undefined
  /** What an override adds. */
  stated?: StatedIdentifiers | undefined
}

export type Identification =
  | {
      identity: PackageIdentity
      sourceName: string | undefined
      /** Set where the package can hardly be matched; the pairs that remain are matched all the same. */
      notMatchedReason?: string
    }
  | { notMatchedReason: string }

/** Applies an override of the workspace, if one is for the component. */
export function identifyComponent(
  component: IdentifiableComponent,
  findOverride: FindOverride,
): { overrideId: string | undefined; identification: Identification } {
  const override = findOverride(component)
  if (!override) return { overrideId: undefined, identification: identifyPackage(component) }
  const { id: overrideId, ignored, reason, version, purls, cpes } = override
  if (ignored)
    return { overrideId, identification: { notMatchedReason: `ignored: ${reason ?? ''}` } }
  const versioned = version === null ? component : withVersion(component, version)
  return { overrideId, identification: identifyPackage({ ...versioned, stated: { purls, cpes } }) }
}

export function identifyPackage(component: IdentifiableComponent): Identification {
  const { scope } = component
  if (UNMATCHED_SCOPES.some((unmatched) => unmatched === scope))
    return { notMatchedReason: `scope ${String(scope)}` }

  const all = declaredNames(component)
  const [own] = all
  const strong = all.flatMap(({ names, hints }) => pairNames(names, hints))
  const drafts = [...strong, ...weakNames(all, strong).flatMap(pairsOfWeak)]
  if (drafts.length === 0)
    return {
      notMatchedReason: component.builtFrom?.isListed === true ? LISTED_APART : explainUnnamed(all),
    }
  const isCommitOnly = drafts.every(({ version }) => isCommit(version))
  const pairs = isCommitOnly ? drafts : drafts.filter(isComparable)
  return {
    identity: createIdentity(pairs, {
      distro: all.flatMap(({ distro }) => distro ?? [])[0],
      addresses: listAddresses(component, pairs),
      rulesVersion: IDENTITY_RULES_VERSION,
    }),
    sourceName: own.sourceName ?? findSourceName(component),
    // Equal commits still match, but ranges of versions cannot. The reason says that missing findings prove nothing.
    ...(isCommitOnly
      ? { notMatchedReason: 'version is a commit' }
      : (unreadVersion(all, pairs) ?? unknownEcosystem(pairs))),
  }
}

/** The names of the component, and those of what it is built from. */
function declaredNames(component: IdentifiableComponent): [DeclaredNames, ...DeclaredNames[]] {
  const source = findSourcePackage(component)
  if (source) return [listNames({ ...component, source })]
  const { builtFrom } = component
  return builtFrom ? [listNames(component), listNames(builtFrom)] : [listNames(component)]
}

/**
 * Whether the name leaves open which product it means. What a distribution builds, and names that scanners guess, stay uncertain
 * whatever the project is.
 */
export function isOpen({ key, origin }: Pick<PackagePair, 'key' | 'origin'>): boolean {
  if (origin === 'name' || origin === 'supplied') return true
  return origin === undefined && (isVendorless(key) || key.startsWith('name:'))
}

const ADDRESS_QUALIFIERS = ['vcs_url', 'download_url']

/** The addresses that a component and what it is built from declare, where a name of it is open. */
function listAddresses(component: IdentifiableComponent, pairs: readonly PackagePair[]): string[] {
  if (!pairs.some(isOpen)) return []
  const declared = [component, ...(component.builtFrom ? [component.builtFrom] : [])]
  const texts = [
    component.downloadLocation,
    component.builtFrom?.downloadLocation,
    ...declared.flatMap(({ addresses = [] }) => addresses),
    ...declared.flatMap(({ purl }) => {
      const qualifiers = readPurl(purl)?.qualifiers ?? {}
      return ADDRESS_QUALIFIERS.map((name) => qualifiers[name])
    }),
  ]
  const addresses = texts.flatMap((text) =>
    text === undefined ? [] : (projectAddress(text) ?? []),
  )
  return [...new Set(addresses)].toSorted()
}

function findSourceName({ builtFrom }: IdentifiableComponent): string | undefined {
  return builtFrom?.isListed === true ? undefined : builtFrom?.packageName || undefined
}

/** The parts of a build product are components of their own, which are judged in its place. */
const LISTED_APART = 'built from other components'

/**
 * Used where stronger names are missing. A bare name is as weak in a purl without registry as elsewhere. What a component is
 * built from has the name of the software; its own may be that of a part.
 */
function weakNames(all: readonly DeclaredNames[], strong: readonly PackagePair[]): Name[] {
  const [own, source] = all
  if (strong.length === 0) {
    const ofSource = source?.weak() ?? []
    return ofSource.some(({ version }) => version !== undefined) ? ofSource : (own?.weak() ?? [])
  }
  return strong.every(({ key }) => isUnregistered(key)) ? (own?.weakOfPurl() ?? []) : []
}

function isUnregistered(key: string): boolean {
  return isUnregisteredType(/^purl:([^/]+)/.exec(key)?.[1] ?? '')
}

/** The CPE is the name that records have; a purl without registry, or the name alone, is hardly one. */
function unreadVersion(all: readonly DeclaredNames[], pairs: readonly PackagePair[]) {
  const isUnread = all.some(({ names }) =>
    names.some(({ key, version }) => key.startsWith('cpe:') && version === undefined),
  )
  const isNamed = pairs.some(({ key }) => !key.startsWith('name:') && !isUnregistered(key))
  return isUnread && !isNamed ? { notMatchedReason: 'version missing' } : undefined
}

/** The reason for purls of types without advisories; a vendor record may name such a purl all the same. */
function unknownEcosystem(pairs: readonly PackagePair[]) {
  const types = pairs.map(({ key }) => /^purl:([^/]+)/.exec(key)?.[1])
  const [type] = types
  if (type === undefined || types.some((one) => one === undefined || hasAdvisories(one))) return {}
  return { notMatchedReason: `unknown ecosystem ${type}` }
}

/** A commit is comparable only for the source tree itself; a name with another version uses that version. */
function isComparable({ key, version, alias }: PackagePair): boolean {
  return alias === undefined || !isCommit(version) || /^(?:repo|purl):/.test(key)
}

function explainUnnamed(all: readonly DeclaredNames[]): string {
  const invalid = all.flatMap((declared) => declared.invalid)[0]
  if (invalid !== undefined) return `invalid identifier ${shortenText(invalid, 200)}`
  const names = all.flatMap((one) => one.names.concat(one.hints))
  return names.length > 0 ? 'version missing' : 'no identifier'
}

/** A name and nothing else is a product of the alias table where the table knows exactly one. */
function pairsOfWeak(name: Name): PackagePair[] {
  const products = isVendorless(name.key) ? findAliases(dropVendorOfName(name.key)) : []
  const [product] = products
  if (product === undefined || products.length > 1) return createPair(name)
  const named = { ...name, origin: name.origin ?? ('name' as const) }
  return [
    ...product.keys.flatMap((key) => aliasPair(named, key, product.product)),
    ...relatedPairs(named, product),
  ]
}

/** The pairs of each name: of the name itself, or of all names of its products in the alias table. */
function pairNames(names: readonly Name[], hints: readonly Name[]): PackagePair[] {
  const known = [...names, ...hints].map((name) => ({ name, products: findAliasesOfName(name) }))
  return known.flatMap(({ name, products }, index) => {
    const isHint = index >= names.length
    const isNamed = products.some(({ keys }) => keys.includes(name.key))
    // The alias table fills in a missing vendor; a look-up without vendor would find nothing more.
    const isFilledIn = isVendorless(name.key) && products.length > 0
    const itself = isHint || isNamed || isFilledIn ? [] : createPair(name)
    return [
      ...itself,
      ...products.flatMap(({ keys, product }) =>
        keys.flatMap((key) => aliasPair(name, key, product)),
      ),
      ...products.flatMap((product) => relatedPairs(name, product)),
    ]
  })
}

/** Only what is stated of the product itself holds for its parts: a distribution's build has records of its own. */
function relatedPairs(name: Name, { product, related = [] }: ProductAliases): PackagePair[] {
  if (name.origin !== undefined && name.origin !== 'name' && name.origin !== 'supplied') return []
  return related.flatMap(({ key, origin }) =>
    aliasPair({ ...name, ...(origin && { origin }) }, key, product),
  )
}

function findAliasesOfName({ key, origin }: Name) {
  if (isStandIn(origin)) return []
  const products = findAliasedProducts(key)
  return products.length > 0 || !isVendorless(key) ? products : findAliases(dropVendorOfName(key))
}

/** `thing` of `cpe:*:thing` and `name:*\/thing`. */
export function dropVendorOfName(key: string): string {
  return key.replace(/^(?:cpe:\*:|name:\*\/)/, '')
}

function aliasPair(name: Name, key: string, product: string): PackagePair[] {
  const { version, cpe } = name
  if (version === undefined) return []
  const isWhole = key.startsWith('cpe:') || cpe === undefined
  const text = isWhole ? version : joinVersionUpdate(version, cpe.update)
  const identifier = formatIdentifier(key, text, cpe && { ...cpe, part: '*' })
  // A product of the table stays certain, even where the name is a guess.
  const origin = name.origin === 'guess' ? 'distribution' : name.origin
  return [{ key, version: text, identifier, alias: product, ...(origin && { origin }) }]
}

function createPair({ key, version, cpe, origin }: Name): PackagePair[] {
  return version === undefined
    ? []
    : [{ key, version, identifier: formatIdentifier(key, version, cpe), ...(origin && { origin }) }]
}

/** CPE keeps `rc1` of `1.0rc1` apart from the version. */
export function joinVersionUpdate(version: string, update: string): string {
  const stage = readCpeValue(update)
  return stage === undefined ? version : `${version}-${stage}`
}

function formatIdentifier(key: string, version: string, cpe: Cpe | undefined): string {
  const kind = key.slice(0, key.indexOf(':'))
  const name = key.slice(kind.length + 1)
  if (kind === 'purl') return `pkg:${name}@${version}`
  if (kind === 'repo') return `https://${name}@${version}`
  if (kind !== 'cpe') return `${name}@${version}`
  const end = name.indexOf(':')
  const [vendor, product] = [cpeValue(name.slice(0, end)), cpeValue(name.slice(end + 1))]
  return formatCpe({ ...UNSTATED, ...cpe, vendor, product, version: cpeValue(version) })
}

/** Writes a text as the formatted string does: small, with a backslash before marks (NISTIR 7695, section 6.2). */
function cpeValue(text: string): string {
  if (text === ANY) return text
  return text === '-' ? '\\-' : text.toLowerCase().replace(/[^\p{L}\p{N}._-]/gu, '\\$&')
}

const UNSTATED: Cpe = {
  part: ANY,
  vendor: ANY,
  product: ANY,
  version: ANY,
  update: ANY,
  edition: ANY,
  language: ANY,
  swEdition: ANY,
  targetSw: ANY,
  targetHw: ANY,
  other: ANY,
}

/** Every key advisories may name the package by: what `package_keys` holds. */
export function listPackageKeys({ pairs }: Pick<PackageIdentity, 'pairs'>): string[] {
  return [...new Set(pairs.flatMap(listLookUpKeys).map(({ key }) => key))].toSorted()
}

export interface LookUpKey {
  key: string
  /** Whether the key is a product of any vendor, as in the product keys of advisories. */
  isProductKey: boolean
}

/** CPE names and the names people write are two spellings of vendor and product. */
export function listLookUpKeys({ key, origin }: Pick<PackagePair, 'key' | 'origin'>): LookUpKey[] {
  if (/^(?:purl|repo):/.test(key) || isStandIn(origin)) return [{ key, isProductKey: false }]
  if (isVendorless(key)) return lookUpKeysOfName(dropVendorOfName(key))
  const isCpe = key.startsWith('cpe:')
  const separator = isCpe ? ':' : '/'
  const name = key.slice(key.indexOf(':') + 1)
  const vendor = name.slice(0, name.indexOf(separator))
  const product = name.slice(name.indexOf(separator) + 1)
  return [
    ...listVendors(vendor, product).flatMap((one) => [
      `cpe:${one}:${product}`,
      `name:${one}/${product}`,
    ]),
    // Few advisories name a product without its vendor.
    formatCpeKey('*', product) ?? key,
    nameKey(undefined, product) ?? key,
  ].map((exact) => ({ key: exact, isProductKey: false }))
}

/** NVD names `optipng:optipng` also `optipng_project:optipng`, as it does where it does not know the maker. */
function listVendors(vendor: string, product: string): string[] {
  const project = `${product}_project`
  if (vendor === product) return [vendor, project]
  return vendor === project ? [vendor, product] : [vendor]
}

/** Whether a record without vendor that names the product of the key can only mean this product. */
export function isOnlyOfName({ key, alias }: Pick<PackagePair, 'key' | 'alias'>): boolean {
  const [vendor = '', product = ''] = key.slice(key.indexOf(':') + 1).split(/[:/](.*)/s)
  const products = findAliasedProducts(`cpe:*:${product}`)
  if (products.length > 0) return products.length === 1 && products[0]?.product === alias
  return vendor.replace(/_project$/, '') === product
}

/** The records decide which product of which vendor the name means, and by which of its spellings. */
function lookUpKeysOfName(name: string): LookUpKey[] {
  return [
    ...listProductKeysOfName(name).map((key) => ({ key, isProductKey: true })),
    // OSS-Fuzz uses this form.
    { key: `purl:generic/${name}`, isProductKey: false },
  ]
}
