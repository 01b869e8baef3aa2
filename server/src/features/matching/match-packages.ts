/** Matches many packages with the advisories that name their keys. */
import type { Candidate, Verdict } from './evidence.ts'
import type { EvaluationFailure } from './failures.ts'
import { type MatchKnowledge, matchPackage } from './match.ts'
import { listCandidateKeys, listJudgingKeys, type NameResolver } from './name-resolution.ts'
import { type DecidedMatch, decideMatch } from './verdict-precedence.ts'
import type { CandidateRow, PackageRow, MatchRow, UndecidedPair, CandidateQuery } from './store.ts'

export interface WantedPackage {
  id: string
  identity: PackageRow['identity']
  /** The vulnerabilities to evaluate; undefined: all. Either all packages of a call state them, or none does. */
  vulnerabilityIds: readonly string[] | undefined
  /** What its names mean now. */
  resolved: readonly string[]
}

export interface PackageOutcome {
  of: WantedPackage
  matches: MatchRow[]
  undecided: UndecidedPair[]
  /** Its names that records among the candidates have. */
  named: ReadonlySet<string>
  failures: EvaluationFailure[]
}

/** What one query finds for all packages. */
export function planCandidateQuery(
  packages: readonly WantedPackage[],
  resolve: NameResolver,
): CandidateQuery {
  const isWhole = packages.some(({ vulnerabilityIds }) => vulnerabilityIds === undefined)
  return {
    keys: distinct(packages.flatMap(({ identity }) => listCandidateKeys(identity, resolve))),
    vulnerabilityIds: isWhole
      ? undefined
      : distinct(packages.flatMap(({ vulnerabilityIds = [] }) => vulnerabilityIds)),
  }
}

/** Yields one package at a time: the evidence of a kernel's thousands of matches takes megabytes. */
export function* matchPackages(
  packages: readonly WantedPackage[],
  rows: readonly CandidateRow[],
  knowledge: MatchKnowledge,
): Generator<PackageOutcome> {
  const byKey = Map.groupBy(rows, ({ key }) => key)
  for (const one of packages) {
    const keys = listCandidateKeys(one.identity, knowledge.resolve)
    const own = new Set(keys.flatMap((key) => byKey.get(key) ?? []))
    yield matchOne(one, [...own], knowledge)
  }
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

/** All advisories of a vulnerability decide about it together, so all of them are candidates when it is wanted. */
function matchOne(
  of: WantedPackage,
  rows: readonly CandidateRow[],
  knowledge: MatchKnowledge,
): PackageOutcome {
  const { identity, vulnerabilityIds } = of
  const wanted = vulnerabilityIds && new Set(vulnerabilityIds)
  const isWanted = (vulnerabilityId: string) => wanted?.has(vulnerabilityId) !== false
  const own = wanted ? rows.filter((row) => row.vulnerabilityIds.some(isWanted)) : rows
  const verdicts = matchPackage(identity, own.map(readCandidate), knowledge)
  const linked = new Map(own.map((row) => [formatAdvisory(row), row.vulnerabilityIds]))
  const byVulnerability = new Map<string, Verdict[]>()
  for (const verdict of verdicts)
    for (const vulnerabilityId of (linked.get(formatAdvisory(verdict)) ?? []).filter(isWanted)) {
      const known = byVulnerability.get(vulnerabilityId)
      if (known) known.push(verdict)
      else byVulnerability.set(vulnerabilityId, [verdict])
    }
  const judging = new Set(listJudgingKeys(identity, knowledge.resolve))
  const named = new Set(rows.map(({ key }) => key).filter((key) => judging.has(key)))
  return { ...conclude(of, byVulnerability), named, failures: listFailures(of, verdicts) }
}

export function readCandidate({ source, advisoryId, key, statements }: CandidateRow): Candidate {
  return { source, advisoryId, affected: { key, statements } }
}

function formatAdvisory({
  source,
  advisoryId,
}: Pick<CandidateRow, 'source' | 'advisoryId'>): string {
  return `${source} ${advisoryId}`
}

function listFailures({ id }: WantedPackage, verdicts: readonly Verdict[]): EvaluationFailure[] {
  return verdicts.flatMap(({ source, advisoryId, failure }) =>
    failure === undefined ? [] : [{ packageId: id, source, advisoryId, error: failure }],
  )
}

function conclude(
  of: WantedPackage,
  byVulnerability: ReadonlyMap<string, readonly Verdict[]>,
): Pick<PackageOutcome, 'of' | 'matches' | 'undecided'> {
  const packageId = of.id
  const concluded: ReturnType<typeof conclude> = { of, matches: [], undecided: [] }
  for (const [vulnerabilityId, verdicts] of byVulnerability) {
    const { match, undecided } = concludeVerdicts(verdicts)
    if (match) concluded.matches.push({ packageId, vulnerabilityId, ...match })
    else if (undecided !== undefined)
      concluded.undecided.push({ packageId, vulnerabilityId, reason: undecided })
  }
  return concluded
}

/** What the verdicts on one vulnerability of a package lead to: a match, nothing, or why nothing can be told. */
export function concludeVerdicts(verdicts: readonly Verdict[]): {
  match: DecidedMatch | undefined
  undecided: string | undefined
} {
  const match = decideMatch(verdicts)
  const undecidable = verdicts.find(({ verdict }) => verdict === 'undecidable')
  const isDecided = verdicts.some(({ verdict }) => verdict !== 'undecidable')
  return { match, undecided: match || isDecided ? undefined : undecidable?.reasons[0] }
}
