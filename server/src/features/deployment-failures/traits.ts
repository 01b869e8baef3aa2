/** What devices that failed have in common, beside those that took the same versions. */

export const TRAIT_KINDS = [
  'VersionBefore',
  'OtherFirmware',
  'Attribute',
  'Tag',
  'Client',
  'Door',
] as const
type TraitKind = (typeof TRAIT_KINDS)[number]

/** How many devices of one side have a trait; without a value: of how many it is known. */
export interface TraitCount {
  /** null: the devices that took the versions. */
  reason: string | null
  kind: TraitKind
  name: string | null
  value: string | null
  count: number
}

export interface Trait {
  kind: TraitKind
  name: string | null
  value: string
  failedCount: number
  failedOf: number
  otherCount: number
  otherOf: number
}

/** How often chance alone would name a trait, in all comparisons together. */
const CHANCE = 0.01
const LEAST_RATIO = 1.5
const MOST_TRAITS = 5

/** By reason: the traits that set its devices apart, the clearest first. */
export function findTraits(counts: readonly TraitCount[]): Map<string, Trait[]> {
  const keyOf = ({ reason, kind, name, value }: Omit<TraitCount, 'count'>) =>
    JSON.stringify([reason, kind, name, value])
  const known = new Map(counts.map((one) => [keyOf(one), one.count]))
  const countOf = (key: Omit<TraitCount, 'count'>) => known.get(keyOf(key)) ?? 0
  const compared = counts.flatMap(({ reason, kind, name, value, count }) => {
    if (reason === null || value === null) return []
    const trait: Trait = {
      kind,
      name,
      value,
      failedCount: count,
      failedOf: countOf({ reason, kind, name, value: null }),
      otherCount: countOf({ reason: null, kind, name, value }),
      otherOf: countOf({ reason: null, kind, name, value: null }),
    }
    return [{ reason, trait, chance: computeChance(trait) }]
  })
  const telling = compared
    .filter(({ trait, chance }) => chance * compared.length < CHANCE && isMoreOften(trait))
    .toSorted((a, b) => a.chance - b.chance)
  const byReason = Map.groupBy(telling, ({ reason }) => reason)
  return new Map(
    [...byReason].map(([reason, own]) => [
      reason,
      own.slice(0, MOST_TRAITS).map(({ trait }) => trait),
    ]),
  )
}

function isMoreOften({ failedCount, failedOf, otherCount, otherOf }: Trait): boolean {
  return failedCount * otherOf >= LEAST_RATIO * otherCount * failedOf
}

/**
 * Fisher's exact test, one-sided: how likely at least so many of the failed devices have the trait, if it has nothing to do with failing.
 * 1 where nothing can be compared.
 */
export function computeChance({ failedCount, failedOf, otherCount, otherOf }: Trait): number {
  if (failedOf === 0 || otherOf === 0) return 1
  const having = failedCount + otherCount
  const all = logChoose(failedOf + otherOf, having)
  let chance = 0
  for (let among = failedCount; among <= Math.min(failedOf, having); among += 1)
    if (having - among <= otherOf)
      chance += Math.exp(logChoose(failedOf, among) + logChoose(otherOf, having - among) - all)
  return Math.min(1, chance)
}

const logChoose = (all: number, chosen: number): number =>
  logFactorial(all) - logFactorial(chosen) - logFactorial(all - chosen)

const LOG_FACTORIALS = [0]

function logFactorial(of: number): number {
  for (let next = LOG_FACTORIALS.length; next <= of; next += 1)
    LOG_FACTORIALS.push((LOG_FACTORIALS[next - 1] ?? 0) + Math.log(next))
  return LOG_FACTORIALS[of] ?? 0
}
