/**
 * The source package of a distribution's binary package, where a generator states it beside the purl. Records of Debian, Ubuntu and
 * Alpine name source packages.
 */
import { findDistributionInText } from '../distributions.ts'
import { isObject, readText } from './json-values.ts'
import type { BuiltFrom, DeclaredComponent } from './model.ts'

const OF_DISTRIBUTION = /^pkg:\/{0,2}(?:deb|rpm|apk|alpm)\//i

/** Whether the purl is of a package whose source package has no identifiers of its own. */
export function isOfDistribution(purl: string | undefined): boolean {
  return purl !== undefined && OF_DISTRIBUTION.test(purl)
}

function builtFromSource(name: string, version?: string): BuiltFrom {
  return { vendor: undefined, packageName: name, version, purl: undefined, cpes: [] }
}

/**
 * Properties of Trivy (pkg/sbom/core/bom.go: `PropertySrcName` and its neighbours), and those of Syft from before it wrote
 * `upstream` into purls. The names are compared without the prefix of the tool.
 */
export function readSourceProperties(properties: unknown): BuiltFrom | undefined {
  if (!Array.isArray(properties)) return undefined
  const stated = new Map<string, string>()
  for (const property of properties) {
    const [name, value] = isObject(property)
      ? [readText(property['name']), readText(property['value'])]
      : []
    const [, key] = PROPERTY.exec(name ?? '') ?? []
    if (key !== undefined && value !== undefined && !stated.has(key)) stated.set(key, value)
  }
  return sourceOfFields(stated)
}

const PROPERTY =
  /^(?:aquasecurity:trivy:|syft:metadata:)(SrcName|SrcVersion|SrcRelease|SrcEpoch|source|sourceVersion|sourceRpm|originPackage)$/

function sourceOfFields(stated: ReadonlyMap<string, string>): BuiltFrom | undefined {
  const name = ['SrcName', 'sourceRpm', 'source', 'originPackage'].flatMap(
    (key) => stated.get(key) ?? [],
  )[0]
  if (name === undefined) return undefined
  const version = stated.get('SrcVersion') ?? stated.get('sourceVersion')
  if (version === undefined) return builtFromSource(name)
  const [epoch, release] = [stated.get('SrcEpoch') ?? '0', stated.get('SrcRelease')]
  const full = release === undefined ? version : `${version}-${release}`
  return builtFromSource(name, epoch === '0' ? full : `${epoch}:${full}`)
}

/** `built package from: zlib 1:1.2.11.dfsg-2+deb11u1` of Trivy (pkg/sbom/spdx/marshal.go, `SourcePackagePrefix`). */
export function readSourceWords(sourceInfo: string | undefined): BuiltFrom | undefined {
  const [, name, version] =
    /^\s*built package from: (\S+)(?: (\S+))?\s*$/m.exec(sourceInfo ?? '') ?? []
  return name === undefined ? undefined : builtFromSource(name, version)
}

/** `SrcName: zlib`, which Trivy writes into texts of attribution and annotations. */
export function readSourceTexts(texts: readonly string[]): BuiltFrom | undefined {
  const fields = texts.flatMap((text) => {
    const [, key = '', value = ''] = /^(Src(?:Name|Version|Release|Epoch)): (\S+)$/.exec(text) ?? []
    return key === '' ? [] : [[key, value] as const]
  })
  return sourceOfFields(new Map(fields))
}

export function formatSystem(name: string, version: string | undefined): string {
  return version === undefined ? name : `${name} ${version}`
}

/** Finds the distribution of an image, which has one. A document about several does not say which package belongs to which. */
export function findDocumentDistribution(systems: readonly string[]): string | undefined {
  const known = new Set(systems.filter((text) => findDistributionInText(text) !== undefined))
  const [only] = known
  return known.size === 1 ? only : undefined
}

/** States the distribution of the document beside packages whose purls leave the release out. */
export function withDistribution(
  { purl }: DeclaredComponent,
  builtFrom: BuiltFrom | undefined,
  distribution: string | undefined,
): BuiltFrom | undefined {
  if (distribution === undefined || !isOfDistribution(purl)) return builtFrom
  if (purl === undefined || /[?&](?:distro|os_version|os_distro)=/.test(purl)) return builtFrom
  return { ...(builtFrom ?? builtFromSource('')), distribution }
}
