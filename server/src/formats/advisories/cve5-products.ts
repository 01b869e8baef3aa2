/** Finds the keys of an `affected[]` entry of a CVE record, and their version scheme. */
import { parseCpe } from '../cpe.ts'
import { getPurlTypeScheme } from '../ecosystems.ts'
import { rememberAnswers } from '../remembered.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { findCollectionPackage, type CollectionPackage } from './collections.ts'
import { formatCpeKey, unescapeCpeValue, nameKey, normalizedName, repoKey } from './keys.ts'
import { findCpeProduct, findProductScheme } from './product-facts.ts'
import { readPurlKey } from './purl-keys.ts'
import { readText, readTexts, type JsonObject } from './record-reader.ts'

export interface Product {
  vendor: string | undefined
  product: string | undefined
  packageName: string | undefined
  /** The `repo:` key of the source repository. */
  repository: string | undefined
  names: ProductName[]
}

export interface ProductName {
  key: string
  /** The key's own version scheme, which overrules `versionType`. */
  scheme?: VersionScheme | undefined
  purl?: string
  distro?: string
  /** The CPE without its version, if all CPEs of this key differ only in the version. */
  cpe?: string
  /** Versions that only the CPEs name. */
  cpeVersions?: string[]
}

/** `referenceUrls` confirm the repository of a product that a forge's advisory names by owner and name. */
export function readProduct(
  affected: JsonObject,
  at: string,
  referenceUrls: readonly string[],
): Product {
  const stated = readText(affected, 'product', at)
  const vendor = named(readText(affected, 'vendor', at))
  const packageName = named(readText(affected, 'packageName', at))
  const collection = findCollectionPackage(readText(affected, 'collectionURL', at), {
    packageName,
    vendor,
  })
  const cpes = readTexts(affected, 'cpes', at)
  // HackerOne's records use the repository as product name.
  const address = stated !== undefined && repoKey(stated) !== undefined ? stated : undefined
  const product = address === undefined ? named(stated) : undefined
  const repository =
    (collection?.type === undefined ? collection?.key : undefined) ??
    repoKey(readText(affected, 'repo', at) ?? address ?? '') ??
    forgeRepository(vendor, product, referenceUrls)
  return {
    vendor,
    product,
    packageName,
    repository,
    names: listNames(
      { vendor, product, packageName, collection, cpes },
      readText(affected, 'packageURL', at),
    ),
  }
}

interface ProductIdentifiers {
  vendor: string | undefined
  product: string | undefined
  packageName: string | undefined
  collection: CollectionPackage | undefined
  cpes: string[]
}

function listNames(stated: ProductIdentifiers, packageUrl: string | undefined): ProductName[] {
  const { vendor, product, packageName, collection, cpes } = stated
  const exact = exactNames(stated, packageUrl)
  if (collection?.isDistribution) return exact
  // For Red Hat's containers and modules the CPEs name the platform, not the affected package.
  const isPartOfPlatform = packageName !== undefined && normalizedName(vendor ?? '') === 'red_hat'
  const cpeNames = isPartOfPlatform ? [] : namesOfCpes(cpes)
  if (cpeNames.length > 0) return [...exact, ...cpeNames]
  const word = isPartOfPlatform ? packageName : (product ?? packageName)
  return word === undefined ? exact : [...exact, ...nameInWords(vendor, word)]
}

function exactNames(stated: ProductIdentifiers, packageUrl: string | undefined): ProductName[] {
  const { collection } = stated
  const purl = packageUrl === undefined ? undefined : readPurlKey(packageUrl)
  const purlName = purl && { key: purl.key, scheme: purl.scheme, purl: purl.text }
  const name = purlName ?? (collection && nameOfCollection(collection, stated))
  return name === undefined ? [] : [name]
}

/** The package in a registry or, with the release, in a distribution; undefined: the collection is a repository. */
function nameOfCollection(
  { key, type, isDistribution }: CollectionPackage,
  { vendor, cpes }: ProductIdentifiers,
): ProductName | undefined {
  if (!isDistribution)
    return type === undefined ? undefined : { key, scheme: getPurlTypeScheme(type) }
  const distro = findDistro(vendor, cpes)
  return { key, scheme: getPurlTypeScheme(type ?? ''), ...(distro !== undefined && { distro }) }
}

function nameInWords(vendor: string | undefined, word: string): ProductName[] {
  const known = findCpeProduct(vendor, word)
  const key = known ? formatCpeKey(known.vendor, known.product) : nameKey(vendor, word)
  if (key === undefined) return []
  return [{ key, scheme: known && findProductScheme(known.vendor, known.product) }]
}

function namesOfCpes(texts: readonly string[]): ProductName[] {
  const names = new Map<string, ProductName & { cpeVersions: string[] }>()
  for (const text of texts) {
    const product = nameOfCpe(text)
    if (product === undefined) continue
    const { key, scheme, cpe, versions } = product
    const known = names.get(key)
    if (known === undefined)
      names.set(key, { key, scheme, cpeVersions: [...versions], ...(cpe !== undefined && { cpe }) })
    else {
      for (const each of versions) known.cpeVersions.push(each)
      if (known.cpe !== cpe) delete known.cpe
    }
  }
  return [...names.values()]
}

const nameOfCpe = rememberAnswers((text) => {
  const cpe = text.length <= MAX_CPE_LENGTH ? parseCpe(text) : undefined
  const key = cpe && formatCpeKey(cpe.vendor, cpe.product)
  if (cpe === undefined || key === undefined) return undefined
  const versions = ANY_OR_NONE.has(cpe.version) ? [] : [unescapeCpeValue(cpe.version)]
  const scheme = findProductScheme(cpe.vendor, cpe.product)
  return { key, scheme, cpe: withAnyVersion(text), versions }
})

const ANY_OR_NONE = new Set(['*', '-'])
const MAX_CPE_LENGTH = 1024

/** Replaces the version of a CPE 2.3 formatted string by `*`. */
function withAnyVersion(text: string): string | undefined {
  const fields = text.split(/(?<!\\):/)
  return fields.length === 13 ? fields.with(5, '*').join(':') : undefined
}

/** `cpe:/o:redhat:enterprise_linux:8::baseos` of Red Hat is OSV's `Red Hat:enterprise_linux:8::baseos`. */
function findDistro(vendor: string | undefined, cpes: readonly string[]): string | undefined {
  for (const text of cpes) {
    const release = /^cpe:\/[aoh]:[^:]+:(.+)$/.exec(text)?.[1]
    if (release !== undefined) return `${vendor ?? ''}:${release}`
  }
  return undefined
}

/** GitHub's CNA names owner and repository as vendor and product; its reference to the advisory confirms it. */
function forgeRepository(
  vendor: string | undefined,
  product: string | undefined,
  referenceUrls: readonly string[],
): string | undefined {
  if (vendor === undefined || product === undefined || /[\s/]/.test(vendor + product))
    return undefined
  const address = `https://github.com/${vendor}/${product}`
  const prefix = `${address}/`.toLowerCase()
  return referenceUrls.some((url) => url.toLowerCase().startsWith(prefix))
    ? repoKey(address)
    : undefined
}

function named(text: string | undefined): string | undefined {
  return text === undefined || normalizedName(text) === undefined ? undefined : text.trim()
}
