/** From what each advisory says to whether a package has a vulnerability (DESIGN 5.4). */
import {
  type Confidence,
  type Evidence,
  highest,
  NO_BOUNDS,
  NO_UPPER_BOUND,
  type Verdict,
} from './evidence.ts'

export interface CombinedMatch {
  confidence: Confidence
  /** Everything that was said, what was outranked included. */
  evidence: Evidence[]
}

const ECOSYSTEM = 'the record of its own distribution or registry'
const BOUNDED = 'a record that bounds the affected versions'

/** The verdicts on one package of all advisories of one vulnerability; undefined when it is not affected. */
export function combine(verdicts: readonly Verdict[]): CombinedMatch | undefined {
  const evidence = verdicts.flatMap((verdict) => verdict.evidence).map(outranking(verdicts))
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
 * A distribution or registry knows what it patched, so its record of this very package and release outranks what is
 * said of the product by CPE or name, either way. A maker's or GHSA's bounds outrank an NVD criterion without any, or
 * without an upper one.
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

/** These types are no registry that answers for what it holds. */
const REGISTERED = /^purl:(?!(?:generic|github|gitlab|bitbucket|yocto)\/)/

function isOfEcosystem({ source, key }: Evidence): boolean {
  return source === 'osv' && REGISTERED.test(key)
}

function isBoundedUnaffected({ source, verdict, isBounded }: Evidence): boolean {
  return source !== 'nvd' && verdict === 'unaffected' && isBounded === true
}

function isUnboundedNvd({ source, notes }: Evidence): boolean {
  return source === 'nvd' && (notes.includes(NO_BOUNDS) || notes.includes(NO_UPPER_BOUND))
}
