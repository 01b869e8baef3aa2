/** Many packages held against the advisories that speak of them. */
import { combine } from './verdict-precedence.ts'
import type { Verdict } from './evidence.ts'
import type { EvaluationFailure } from './failures.ts'
import { candidateKeys, matchPackage } from './match.ts'
import type { CandidateRow, LockedPackage, MatchRow, Undecided, Wanted } from './store.ts'

export interface WantedPackage {
  id: string
  identity: LockedPackage['identity']
  /** Those to be evaluated; undefined: all. Either all packages of a call state them or none. */
  vulnerabilityIds: readonly string[] | undefined
}

export interface Matched {
  of: WantedPackage
  matches: MatchRow[]
  undecided: Undecided[]
  failures: EvaluationFailure[]
}

/** The candidates of all of them, looked up together. */
export function wantedOf(packages: readonly WantedPackage[]): Wanted {
  const keys = packages.map(({ identity }) => candidateKeys(identity))
  const isWhole = packages.some(({ vulnerabilityIds }) => vulnerabilityIds === undefined)
  return {
    keys: distinct(keys.flatMap((own) => own.keys)),
    productKeys: distinct(keys.flatMap((own) => own.productKeys)),
    vulnerabilityIds: isWhole
      ? undefined
      : distinct(packages.flatMap(({ vulnerabilityIds = [] }) => vulnerabilityIds)),
  }
}

/** One after the other, as the evidence of a kernel's thousands of matches takes megabytes. */
export function* matchPackages(
  packages: readonly WantedPackage[],
  rows: readonly CandidateRow[],
): Generator<Matched> {
  const byKey = Map.groupBy(rows, ({ key }) => key)
  const byProductKey = Map.groupBy(rows, ({ productKey }) => productKey ?? '')
  for (const one of packages) {
    const { keys, productKeys } = candidateKeys(one.identity)
    const own = new Set([
      ...keys.flatMap((key) => byKey.get(key) ?? []),
      ...productKeys.flatMap((key) => byProductKey.get(key) ?? []),
    ])
    yield matchOne(one, [...own])
  }
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

/** A vulnerability is judged by all its advisories, so all of them are candidates whenever it is in scope. */
function matchOne(of: WantedPackage, rows: readonly CandidateRow[]): Matched {
  const { identity, vulnerabilityIds } = of
  const wanted = vulnerabilityIds && new Set(vulnerabilityIds)
  const isWanted = (vulnerabilityId: string) => wanted?.has(vulnerabilityId) !== false
  const own = wanted ? rows.filter((row) => row.vulnerabilityIds.some(isWanted)) : rows
  const verdicts = matchPackage(
    identity,
    own.map(({ source, advisoryId, key, statements }) => ({
      source,
      advisoryId,
      affected: { key, statements },
    })),
  )
  const linked = new Map(own.map((row) => [advisoryOf(row), row.vulnerabilityIds]))
  const byVulnerability = new Map<string, Verdict[]>()
  for (const verdict of verdicts)
    for (const vulnerabilityId of (linked.get(advisoryOf(verdict)) ?? []).filter(isWanted)) {
      const known = byVulnerability.get(vulnerabilityId)
      if (known) known.push(verdict)
      else byVulnerability.set(vulnerabilityId, [verdict])
    }
  return { ...conclude(of, byVulnerability), failures: failuresOf(of, verdicts) }
}

function advisoryOf({ source, advisoryId }: Pick<CandidateRow, 'source' | 'advisoryId'>): string {
  return `${source} ${advisoryId}`
}

function failuresOf({ id }: WantedPackage, verdicts: readonly Verdict[]): EvaluationFailure[] {
  return verdicts.flatMap(({ source, advisoryId, failure }) =>
    failure === undefined ? [] : [{ packageId: id, source, advisoryId, error: failure }],
  )
}

function conclude(
  of: WantedPackage,
  byVulnerability: ReadonlyMap<string, readonly Verdict[]>,
): Pick<Matched, 'of' | 'matches' | 'undecided'> {
  const packageId = of.id
  const concluded: ReturnType<typeof conclude> = { of, matches: [], undecided: [] }
  for (const [vulnerabilityId, verdicts] of byVulnerability) {
    const match = combine(verdicts)
    const undecidable = verdicts.find(({ verdict }) => verdict === 'undecidable')
    const isDecided = verdicts.some(({ verdict }) => verdict !== 'undecidable')
    if (match) concluded.matches.push({ packageId, vulnerabilityId, ...match })
    else if (undecidable?.reasons[0] !== undefined && !isDecided)
      concluded.undecided.push({ packageId, vulnerabilityId, reason: undecidable.reasons[0] })
  }
  return concluded
}
