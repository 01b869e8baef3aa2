/** Why a match is uncertain: what its confidence rests on. */
import type { AffectedStatement, RecordKind } from '../../formats/advisories/model.ts'
import {
  isOnlyOfName,
  isVendorless,
  isStandIn,
  type PackageIdentity,
  type PackagePair,
  type PairOrigin,
  type Resolution,
} from '../../formats/identity.ts'

import { findEcosystemOfRegistry } from '../../formats/ecosystems.ts'
import { findRegistry } from './name-resolution.ts'
import { describePlatformDoubt } from './platforms.ts'

export type ResolvedPair = PackagePair & {
  resolution?: Resolution
  isCorroborated?: true
  /** Why the package's project is that of the product, in words. It settles what the name leaves open. */
  agreement?: string
}

const DOUBT_OF_KIND: Record<RecordKind, string> = {
  fuzzing: 'a crash found by fuzzing, with neither CVE nor score',
  informational: 'a notice about the package, no vulnerability',
}

/** What makes a match uncertain, in words for people. `key` is the record's. */
export function listDoubts(
  pair: ResolvedPair,
  { statement, key }: { statement: AffectedStatement; key: string },
): string[] {
  return [
    ...(isGuess(pair) ? ['the vendor is a guess of the tool that wrote the SBOM'] : []),
    ...doubtOfOrigin(pair),
    ...(statement.kind ? [DOUBT_OF_KIND[statement.kind]] : []),
    ...describePlatformDoubt(statement.platforms),
    ...(isKnownByName(pair) ? ['known by name only'] : []),
    ...doubtOfResolution(pair),
    ...doubtsOfName(pair, key),
  ]
}

function doubtOfResolution({ resolution, agreement }: ResolvedPair): string[] {
  if (resolution === undefined || resolution.kind === 'only') return []
  return agreement === undefined ? [resolution.reason] : []
}

/** In words, and neither the alias table nor the records tell which product they mean. */
function isKnownByName({ key, alias, resolution, agreement }: ResolvedPair): boolean {
  const isTold = alias !== undefined || resolution !== undefined || agreement !== undefined
  return key.startsWith('name:') && !isTold
}

const DOUBTS_OF_ORIGIN: Partial<Record<PairOrigin, string>> = {
  registry: 'the CPE beside the purl of a registry is a guess of the tool that wrote the SBOM',
  'stand-in of whole': 'the record is of a product that the package is one part of',
  platform: 'the CPE is of the system or product line that the package is part of',
}

function doubtOfOrigin({ origin, isCorroborated }: ResolvedPair): string[] {
  const doubt = origin && DOUBTS_OF_ORIGIN[origin]
  return doubt === undefined || isCorroborated ? [] : [doubt]
}

/** What keeps a match from being certain. */
export function listOriginDoubts(
  { origin, isCorroborated, agreement }: ResolvedPair,
  identity: PackageIdentity,
): string[] {
  if (isCorroborated) return ['the criterion is for packages of the registry of the purl']
  if (isStandIn(origin)) return [standingIn(identity)]
  if (origin === undefined || origin in DOUBTS_OF_ORIGIN || agreement !== undefined) return []
  const { otherBuilder } = identity.distro ?? {}
  if (otherBuilder && (origin === 'distribution' || origin === 'guess'))
    return [otherBuilder.reason, REPAIRED_BY_OTHER]
  return [RESERVATIONS_OF_ORIGIN[origin] ?? REPAIRED]
}

function standingIn(identity: PackageIdentity): string {
  const registry = findRegistry(identity) ?? ''
  return `looked up by NVD’s product, as no records of ${findEcosystemOfRegistry(registry) ?? 'the registry'} are loaded`
}

export const IMPLIED = 'the record says only which version is not affected'
const REPAIRED = 'a distribution may have repaired this without raising the version'
const REPAIRED_BY_OTHER = 'its builder may have repaired this without raising the version'
const RESERVATIONS_OF_ORIGIN: Partial<Record<PairOrigin, string>> = {
  name: 'only a name and a version are stated',
  supplied: 'the vendor that is stated may have supplied it and not made it',
  whole: 'the record is of a product that the package is one part of',
  'other part': 'the record is of another part of the product',
}

/** A record in words without vendor may be about another product of the name. */
function doubtsOfName(pair: ResolvedPair, key: string): string[] {
  return !key.startsWith('name:*/') || isVendorless(pair.key) || isOnlyOfName(pair)
    ? []
    : ['the record names no vendor, and other products may have this name']
}

export function describeNaming(
  { key: own, resolution, agreement }: ResolvedPair,
  key: string,
): string[] {
  if (own === key || agreement !== undefined) return []
  const isUnstated = isVendorless(own) || isVendorless(key)
  return [
    isUnstated ? 'no vendor is stated' : 'vendor and product are compared as names',
    ...(resolution?.kind === 'only' ? [resolution.reason] : []),
  ]
}

/** Whether the vendor is a guess. A product of the alias table is known for any stated vendor. */
function isGuess({ origin, alias }: PackagePair): boolean {
  return origin === 'guess' && alias === undefined
}
