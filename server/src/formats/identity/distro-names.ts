/** The names of a distribution's package: what the distribution calls it and its source, and upstream's product. */
import { formatCpeKey } from '../advisories/keys.ts'
import { formatPurlKey } from '../purl.ts'
import type { BuiltFrom } from '../sboms/model.ts'
import { findAliasedProducts } from './alias-index.ts'
import { withoutBackport } from './builders.ts'
import { DISTRO_TYPES } from './cpe-origin.ts'
import { findUsualName } from './curated-spellings.ts'
import { type Distro, readDistro, findDistroNamespace } from './distro.ts'
import { listFamily } from './families.ts'
import { type DeclaredPurl, type Name, readPurl } from './identifiers.ts'
import { findKernelSource, findNamedKernel, isCountedApart } from './kernel-packages.ts'
import { readRegistryVersion, readUpstreamVersion, readVersion } from './versions.ts'

/** What an SBOM says of the source package beside the purl. */
export interface StatedSource {
  /** Empty: the document states only the distribution. */
  name: string
  version: string | undefined
  /** The one that the whole document is about. */
  distribution?: string | undefined
}

interface DeclaredPackage {
  version: string | undefined
  vendor?: string | undefined
  source?: StatedSource | undefined
}

interface DistroNames {
  names: Name[]
  hints: Name[]
  distro: Distro | undefined
  sourceName: string | undefined
  /** What the distribution calls the binary and the source package. */
  purlNames: string[]
}

/** What a distribution's package is built from is its source package, whose name and version suffice. */
export function findSourcePackage({
  purl,
  builtFrom,
}: {
  purl: string | undefined
  builtFrom: BuiltFrom | undefined
}): StatedSource | undefined {
  const type = readPurl(purl)?.type
  if (builtFrom === undefined || type === undefined || !DISTRO_TYPES.has(type)) return undefined
  const { distribution } = builtFrom
  const own = readPurl(builtFrom.purl)
  if (own === undefined)
    return builtFrom.cpes.length > 0
      ? undefined
      : { name: builtFrom.packageName, version: builtFrom.version, distribution }
  if (own.type !== type) return undefined
  const version = withEpoch(own.version ?? builtFrom.version, own.qualifiers['epoch'])
  return { name: own.name, version, distribution }
}

export function listDistroNames(purl: DeclaredPurl, declared: DeclaredPackage): DistroNames {
  const { type, namespace, name } = purl
  const qualifiers = withRelease(purl.qualifiers, declared.source?.distribution)
  const { built, distro } = readBuild({ ...purl, qualifiers }, declared)
  const version = versionOfSources(built, distro)
  const source = sourceOfPackage(purl, { version, distro, stated: declared.source })
  const named = { type, namespace: findDistroNamespace(namespace, distro), name }
  const binary: Name = { key: formatPurlKey(named), version }
  const code = source ?? { name, version }
  const products = productsOfSource({ ...code, name: findUsualName(type, code.name) })
  const hints = products.filter(({ key }) => key.startsWith('package:'))
  const unknown = products.filter(({ key }) => !key.startsWith('package:'))
  const purlNames = [...new Set([name, code.name])].map((one) =>
    one.toLowerCase().replaceAll('_', '-'),
  )
  const common = { hints, distro, sourceName: source?.name, purlNames }
  if (source === undefined) return { ...common, names: [binary, ...unknown] }
  const all: Name[] = [
    { key: formatPurlKey({ ...named, name: source.name }), version: source.version },
  ]
  // Advisories of rpm distributions name binary packages; those of other distributions name source packages (OSV ecosystems).
  if (type === 'rpm' && !(hints.length > 0 && isNamedLikeBinary(source.name))) all.push(binary)
  for (const each of unknown) all.push(each)
  return { ...common, names: all }
}

/** The version of the build, and for which distribution somebody built it. */
function readBuild(
  { type, namespace, name, qualifiers, version }: DeclaredPurl,
  declared: DeclaredPackage,
) {
  const stated = withEpoch(readRegistryVersion(version ?? declared.version), qualifiers['epoch'])
  const isApart = isCountedApart(type, name, stated)
  const built = (isApart ? findNamedKernel(name) : undefined) ?? stated
  const names = [name, readUpstream(qualifiers) ?? declared.source?.name ?? name]
  const { vendor } = declared
  const distro = readDistro({ namespace, qualifiers, version: built, vendor, names, isApart })
  return { built, distro }
}

/** What the purl leaves out, the document may state. */
function withRelease(
  qualifiers: Readonly<Record<string, string>>,
  distribution: string | undefined,
): Readonly<Record<string, string>> {
  return distribution === undefined ? qualifiers : { distro: distribution, ...qualifiers }
}

/** A backport has the sources of the next release, whose records know their version. */
function versionOfSources(
  version: string | undefined,
  distro: Distro | undefined,
): string | undefined {
  const isBackport = distro?.otherBuilder?.sourcesOf !== undefined
  return version !== undefined && isBackport ? withoutBackport(version) : version
}

