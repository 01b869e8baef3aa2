/** Decides whether a statement's product or part is a component of an inventory. */
import { ANY, type Cpe, parseCpe } from '../cpe.ts'
import { compareAttributes } from '../cpe-matching.ts'
import { parsePurl, type Purl, formatPurlKey } from '../purl.ts'
import type { VexThing } from './model.ts'
import { decodePercent } from './reading.ts'
import { isSameVersion, isWithin } from './version-limits.ts'

export interface NamedProduct {
  /** Ids by which documents refer to it. */
  refs: readonly string[]
  purl: Purl | undefined
  cpes: readonly Cpe[]
  /** All its names. */
  names: readonly string[]
  version: string | undefined
  /** Its checksums, as `formatHashName` writes them. */
  hashes: readonly string[]
}

/**
 * `same`; `other` for another version or build of the same product; `unknown` where nothing can be compared or nothing is
 * equal.
 */
export type NameComparison = 'same' | 'other' | 'unknown'

/** A product of a statement, read once for all comparisons. */
export interface ReadThing extends VexThing {
  /** Its `ref` as it is written, and a BOM-Link also without the percent-encoding of its fragment. */
  refs: string[]
  readPurls: Purl[]
  readCpes: Cpe[]
}

export function readThing(thing: VexThing): ReadThing {
  return {
    ...thing,
    refs: listRefs(thing),
    readPurls: thing.purls.flatMap((purl) => parsePurl(purl) ?? []),
    readCpes: thing.cpes.flatMap((cpe) => parseCpe(cpe) ?? []),
  }
}

/** The specification does not say whether a bom-ref is encoded in a BOM-Link. Some tools do it. */
function listRefs({ ref }: VexThing): string[] {
  if (ref === undefined) return []
  return ref.startsWith('urn:cdx:') ? [...new Set([ref, decodePercent(ref)])] : [ref]
}

export function compareNaming(thing: ReadThing, declared: NamedProduct): NameComparison {
  const naming = compareIdentifiers(thing, declared)
  if (naming !== 'same' || thing.versions.length === 0) return naming
  return isLimitMet(thing.versions, declared) === true ? 'same' : 'other'
}

/** undefined: a limit cannot be read, or the version is unknown. */
export function isLimitMet(
  versions: readonly string[],
  { version, purl }: Pick<NamedProduct, 'version' | 'purl'>,
): boolean | undefined {
  if (versions.length === 0) return true
  const own = purl?.version ?? version
  if (own === undefined) return undefined
  const verdicts = new Set(versions.map((limit) => isWithin(own, limit)))
  if (verdicts.has(true)) return true
  return verdicts.has(undefined) ? undefined : false
}

function compareIdentifiers(thing: ReadThing, declared: NamedProduct): NameComparison {
  if (thing.refs.some((ref) => declared.refs.includes(ref))) return 'same'
  const { purl } = declared
  const byPurl = purl === undefined ? [] : thing.readPurls.map((one) => comparePurls(one, purl))
  const byCpe = new Set(
    thing.readCpes.flatMap((one) => declared.cpes.map((cpe) => compareCpes(one, cpe))),
  )
  // Builds with the same CPE differ in their purl.
  if (byPurl.includes('same')) return 'same'
  if (byPurl.includes('other')) return 'other'
  if (byCpe.has('same')) return 'same'
  if (byCpe.has('other')) return 'other'
  if (isHashed(thing, declared)) return 'same'
  if (thing.purls.length + thing.cpes.length === 0) return compareNames(thing, declared)
  // A generic purl has only name and version, as some components do.
  const isNamedOnly = purl === undefined && declared.cpes.length === 0
  const generic = thing.readPurls.find(({ type, namespace }) => type === 'generic' && !namespace)
  return isNamedOnly && generic
    ? compareNames({ ...thing, name: generic.name, version: generic.version }, declared)
    : 'unknown'
}

const isHashed = ({ hashes = [] }: ReadThing, declared: NamedProduct) =>
  hashes.some((hash) => declared.hashes.includes(hash))

/** A missing part of a purl does not restrict; each qualifier must equal the component's (OpenVEX, "Product"). */
function comparePurls(stated: Purl, declared: Purl): NameComparison {
  if (formatPurlKey(stated) !== formatPurlKey(declared)) return 'unknown'
  const { version, qualifiers } = stated
  if (version !== undefined && !isSameVersion(version, declared.version ?? '')) return 'other'
  const differs = Object.entries(qualifiers).some(
    ([key, value]) => declared.qualifiers[key] !== value,
  )
  return differs ? 'other' : 'same'
}

const NAMES = ['part', 'vendor', 'product'] as const
const BUILDS = ['update', 'edition', 'swEdition', 'targetSw', 'targetHw'] as const

/** Attributes that an SBOM leaves at `*` are unstated and fit every statement, except the version. */
function compareCpes(stated: Cpe, declared: Cpe): NameComparison {
  const isMet = (attribute: (typeof NAMES)[number] | (typeof BUILDS)[number]) =>
    /Equal|Superset|Subset/.test(compareAttributes(stated[attribute], declared[attribute]))
  if (stated.product === ANY || declared.product === ANY || !NAMES.every(isMet)) return 'unknown'
  const relation = compareAttributes(stated.version, declared.version)
  const isVersion = relation === 'Equal' || relation === 'Superset'
  return isVersion && BUILDS.every(isMet) ? 'same' : 'other'
}

/** Names alone are weak: the statement must name the version too. */
function compareNames(
  {
    name,
    version,
    versions,
  }: { name?: string | undefined; version?: string | undefined; versions: readonly string[] },
  declared: NamedProduct,
): NameComparison {
  if (name === undefined) return 'unknown'
  const isNamed = declared.names.some((one) => one.toLowerCase() === name.toLowerCase())
  if (!isNamed || (version === undefined && versions.length === 0)) return 'unknown'
  return version === undefined || isSameVersion(version, declared.version ?? '') ? 'same' : 'other'
}
