/** Which advisory takes precedence when several evaluate one vulnerability of a package (docs/design/matching.md). */
import {
  CONFIDENCES,
  type Confidence,
  type Evidence,
  highest,
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
const BOUNDED = 'a record that bounds the affected versions'
const CNA = 'the statement of the CNA in the same record'
const BEGUN = 'a record that says where the affected versions begin'

/** The match that all verdicts on one vulnerability of a package lead to; undefined: it is not affected. */
export function decideMatch(verdicts: readonly Verdict[]): DecidedMatch | undefined {
  const evidence = rankedEvidence(verdicts)
  const standing = evidence.filter(isStanding)
  if (standing.length === 0) return undefined
  return {
    confidence: highest(standing.map(({ confidence }) => confidence)),
    evidence: [...new Map(evidence.map((one) => [JSON.stringify(one), one]))]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, one]) => one),
  }
}

/**
 * All evidence of the verdicts on one vulnerability of a package, with what outranks it:
 *
 * - A distribution or registry knows what it patched, so its record of the package and release outranks records that
 *   name the product by CPE or name, with any verdict.
 * - In one CVE record, the CNA's bounds outrank what an ADP container derives from them.
 * - A bounded record of the maker or GHSA that says unaffected outranks an NVD criterion without bounds or without an
 *   upper bound.
 * - A range whose beginning the record leaves out (`before 3.5`) yields to another record that says unaffected and names
 *   both ends; a range that also has no end yields to every other bounded one.
 */
export function rankedEvidence(verdicts: readonly Verdict[]): Evidence[] {
  const ranked = verdicts.map(({ evidence }) => evidence.map(withCnaFirst(evidence)))
  const all = ranked.flat()
  const hasEcosystem = all.some(isOfEcosystem)
  const isOutranked = ({ key }: Evidence) => hasEcosystem && /^(?:cpe|name):/.test(key)
  // A record that says affected by another of its entries does not clear the package.
  const clearing = ranked
    .filter((evidence) => !evidence.some(isStanding))
    .flat()
    .filter((one) => one.isBounded === true && !isOutranked(one))
  return all.map((evidence) => {
    if (evidence.outrankedBy !== undefined) return evidence
    if (isOutranked(evidence)) return { ...evidence, outrankedBy: ECOSYSTEM }
    const outrankedBy = evidence.verdict === 'affected' && boundsAgainst(evidence, clearing)
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

/** What the evidence yields to, if anything. */
function boundsAgainst(evidence: Evidence, clearing: readonly Evidence[]): string | undefined {
  const others = clearing.filter((one) => isAsSure(one, evidence))
  if (isUnboundedNvd(evidence) && others.some(({ source }) => source !== 'nvd')) return BOUNDED
  const [entry] = evidence.statement.versions
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

function isUnboundedNvd({ source, notes }: Evidence): boolean {
  return source === 'nvd' && (notes.includes(NO_BOUNDS) || notes.includes(NO_UPPER_BOUND))
}
