/** Evaluates advisories for a package. Pure: the same input gives the same verdicts (docs/design/matching.md). */
import type { AffectedStatement } from '../../formats/advisories/model.ts'
import { type Cpe, parseCpe } from '../../formats/cpe.ts'
import {
  dropVendorOfName,
  isOfRelease,
  isOpen,
  isVendorless,
  listLookUpKeys,
  selectStream,
  findUnknownDistribution,
  type PackageIdentity,
  type PackagePair,
  judgeStream,
  spellVersionForRecord,
} from '../../formats/identity.ts'
import {
  describeAgreement,
  type Agreements,
  findAgreements,
  NO_REFERENCES,
  type References,
} from './agreement.ts'
import {
  type Candidate,
  type Evidence,
  excerptStatement,
  NO_BOUNDS,
  NO_UPPER_BOUND,
  type Verdict,
} from './evidence.ts'
import { isOfRegistry } from './compare-bounds.ts'
import { asNamedBy, isForRegistry } from './cpe-criterion.ts'
import { listDistributionDoubts, isOfElsewhere } from './distribution-doubts.ts'
import {
  listDoubts,
  IMPLIED,
  describeNaming,
  listOriginDoubts,
  type ResolvedPair,
} from './doubts.ts'
import { type LoadedKnowledge, withoutNeedlessStandIns } from './loaded-knowledge.ts'
import { type NameResolver, cacheReads, createResolver } from './name-resolution.ts'
import { isOfOtherModule, type Outcome, type Subject } from './evaluate-statement.ts'
import { evaluateReadings } from './readings.ts'
import {
  boundsNothing,
  listBounds,
  judgeClarity,
  isOpenEnded,
  noteOtherBounds,
} from './statement-bounds.ts'

/** Raise it when a rule of matching changes: packages that older rules matched are matched again. */
export const MATCH_RULES_VERSION = 22

/** What the stored records tell apart from their statements. */
export interface MatchKnowledge {
  resolve: NameResolver
  loaded: LoadedKnowledge
  references: References
}

/** One statement of a record, compared with one name of the package. */
export interface Comparison {
  candidate: Candidate
  pair: PackagePair
  statement: AffectedStatement
  outcome: Outcome
}

export interface MatchOptions {
  /** By default the candidates tell what names mean. */
  resolve?: NameResolver
  /** Whose records are loaded; undefined: everybody's. */
  loaded?: LoadedKnowledge
  /** Which products the records name that refer to the package's addresses. */
  references?: References
  /** Sees every comparison, also those without a verdict. */
  observe?: (comparison: Comparison) => void
}

/** A verdict for each advisory that applies to the package, in the order of the candidates. */
export function matchPackage(
  identity: PackageIdentity,
  candidates: readonly Candidate[],
  {
    resolve = createResolver(candidates),
    references = NO_REFERENCES,
    loaded,
    observe,
  }: MatchOptions = {},
): Verdict[] {
  const matcher = {
    ...createMatcher(
      withoutNeedlessStandIns(identity, loaded),
      resolve,
      findAgreements(identity, resolve, references),
    ),
    observe,
    unknownDistribution: loaded && findUnknownDistribution(identity.distro, loaded.distributions),
  }
  const verdicts = new Map<string, Verdict>()
  for (const candidate of candidates) {
    const { source, advisoryId } = candidate
    const id = `${source} ${advisoryId}`
    const verdict = verdicts.get(id) ?? {
      source,
      advisoryId,
      verdict: 'undecidable',
      evidence: [],
      reasons: [],
    }
    evaluateSafely(matcher, candidate, verdict)
    if (verdict.evidence.length > 0 || verdict.reasons.length > 0) verdicts.set(id, verdict)
  }
  return [...verdicts.values()]
}

interface Matcher {
  identity: PackageIdentity
  agreements: Agreements
  pairsByKey: Map<string, ResolvedPair[]>
  subjectOf: (pair: PackagePair) => Subject
  criterionOf: (cpe: string) => Cpe | undefined
  observe?: ((comparison: Comparison) => void) | undefined
  /** The package's distribution, where its records are not loaded. */
  unknownDistribution?: string | undefined
}

const LANGUAGE_TYPES = new Set(
  'npm pypi gem maven cargo golang nuget composer hex pub cran swift cocoapods cpan hackage'.split(
    ' ',
  ),
)

