/** Turns declared identifiers into names: a key and the product's version under that key. */
import type { ComponentIdentifiers } from '../sboms/model.ts'
import { formatCpeKey, nameKey, repoKey } from '../advisories/keys.ts'
import { findAliasedProducts } from './alias-index.ts'
import { type Cpe, readCpeValue, NA, unquote } from '../cpe.ts'
import { formatPurlKey } from '../purl.ts'
import { type Build, DISTRO_TYPES, judgeCpeOrigin } from './cpe-origin.ts'
import { findUsualName } from './curated-spellings.ts'
import { listDistroNames, type StatedSource } from './distro-names.ts'
import type { Distro } from './distro.ts'
import { isKnownName } from './families.ts'
import { readCpe, readPurl, type DeclaredPurl, type Name } from './identifiers.ts'
import { listStandIns } from './registry-products.ts'
import {
  FORGES,
  isUnregisteredType,
  isUpstreamType,
  isWithoutRegistry,
} from './unregistered-types.ts'
import {
  isDistributionBuild,
  readRegistryVersion,
  readUpstreamVersion,
  readVersion,
} from './versions.ts'

export interface DeclaredNames {
  names: Name[]
  /** Names that count only where the alias table knows them. */
  hints: Name[]
  /** Weak names, used only where there is no other. */
  weak: () => Name[]
  /** The weak names of the purl alone, which are equal for all packages of one source. */
  weakOfPurl: () => Name[]
  distro: Distro | undefined
  /** The stated source package of a distribution's build. */
  sourceName: string | undefined
  /** Identifiers that cannot be read. */
  invalid: string[]
}

export interface StatedIdentifiers {
  purls: readonly string[]
  cpes: readonly string[]
}

export function listNames(
  declared: ComponentIdentifiers & {
    downloadLocation?: string | undefined
    /** Stated by people, so vendors are not guesses. */
    stated?: StatedIdentifiers | undefined
    /** The source of a distribution's package, if the SBOM states it in another way than in the purl. */
    source?: StatedSource | undefined
  },
): DeclaredNames {
  const purl = readPurl(declared.purl)
  const fromPurl = purl ? namesOfPurl(purl, declared) : NONE
  const cpes = declared.cpes.map((text) => ({ text, cpe: readCpe(text) }))
  const invalid = cpes.filter(({ cpe }) => cpe === undefined).map(({ text }) => text)
  if (declared.purl !== undefined && !purl) invalid.unshift(declared.purl)
  const isRegistered = purl !== undefined && !isWithoutRegistry(purl.type)
  const build = {
    version: declared.version,
    isDistro:
      (purl !== undefined && DISTRO_TYPES.has(purl.type)) || isDistributionBuild(declared.version),
    hasVendors: listVendors(cpes).size > 1,
    purl,
    isSourceStated: fromPurl.sourceName !== undefined,
  }
  const fromCpes = cpes
    .flatMap(({ cpe }) => (cpe ? nameOfCpe(cpe, build) : []))
    .filter((name) => !isOfScanner(name, fromPurl))
  const stated = namesOfStated(declared.stated, {
    version: declared.version ?? purl?.version,
    isDistro: build.isDistro,
    hasVendors: false,
    purl: undefined,
    isSourceStated: true,
  })
  return {
    names: [
      ...fromPurl.names.filter((name) => !isRepeated(name, fromCpes)),
      ...fromCpes,
      ...stated.names,
      ...(isRegistered ? [] : nameOfLocation(declared.downloadLocation, declared.version)),
    ],
    hints: [...fromPurl.hints, ...stated.hints],
    weak: () => [...fromPurl.weakOfPurl(), ...nameOfWords(declared)],
    weakOfPurl: fromPurl.weakOfPurl,
    distro: fromPurl.distro,
    sourceName: fromPurl.sourceName,
    invalid,
  }
}

