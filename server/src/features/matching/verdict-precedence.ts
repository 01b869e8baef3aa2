/** Which advisory takes precedence when several evaluate one vulnerability of a package (docs/design/matching.md). */
import { isOfOwnStream } from '../../formats/identity.ts'
import { isOfOtherSystem } from './platforms.ts'
import {
  CONFIDENCES,
  type Confidence,
  type Evidence,
  chooseHighest,
  NO_BOUNDS,
  NO_UPPER_BOUND,
  type Verdict,
} from './evidence.ts'

export interface DecidedMatch {
  confidence: Confidence
  /** All evidence, also the outranked one. */
  evidence: Evidence[]
}

const ECOSYSTEM = 'the record of its own distribution or registry'
const STREAM = 'the record of the stream that made the build'
const BOUNDED = 'a record that bounds the affected versions'
const CNA = 'the statement of the CNA in the same record'
const OTHER_SYSTEM = 'a record that says on which operating systems the flaw exists'
const BEGUN = 'a record that says where the affected versions begin'

/** The match that all verdicts on one vulnerability of a package lead to; undefined: it is not affected. */
export function decideMatch(verdicts: readonly Verdict[]): DecidedMatch | undefined {
  const evidence = rankEvidence(verdicts)
  const standing = evidence.filter(isStanding)
  if (standing.length === 0) return undefined
  return {
    confidence: chooseHighest(standing.map(({ confidence }) => confidence)),
    evidence: [...new Map(evidence.map((one) => [JSON.stringify(one), one]))]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, one]) => one),
  }
}

/**
 * All evidence of the verdicts on one vulnerability of a package, with what outranks it:
 *
 * - A distribution or registry knows what it patched, so its record of the package and release outranks records that
 *   name the product by CPE, name or repository, with any verdict.
 * - What Red Hat says of an extended stream outranks for its builds what it says of the release: they are repaired with lower numbers.
 * - In one CVE record, the CNA's bounds outrank what an ADP container derives from them.
 * - A bounded record of the maker or GHSA that says unaffected outranks an NVD criterion without bounds or without an
 *   upper bound.
 * - A range whose beginning the record leaves out (`before 3.5`) yields to another record that says unaffected and names
 *   both ends; a range that also has no end yields to every other bounded one.
 * - Where the CNA, Go's database or NVD says that the flaw exists on other operating systems only, records that are derived from
 *   them and leave the systems out yield: NVD (to the others), ADP containers and Bitnami.
 */
export function rankEvidence(verdicts: readonly Verdict[]): Evidence[] {
  const ranked = verdicts.map(({ evidence }) => evidence.map(withCnaFirst(evidence)))
  const all = ranked.flat()
  const hasEcosystem = all.some(isOfEcosystem)
  const hasOwnStream = all.some(isOfStream)
  const isOutranked = ({ key }: Evidence) => hasEcosystem && !REGISTERED.test(key)
  // A record that says affected by another of its entries does not clear the package.
  const clearing = ranked
    .filter((evidence) => !evidence.some(isStanding))
    .flat()
    .filter((one) => one.isBounded === true && !isOutranked(one))
  const ofOtherSystems = ranked.flatMap((evidence) => limitToSystems(evidence))
  return all.map((evidence) => {
    if (evidence.outrankedBy !== undefined) return evidence
    if (isOutranked(evidence)) return { ...evidence, outrankedBy: ECOSYSTEM }
    if (hasOwnStream && isOfReleaseOnly(evidence)) return { ...evidence, outrankedBy: STREAM }
    const outrankedBy =
      evidence.verdict === 'affected' &&
      (boundsAgainst(evidence, clearing) ?? systemsAgainst(evidence, ofOtherSystems))
    return outrankedBy ? { ...evidence, outrankedBy } : evidence
  })
}

function isStanding({ verdict, outrankedBy }: Evidence): boolean {
  return verdict === 'affected' && outrankedBy === undefined
}

/** The CNA is the maker or speaks with them; an ADP container enriches what it says. */
function withCnaFirst(ofRecord: readonly Evidence[]): (evidence: Evidence) => Evidence {
  const ofCna = ofRecord.filter(({ statement }) => !statement.isOfAdp)
  const isCleared =
    ofCna.some(({ isBounded, confidence }) => isBounded === true && confidence !== 'Low') &&
    !ofCna.some(isStanding)
  return (evidence) =>
    isCleared && evidence.statement.isOfAdp === true && evidence.verdict === 'affected'
      ? { ...evidence, outrankedBy: CNA }
      : evidence
}

/** The evidence of a record whose every affected statement is of other operating systems. */
function limitToSystems(ofRecord: readonly Evidence[]): readonly Evidence[] {
  const standing = ofRecord.filter(isStanding)
  return standing.every(({ statement }) => isOfOtherSystem(statement.platforms)) ? standing : []
}

/** Only a record that was found by the same name is surely about the same product. */
function systemsAgainst(evidence: Evidence, limited: readonly Evidence[]): string | undefined {
  if (isOfOtherSystem(evidence.statement.platforms)) return undefined
  const isTold = limited.some(
    (one) =>
      one.identifier === evidence.identifier && rankDerivation(one) < rankDerivation(evidence),
  )
  return isTold ? OTHER_SYSTEM : undefined
}

/** How far a record is from who knows the flaw: records of 1 enrich those of 0, and records of 2 are made from both. */
function rankDerivation({ source, advisoryId, statement }: Evidence): 0 | 1 | 2 {
  if (statement.isOfAdp === true || advisoryId.startsWith('BIT-')) return 2
  return source === 'nvd' ? 1 : 0
}

/** What the evidence yields to, if anything. */
function boundsAgainst(evidence: Evidence, clearing: readonly Evidence[]): string | undefined {
  const others = clearing.filter((one) => isAsSure(one, evidence))
  if (isUnboundedNvd(evidence) && others.some(({ source }) => source !== 'nvd')) return BOUNDED
  const entry = evidence.statement.versions.find(({ status }) => status === 'affected')
  if (entry?.startIsUnstated !== true) return undefined
  const isOpen = (entry.fixed ?? entry.lastAffected) === undefined
  if (isOpen && others.length > 0) return BOUNDED
  return others.some(({ isEnclosed }) => isEnclosed) ? BEGUN : undefined
}

/** A record that may be about another product of the same name clears nothing. */
function isAsSure(one: Evidence, other: Evidence): boolean {
  return CONFIDENCES.indexOf(one.confidence) <= CONFIDENCES.indexOf(other.confidence)
}

/** Purl types of registries and distributions that maintain their own records; the excluded types have none. */
const REGISTERED = /^purl:(?!(?:generic|github|gitlab|bitbucket|yocto)\/)/

function isOfEcosystem({ source, key }: Evidence): boolean {
  return (source === 'osv' || source === 'csaf') && REGISTERED.test(key)
}

function isOfStream({ statement, version }: Evidence): boolean {
  return isOfOwnStream(statement.distro, version)
}

function isOfReleaseOnly(evidence: Evidence): boolean {
  return isOfEcosystem(evidence) && evidence.statement.distro !== undefined && !isOfStream(evidence)
}

function isUnboundedNvd({ source, notes }: Evidence): boolean {
  return source === 'nvd' && (notes.includes(NO_BOUNDS) || notes.includes(NO_UPPER_BOUND))
}