function createMatcher(
  identity: PackageIdentity,
  resolve: NameResolver,
  agreements: Agreements,
): Matcher {
  const pairsByKey = new Map<string, ResolvedPair[]>()
  const add = (key: string, pair: ResolvedPair) =>
    pairsByKey.set(key, [...(pairsByKey.get(key) ?? []), pair])
  for (const pair of identity.pairs) {
    for (const { key, isProductKey } of listLookUpKeys(pair)) if (!isProductKey) add(key, pair)
    if (isVendorless(pair.key))
      for (const [key, resolution] of resolve(dropVendorOfName(pair.key)))
        add(key, { ...pair, resolution })
  }
  const types = identity.pairs.map(({ key }) => /^purl:([^/]+)/.exec(key)?.[1] ?? '')
  const ecosystems = new Set(types.filter((type) => LANGUAGE_TYPES.has(type)))
  const criterionOf = cacheReads((text) => parseCpe(text))
  const subjectOf = (pair: PackagePair) => ({
    version: pair.version,
    cpe: pair.key.startsWith('cpe:') ? criterionOf(pair.identifier) : undefined,
    ecosystems,
  })
  return { identity, agreements, pairsByKey, subjectOf, criterionOf }
}

/**
 * A fault in the evaluation of one advisory must not keep the package from the others. Nothing here throws by design:
 * what cannot be compared is undecidable. So every exception is a fault of the service, and is reported as such.
 */
function evaluateSafely(matcher: Matcher, candidate: Candidate, verdict: Verdict): void {
  try {
    evaluate(matcher, candidate, verdict)
  } catch (error) {
    addReason(verdict, 'record cannot be evaluated')
    verdict.failure = error
  }
}

function evaluate(matcher: Matcher, candidate: Candidate, verdict: Verdict): void {
  const { key, statements } = candidate.affected
  for (const pair of pairsFor(matcher, key)) {
    const subject = asNamedBy(key, pair.key, matcher.subjectOf(pair))
    const relevant = new Set(selectRelevant(matcher, statements, pair))
    for (const statement of statements) {
      const version = spellVersionForRecord(key, pair.version, listBounds(statement))
      const outcome = relevant.has(statement)
        ? ofPart(pair, evaluateFor({ matcher, key }, statement, { ...subject, version }))
        : SILENT
      matcher.observe?.({ candidate, pair, statement, outcome })
      if (outcome.verdict === 'silent') continue
      if (outcome.verdict === 'undecidable') addReason(verdict, outcome.reason)
      else {
        const confirmed = corroborated(matcher, agreed(matcher, pair, key), outcome)
        addEvidence(
          verdict,
          createEvidence(matcher, candidate, { pair: confirmed, statement, outcome }),
        )
      }
    }
  }
}

const SILENT: Outcome = { verdict: 'silent' }

/** The flaw of one part of a product is none of another part, whatever records of the whole product say. */
function ofPart({ origin }: PackagePair, outcome: Outcome): Outcome {
  const isOfOther = origin === 'other part' && outcome.verdict === 'affected'
  return isOfOther ? { ...outcome, verdict: 'unaffected', doubts: [] } : outcome
}

/** Leaves out statements about other releases and streams of the distribution. */
function selectRelevant(
  { identity }: Matcher,
  statements: readonly AffectedStatement[],
  pair: PackagePair,
): readonly AffectedStatement[] {
  const relevant = statements.filter(
    ({ distro }) => distro === undefined || isOfRelease(distro, identity.distro) !== false,
  )
  return selectStream(relevant, pair)
}

/** The package's project is the one that records of this product refer to. */
function agreed({ agreements }: Matcher, pair: ResolvedPair, key: string): ResolvedPair {
  const agreement = isOpen(pair) ? agreements.get(key) : undefined
  return agreement === undefined ? pair : { ...pair, agreement: describeAgreement(agreement) }
}

/** A criterion for packages of the registry of the purl confirms the CPE beside it. */
function corroborated(
  { subjectOf, criterionOf }: Matcher,
  pair: ResolvedPair,
  { decidedBy }: DecidedOutcome,
): ResolvedPair {
  if (pair.origin !== 'registry' || decidedBy?.cpe === undefined) return pair
  const criterion = criterionOf(decidedBy.cpe)
  if (!criterion || !isForRegistry(criterion, subjectOf(pair).ecosystems)) return pair
  return { ...pair, isCorroborated: true }
}