function namesOfStated(stated: StatedIdentifiers | undefined, build: Build) {
  if (stated === undefined) return { names: [], hints: [] }
  const purls = stated.purls.flatMap((text) => {
    const purl = readPurl(text)
    return purl ? namesOfPurl(purl, { version: build.version, cpes: [] }) : []
  })
  const cpes = stated.cpes.flatMap((text) => readCpe(text) ?? [])
  return {
    names: [
      ...purls.flatMap(({ names }) => names),
      ...cpes.flatMap((cpe) => nameOfCpe(cpe, build)),
    ],
    hints: purls.flatMap(({ hints }) => hints),
  }
}

type PurlNames = Omit<DeclaredNames, 'invalid' | 'weak'> & {
  /** What a distribution calls the binary and the source package. */
  purlNames?: string[]
}
const NONE: PurlNames = {
  names: [],
  hints: [],
  weakOfPurl: () => [],
  distro: undefined,
  sourceName: undefined,
}

type DeclaredIdentifiers = Pick<ComponentIdentifiers, 'version' | 'cpes'> & {
  vendor?: string | undefined
  source?: StatedSource | undefined
}

function namesOfPurl(purl: DeclaredPurl, declared: DeclaredIdentifiers): PurlNames {
  if (DISTRO_TYPES.has(purl.type)) return { ...NONE, ...listDistroNames(purl, declared) }
  const { type, namespace, name } = purl
  const isUpstream = isUpstreamType(type)
  const version = versionOfPurl(purl, declared)
  // A recipe with CPEs states its product (CVE_PRODUCT of cve-check.bbclass).
  const isSaid = type === 'yocto' && declared.cpes.length > 0
  const hints = isUpstream && !isSaid ? listHints(type, namespace, findUsualName(type, name)) : []
  const isKnown = hints.some((key) => findAliasedProducts(key).length > 0)
  // No advisory names recipes or files without a registry, so such a purl alone is not a name.
  const names: Name[] =
    type === 'yocto' || (isKnown && isUnregisteredType(type))
      ? []
      : [{ key: formatPurlKey(purl), version }]
  for (const each of [...repositoryNames(purl, version), ...listStandIns(purl, version)])
    names.push(each)
  // Without CVE_PRODUCT a recipe's name is its product with any vendor (cve-check.bbclass); the namespace is a layer.
  if (type === 'yocto' && !isSaid) names.push({ key: `cpe:*:${name.toLowerCase()}`, version })
  if (!isUpstream) return { ...NONE, names }
  return {
    ...NONE,
    names,
    hints: hints.map((key) => ({ key, version })),
    weakOfPurl: () =>
      nameKeys(OF_FILES.has(type) ? undefined : namespace, name).map((key) => ({ key, version })),
  }
}

function versionOfPurl({ type, name, version }: DeclaredPurl, declared: DeclaredIdentifiers) {
  const stated = version ?? declared.version
  return isWithoutRegistry(type)
    ? readVersion(withoutRecipeRevision(type, stated), name)
    : readRegistryVersion(stated)
}

/** The repositories that a purl names by its type, its `vcs_url` and its component. */
function repositoryNames(purl: DeclaredPurl, version: string | undefined): Name[] {
  const { type, namespace, name, qualifiers, repository } = purl
  const host = FORGES.get(type)
  const hosted =
    host === undefined || namespace === undefined
      ? undefined
      : `https://${host}/${namespace}/${name}`
  const stated = isWithoutRegistry(type) ? qualifiers['vcs_url'] : undefined
  return [hosted, stated, repository].flatMap((address) => repositoryName(address, version))
}

/** Their namespace is the distribution. */
const OF_FILES = new Set(['opkg', 'ipk'])

/** `pkg:generic/haxx/curl`, `pkg:generic/curl`; the namespace of a recipe may be a vendor, a layer or a distribution. */
function listHints(type: string, namespace: string | undefined, name: string): string[] {
  const isOfLayer = type === 'yocto' || OF_FILES.has(type)
  const vendors = namespace === undefined ? ['*'] : isOfLayer ? [namespace, '*'] : [namespace]
  return vendors.flatMap((vendor) => formatCpeKey(vendor, name) ?? [])
}

/** `-r0`: the recipe's own revision. */
function withoutRecipeRevision(type: string, version: string | undefined): string | undefined {
  return type === 'yocto' ? version?.replace(/-r\d+(?:\.\d+)*$/, '') : version
}

