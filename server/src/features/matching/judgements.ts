/** What every record of a vulnerability says of a package, also where nothing is found. */
import type { AdvisorySource, AffectedStatement } from '../../formats/advisories/model.ts'
import { isOfLaterUpstream, isOfRelease, type PackageIdentity } from '../../formats/identity.ts'
import type { References } from './agreement.ts'
import type { Confidence, Evidence, Verdict } from './evidence.ts'
import { type Comparison, matchPackage } from './match.ts'
import type { LoadedKnowledge } from './loaded-knowledge.ts'
import type { NameResolver } from './name-resolution.ts'
import { readCandidate, concludeVerdicts } from './match-packages.ts'
import { describeDecidingRange, describeRange } from './range-words.ts'
import type { CandidateRow, VulnerabilityRecord } from './store.ts'
import { rankEvidence } from './verdict-precedence.ts'

export const RECORD_VERDICTS = [
  'affected',
  'unaffected',
  'undecided',
  'silent',
  'other names',
  'withdrawn',
] as const
type RecordVerdict = (typeof RECORD_VERDICTS)[number]

/** One statement of a record, compared with one name of the package. */
interface JudgedComparison {
  key: string
  identifier: string
  version: string
  range: string
  rangeInWords: string
  comparator: string
  verdict: 'affected' | 'unaffected' | 'undecided' | 'silent'
  /** null: there is no verdict. */
  confidence: Confidence | null
  notes: string[]
  outrankedBy: string | null
}

interface RecordJudgement {
  source: AdvisorySource
  advisoryId: string
  verdict: RecordVerdict
  comparisons: JudgedComparison[]
  /** The names that the record has and the package has not. */
  otherNames: string[]
}

export interface PackageJudgement {
  conclusion: 'affected' | 'not affected' | 'undecided' | 'not named' | 'no record'
  confidence: Confidence | null
  /** Why nothing can be told. */
  undecided: string | null
  records: RecordJudgement[]
}

export interface RecordsOfPackage {
  candidates: readonly CandidateRow[]
  records: readonly VulnerabilityRecord[]
  resolve?: NameResolver
  loaded?: LoadedKnowledge
  references?: References
}

export function judgeRecords(
  identity: PackageIdentity | undefined,
  { candidates, records, resolve, loaded, references }: RecordsOfPackage,
): PackageJudgement {
  const unanswered: Comparison[] = []
  const observe = (comparison: Comparison) => {
    if (['silent', 'undecidable'].includes(comparison.outcome.verdict)) unanswered.push(comparison)
  }
  const verdicts = identity
    ? matchPackage(identity, candidates.map(readCandidate), {
        ...(resolve && { resolve }),
        ...(loaded && { loaded }),
        ...(references && { references }),
        observe,
      })
    : []
  const evidence = rankEvidence(verdicts)
  const { match, undecided } = concludeVerdicts(verdicts)
  const judged = records.map((record): RecordJudgement => {
    const isOwn = ({ source, advisoryId }: Pick<Verdict, 'source' | 'advisoryId'>) =>
      source === record.source && advisoryId === record.advisoryId
    const comparisons = [
      ...evidence.filter(isOwn).map((one) => show(one, candidates)),
      ...unanswered
        .filter(({ candidate }) => isOwn(candidate))
        .map((one) => unansweredOne(one, identity)),
    ]
    const named = new Set(candidates.filter(isOwn).map(({ key }) => key))
    const verdict = named.size > 0 ? describeVerdict(verdicts.find(isOwn)) : 'other names'
    const otherNames = record.keys.filter((key) => !named.has(key))
    return {
      source: record.source,
      advisoryId: record.advisoryId,
      verdict: record.isWithdrawn ? 'withdrawn' : verdict,
      comparisons,
      otherNames,
    }
  })
  return {
    conclusion: match ? 'affected' : conclude(judged, undecided),
    confidence: match?.confidence ?? null,
    undecided: undecided ?? null,
    records: judged,
  }
}

function conclude(
  records: readonly RecordJudgement[],
  undecided: string | undefined,
): PackageJudgement['conclusion'] {
  if (undecided !== undefined) return 'undecided'
  const inForce = records.filter(({ verdict }) => verdict !== 'withdrawn')
  if (inForce.length === 0) return 'no record'
  return inForce.every(({ verdict }) => verdict === 'other names') ? 'not named' : 'not affected'
}

function describeVerdict(verdict: Verdict | undefined): RecordVerdict {
  if (verdict === undefined) return 'silent'
  return verdict.verdict === 'undecidable' ? 'undecided' : verdict.verdict
}

function show(evidence: Evidence, candidates: readonly CandidateRow[]): JudgedComparison {
  const { key, identifier, version, range, comparator, verdict, confidence, notes } = evidence
  const outrankedBy = evidence.outrankedBy ?? null
  const rangeInWords = describeDecidingRange(evidence, candidates)
  const compared = { key, identifier, version, range, rangeInWords, comparator }
  return { ...compared, verdict, confidence, notes, outrankedBy }
}

function unansweredOne(
  { candidate, pair, statement, outcome }: Comparison,
  identity: PackageIdentity | undefined,
): JudgedComparison {
  const isUndecided = outcome.verdict === 'undecidable'
  return {
    key: candidate.affected.key,
    identifier: pair.identifier,
    version: pair.version,
    range: describeRanges(statement, (text) => text),
    rangeInWords: describeRanges(statement, describeRange),
    comparator: statement.scheme,
    verdict: isUndecided ? 'undecided' : 'silent',
    confidence: null,
    notes: [isUndecided ? outcome.reason : reasonOfSilence(statement, identity, pair.version)],
    outrankedBy: null,
  }
}

function reasonOfSilence(
  { distro, defaultStatus, versions }: AffectedStatement,
  identity: PackageIdentity | undefined,
  version: string,
): string {
  if (distro !== undefined && isOfRelease(distro, identity?.distro) !== true)
    return aboutOthers(distro, identity)
  const fixes = versions.flatMap(({ fixed }) => fixed ?? [])
  if (identity?.distro && isOfLaterUpstream(version, identity.distro, fixes))
    return `it is about the versions that ${distro ?? identity.distro.ecosystem} has, and the component is of a later one`
  if (defaultStatus !== 'unknown' && versions.some(({ cpe }) => cpe !== undefined))
    return 'its criterion is for another part, edition or platform of the product'
  return 'it says nothing of this version'
}

function aboutOthers(distro: string, identity: PackageIdentity | undefined): string {
  const reason = identity?.distro?.otherBuilder?.reason
  return reason === undefined
    ? `it is about ${distro}, which the component is not of`
    : `it is about the builds of ${distro}: ${reason}`
}

const MOST_RANGES = 5

/** All ranges of a statement that gives no verdict. */
function describeRanges(
  { versions, defaultStatus }: AffectedStatement,
  describeOne: (range: string) => string,
): string {
  if (versions.length === 0) return `every version is ${defaultStatus}`
  const texts = versions
    .slice(0, MOST_RANGES)
    .map(({ status, text }) => `${status}: ${describeOne(text)}`)
  const rest = versions.length - texts.length
  return [...texts, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}
