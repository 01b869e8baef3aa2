/** Which advisory takes precedence when several evaluate one vulnerability of a package (docs/design/matching.md). */
import {
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

/** All evidence of the verdicts on one vulnerability of a package; what another record outranks says so. */
export function rankedEvidence(verdicts: readonly Verdict[]): Evidence[] {
  return verdicts.flatMap((verdict) => verdict.evidence).map(outranking(verdicts))
}

/** The match that all verdicts on one vulnerability of a package lead to; undefined: it is not affected. */
export function decideMatch(verdicts: readonly Verdict[]): DecidedMatch | undefined {
  const evidence = rankedEvidence(verdicts)
  const standing = evidence.filter(
    ({ verdict, outrankedBy }) => verdict === 'affected' && outrankedBy === undefined,
  )
  if (standing.length === 0) return undefined
  return {
    confidence: highest(standing.map(({ confidence }) => confidence)),
    evidence: [...new Map(evidence.map((one) => [JSON.stringify(one), one]))]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, one]) => one),
  }
}

/**
 * A distribution or registry knows what it patched, so its record of the package and release outranks records that name
 * the product by CPE or name, with any verdict. A bounded record of the maker or GHSA outranks an NVD criterion without
 * bounds or without an upper bound.
 */
function outranking(verdicts: readonly Verdict[]): (evidence: Evidence) => Evidence {
  const all = verdicts.flatMap(({ evidence }) => evidence)
  const hasEcosystem = all.some(isOfEcosystem)
  const isBounded = all.some(isBoundedUnaffected)
  return (evidence) => {
    if (hasEcosystem && /^(?:cpe|name):/.test(evidence.key))
      return { ...evidence, outrankedBy: ECOSYSTEM }
    if (isBounded && isUnboundedNvd(evidence)) return { ...evidence, outrankedBy: BOUNDED }
    return evidence
  }
}

/** Purl types of registries and distributions that maintain their own records; the excluded types have none. */
const REGISTERED = /^purl:(?!(?:generic|github|gitlab|bitbucket|yocto)\/)/

function isOfEcosystem({ source, key }: Evidence): boolean {
  return (source === 'osv' || source === 'csaf') && REGISTERED.test(key)
}

function isBoundedUnaffected({ source, verdict, isBounded }: Evidence): boolean {
  return source !== 'nvd' && verdict === 'unaffected' && isBounded === true
}

function isUnboundedNvd({ source, notes }: Evidence): boolean {
  return source === 'nvd' && (notes.includes(NO_BOUNDS) || notes.includes(NO_UPPER_BOUND))
}