/** Prefers pairs with exactly this key. Other spellings of the name know no CPE attributes. */
function pairsFor({ pairsByKey }: Matcher, key: string): Set<ResolvedPair> {
  const pairs = pairsByKey.get(key) ?? []
  const exact = pairs.filter((pair) => pair.key === key)
  if (exact.length > 0) return new Set(exact)
  if (!isVendorless(key)) return new Set(pairs)
  // All names of a product meet a record without vendor in the same way.
  const distinct = new Map(
    pairs
      .toReversed()
      .map((pair) => [
        pair.alias === undefined ? pair : `${pair.alias} ${pair.version} ${pair.origin ?? ''}`,
        pair,
      ]),
  )
  return new Set(distinct.values())
}

function evaluateFor(
  { matcher, key }: { matcher: Matcher; key: string },
  statement: AffectedStatement,
  subject: Subject,
): Outcome {
  const { distro } = statement
  if (distro !== undefined && isOfRelease(distro, matcher.identity.distro) === undefined)
    return { verdict: 'undecidable', reason: 'distribution release not stated' }
  if (isOfOtherModule(statement, subject)) return SILENT
  const told = judgeStream(distro, subject.version)
  if (told === 'nothing') return SILENT
  const { criterionOf } = matcher
  const outcome = evaluateReadings(statement, subject, { key, criterionOf })
  const isUntold =
    told === 'affected' || isOfElsewhere(matcher.identity, statement, subject.version)
  return isUntold && outcome.verdict === 'unaffected' ? SILENT : outcome
}

function addReason(verdict: Verdict, reason: string): void {
  if (!verdict.reasons.includes(reason)) verdict.reasons.push(reason)
}

/** One affected statement makes the verdict affected. */
function addEvidence(verdict: Verdict, evidence: Evidence): void {
  verdict.evidence.push(evidence)
  if (verdict.verdict !== 'affected') verdict.verdict = evidence.verdict
}

type DecidedOutcome = Extract<Outcome, { verdict: 'affected' | 'unaffected' }>

function decideConfidence(doubts: readonly string[], reservations: readonly string[]) {
  if (doubts.length > 0) return 'Low'
  return reservations.length > 0 ? 'Medium' : 'High'
}

function doubtOfBounds(
  { source, affected }: Pick<Candidate, 'source' | 'affected'>,
  { statement, outcome }: { statement: AffectedStatement; outcome: DecidedOutcome },
  reservations: readonly string[],
): string[] {
  // A maker may say that all versions are affected; about what is left open, such a record says nothing.
  const leavesOpen = source === 'nvd' || (reservations.length > 0 && !isOfRegistry(affected.key))
  return leavesOpen && boundsNothing(statement, outcome) ? [NO_BOUNDS] : []
}

function createEvidence(
  matcher: Matcher,
  { source, advisoryId, affected }: Candidate,
  {
    pair,
    statement,
    outcome,
  }: Pick<Comparison, 'statement'> & { pair: ResolvedPair; outcome: DecidedOutcome },
): Evidence {
  const { decidedBy, verdict } = outcome
  const reservations = [
    ...(outcome.reservations ?? []),
    ...describeNaming(pair, affected.key),
    ...(source === 'nvd' && isOpenEnded(decidedBy) ? [NO_UPPER_BOUND] : []),
    ...listOriginDoubts(pair, matcher.identity),
    ...(decidedBy?.isImplied ? [IMPLIED] : []),
  ]
  const doubts = [
    ...outcome.doubts,
    ...listDistributionDoubts(pair, matcher.identity, matcher.unknownDistribution),
    ...doubtOfBounds({ source, affected }, { statement, outcome }, reservations),
    ...listDoubts(pair, { statement, key: affected.key }),
  ]
  return {
    source,
    advisoryId,
    key: affected.key,
    identifier: pair.identifier,
    version: pair.version,
    range: decidedBy?.text ?? `every version not named is ${verdict}`,
    comparator: statement.scheme,
    verdict,
    confidence: decideConfidence(doubts, reservations),
    notes: [...doubts, ...reservations, ...listNames(pair)],
    ...(pair.resolution && { resolution: pair.resolution }),
    ...(verdict === 'unaffected' && judgeClarity(statement, decidedBy)),
    statement: { ...excerptStatement(statement, outcome), ...noteOtherBounds(statement, outcome) },
  }
}

/** How the names of the package led to the record. */
function listNames({ alias, agreement }: ResolvedPair): string[] {
  return [
    ...(alias === undefined ? [] : [`names of ${alias} stand for each other`]),
    ...(agreement === undefined ? [] : [agreement]),
  ]
}