/** The source package: as the purl states it, as the document does, or as the names of kernels tell. */
function sourceOfPackage(
  { type, name, qualifiers }: DeclaredPurl,
  terms: {
    version: string | undefined
    distro: Distro | undefined
    stated: StatedSource | undefined
  },
): StatedSource | undefined {
  const { version, distro, stated } = terms
  const source =
    readSource(type, readUpstream(qualifiers), version) ?? sourceStated(type, stated, version)
  if (source) return { ...source, version: versionOfSources(source.version, distro) }
  const ofKernel = findKernelSource({ type, name, version, distro })
  return ofKernel === undefined ? undefined : { name: ofKernel, version }
}

function withEpoch(version: string | undefined, epoch = '0'): string | undefined {
  if (version === undefined || epoch === '0' || /^\d+:/.test(version)) return version
  return `${epoch}:${version}`
}

/**
 * A distribution's package is upstream's product, which advisories may know only by its CPE: a product of the alias table,
 * else one of any vendor, which the records resolve.
 */
function productsOfSource({
  name,
  version,
}: {
  name: string
  version: string | undefined
}): Name[] {
  const lowered = name.toLowerCase()
  const named = {
    version: version === undefined ? undefined : readVersion(readUpstreamVersion(version), name),
    origin: 'distribution' as const,
  }
  const known = [lowered, ...listFamily(lowered).map(({ product }) => product)]
    .map((product) => `package:${product}`)
    .find((key) => findAliasedProducts(key).length > 0)
  // Zephyr of a distribution is not the system that the table knows by this name.
  if (known === undefined && findAliasedProducts(`cpe:*:${lowered}`).length > 0) return []
  const key = known ?? formatCpeKey('*', lowered)
  return key === undefined ? [] : [{ key, ...named }]
}

/** Sources of the alias table that build no binary package of the same name. */
const SOURCES_WITHOUT_NAMESAKE =
  /^(?:krb5|mesa|dhcp|grub2|shim|vim|edk2|jasper|rapidjson|wayland|python3|python\d\.\d+)$/

/** Records that list the binary packages of a source include the one of the same name, which therefore suffices. */
function isNamedLikeBinary(source: string): boolean {
  return !SOURCES_WITHOUT_NAMESAKE.test(source)
}

/**
 * The source package, as the purls of tools state it: `upstream` of Syft, `source` and `sourceversion`, `sourcerpm` or `origin` of
 * OSV-Scalibr (purl/purl.go).
 */
function readUpstream(qualifiers: Readonly<Record<string, string>>): string | undefined {
  const { upstream, sourcerpm, source, sourceversion, origin } = qualifiers
  if (upstream !== undefined) return upstream
  if (source !== undefined && sourceversion !== undefined) return `${source}@${sourceversion}`
  return sourcerpm ?? source ?? origin
}

/** What a document says of it in words of its own. */
function sourceStated(type: string, source: StatedSource | undefined, version: string | undefined) {
  if (source === undefined || source.name === '') return undefined
  if (/\.(?:no)?src\.rpm$/.test(source.name)) return readSource(type, source.name, version)
  const own = readRegistryVersion(source.version)
  if (isSignedKernel(source.name)) return { name: unsignedSource(source.name), version }
  return { name: source.name, version: own ?? version?.replace(/\+b\d+$/, '') }
}

/** `glibc`, `glibc@2.31-13` or, for rpm, the file name `openssl-1.1.1k-5.el8.src.rpm`. */
function readSource(type: string, upstream: string | undefined, version: string | undefined) {
  if (upstream === undefined || upstream === '') return undefined
  const source = type === 'rpm' ? /^(.+)-([^-]+-[^-]+?)\.(?:no)?src\.rpm$/.exec(upstream) : null
  if (source !== null) {
    const [, name = '', fileVersion = ''] = source
    return { name, version: readEpoch(version) + fileVersion }
  }
  const [name = '', own] = upstream.split('@')
  if (isSignedKernel(name)) return { name: unsignedSource(name), version }
  // A binary rebuilt without a source upload (Debian policy 5.6.12) has the source's version and +b1.
  return { name, version: own ?? version?.replace(/\+b\d+$/, '') }
}

/**
 * Kernels signed for secure boot come from a source of their own, which packs what another has built: Debian's
 * `linux-signed-amd64` 5.10.92+1 the image 5.10.92-1 of `linux`, Ubuntu's `linux-signed-hwe-5.15` that of `linux-hwe-5.15`.
 * Advisories name the source with the code.
 */
function isSignedKernel(source: string): boolean {
  return source.startsWith('linux-signed')
}

function unsignedSource(source: string): string {
  return source.replace('-signed', '').replace(/-(?:amd64|arm64|i386)$/, '')
}

function readEpoch(version = ''): string {
  return /^\d+:/.exec(version)?.[0] ?? ''
}