/**
 * Scanners of installed packages invent CPEs from the package's name and possible vendors (Syft). Where the alias table knows
 * the source, unknown CPEs say nothing and differ between the binary packages.
 */
function isOfScanner({ key, origin }: Name, { hints, purlNames = [] }: PurlNames): boolean {
  if (origin === undefined || purlNames.length === 0 || hints.length === 0) return false
  if (findAliasedProducts(key).length > 0) return false
  const product = key.slice(key.indexOf(':', 4) + 1).replaceAll('_', '-')
  return origin === 'guess' || purlNames.includes(product)
}

/** Distributions state no CPE vendors; several vendors are guesses of a scanner (Syft). */
function listVendors(cpes: readonly { cpe: Cpe | undefined }[]): Set<string> {
  return new Set(cpes.flatMap(({ cpe }) => (cpe ? (readCpeValue(cpe.vendor) ?? []) : [])))
}

/** `pkg:generic/thing` beside `cpe:2.3:*:*:thing`: the purl repeats the CPE. */
function isRepeated({ key, version }: Name, fromCpes: readonly Name[]): boolean {
  const [, type = '', path = ''] = /^purl:([^/]+)\/(.*)$/.exec(key) ?? []
  if (!isUnregisteredType(type)) return false
  const name = path.includes('/') ? path.replace('/', ':') : `*:${path}`
  return fromCpes.some((cpe) => cpe.key === `cpe:${name.toLowerCase()}` && cpe.version === version)
}

function nameOfCpe(cpe: Cpe, build: Build): Name[] {
  if (cpe.vendor === NA || cpe.product === NA) return []
  const product = unquote(cpe.product)
  const key = formatCpeKey(unquote(cpe.vendor), product)
  if (key === undefined) return []
  // `*` states no version, `-` that there is none, and `1.*` a pattern of many.
  const stated = readCpeValue(cpe.version) ?? build.version
  const isDistro = build.isDistro || isDistributionBuild(stated)
  const version = isDistro && stated !== undefined ? readUpstreamVersion(stated) : stated
  const origin = judgeCpeOrigin(key, { ...build, isDistro })
  return [{ key, version: readVersion(version, product), cpe, ...(origin && { origin }) }]
}

function repositoryName(address: string | undefined, version: string | undefined): Name[] {
  const key = address === undefined ? undefined : repoKey(withoutRevision(address))
  return key === undefined ? [] : [{ key, version }]
}

const VERSION_CONTROL = /^(?:(?:git|hg|svn|bzr)(?:\+[a-z]+)?:|git@)|\.git(?:[@#/]|$)/i
const FORGE =
  /^https?:\/\/(?:www\.)?(?:github\.com|gitlab\.[^/]+|bitbucket\.org|codeberg\.org|gitee\.com)\//i

/** Most download locations are archives somewhere; few name a repository. */
function nameOfLocation(location: string | undefined, declaredVersion: string | undefined): Name[] {
  if (location === undefined || !(VERSION_CONTROL.test(location) || FORGE.test(location))) return []
  const revision = /@([^/@]+?)(?:#.*)?$/.exec(location)?.[1]
  return repositoryName(location, readVersion(declaredVersion) ?? readVersion(revision))
}

function withoutRevision(address: string): string {
  return address.replace(/(?<=\/[^/]*)@[^/@]*$/, '')
}

/** Who builds a firmware is often stated as the supplier of all its parts, so a known name counts without the vendor too. */
function nameOfWords({ vendor, packageName, version: stated }: ComponentIdentifiers): Name[] {
  const version = readVersion(stated, packageName)
  const own = nameKeys(vendor, packageName)
  const others = isKnownName(packageName) ? nameKeys(undefined, packageName) : []
  return [
    ...own.map((key) => ({ key, version })),
    ...others
      .filter((key) => !own.includes(key))
      .map((key) => ({ key, version, origin: 'supplied' as const })),
  ]
}

function nameKeys(vendor: string | undefined, product: string): string[] {
  const key = nameKey(vendor, product)
  return key === undefined ? [] : [key]
}
