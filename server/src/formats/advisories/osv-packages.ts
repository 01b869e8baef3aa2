/** Finds the keys of an `affected[]` entry of an OSV record, and their version scheme. */
import { parseCpe } from '../cpe.ts'
import { createPackagePurl, findEcosystemScheme } from '../ecosystems.ts'
import { formatPurlKey } from '../purl.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { formatCpeKey, checkKey } from './keys.ts'
import { findProductScheme } from './product-facts.ts'
import { readPurlKey } from './purl-keys.ts'
import { readObject, readText, type JsonObject } from './record-reader.ts'

export interface OsvPackage {
  name: string | undefined
  purl: string | undefined
  /** The ecosystem with its release, where that is a distribution's: `Debian:12`. */
  distro: string | undefined
  names: OsvName[]
  /** The database does not look for the first affected version: its `introduced: 0` says nothing. */
  isStartUnstated: boolean
}

export interface OsvName {
  key: string
  scheme: VersionScheme
  /** The CPE a database adds to its records; without a version. */
  cpe?: string
}

const NO_PACKAGE: OsvPackage = {
  name: undefined,
  purl: undefined,
  distro: undefined,
  names: [],
  isStartUnstated: false,
}

/** Uses the purl and also ecosystem and name: some databases write purls that no SBOM has (`pkg:alpine/libexif`). */
export function readOsvPackage(
  affected: JsonObject,
  at: string,
  cpes: readonly string[],
): OsvPackage {
  const stated = readObject(affected, 'package', at)
  if (stated === undefined) return NO_PACKAGE
  const path = `${at}/package`
  const ecosystem = readText(stated, 'ecosystem', path)?.trim() ?? ''
  const name = readText(stated, 'name', path)
  const purl = readText(stated, 'purl', path)
  const scheme = findEcosystemScheme(ecosystem)
  const named = purl === undefined ? undefined : readPurlKey(purl)
  const fromPurl = named && [{ key: named.key, scheme: scheme ?? named.scheme }]
  const names = [
    ...(fromPurl ?? []),
    ...namesOfEcosystem(ecosystem, name ?? '', scheme),
    ...namesOfCpes(cpes),
  ]
  const distinct = new Map(names.map((of) => [of.key, of]))
  return {
    name,
    purl,
    distro:
      ecosystem.includes(':') && DISTRIBUTION_SCHEMES.has(scheme ?? '') ? ecosystem : undefined,
    names: [...distinct.values()],
    isStartUnstated: ecosystem === 'Bitnami',
  }
}

const DISTRIBUTION_SCHEMES = new Set<string>([
  'deb',
  'rpm',
  'apk',
  'alpm',
] satisfies VersionScheme[])

function namesOfEcosystem(
  ecosystem: string,
  name: string,
  scheme: VersionScheme | undefined,
): OsvName[] {
  if (name === '') return []
  // The one package of the ecosystem of the kernel's own records.
  if (ecosystem === 'Linux' && name === 'Kernel')
    return [{ key: 'cpe:linux:linux_kernel', scheme: 'kernel' }]
  const purl = createPackagePurl(ecosystem, name)
  const key = purl && checkKey(formatPurlKey(purl))
  return key === undefined ? [] : [{ key, scheme: scheme ?? 'generic' }]
}

function namesOfCpes(cpes: readonly string[]): OsvName[] {
  return cpes.flatMap((text) => {
    const cpe = text.length <= MAX_CPE_LENGTH ? parseCpe(text) : undefined
    const key = cpe && formatCpeKey(cpe.vendor, cpe.product)
    if (cpe === undefined || key === undefined) return []
    // Whoever declares a CPE has upstream's version, which may be no version of the database's scheme: Python's 3.12.0rc1.
    return [{ key, scheme: findProductScheme(cpe.vendor, cpe.product) ?? 'generic', cpe: text }]
  })
}

const MAX_CPE_LENGTH = 1024
