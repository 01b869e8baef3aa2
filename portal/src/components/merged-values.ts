/** What two people made of the values of one form at the same time. */

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The members in which they differ. */
export function listDifferences<Values extends object>(
  one: Values,
  other: Values,
): (keyof Values & string)[] {
  const names = Object.keys(one) as (keyof Values & string)[]
  return names.filter((name) => !isSame(one[name], other[name]))
}

export function pickMembers<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>
}

/** Only what differs from before, so that two people who change different fields keep both. */
export const pickChanges = <Values extends object>(
  before: Values,
  after: Values,
): Partial<Values> => pickMembers(after, listDifferences(after, before)) as Partial<Values>

/** What was typed stays; the rest is as the others have it now. `both`: typed here, and changed by others. */
export function mergeValues<Values extends object>(mine: Values, before: Values, theirs: Values) {
  const typed = listDifferences(mine, before)
  const changed = listDifferences(theirs, before)
  return {
    values: { ...theirs, ...pickMembers(mine, typed) },
    changed,
    both: changed.filter((name) => typed.includes(name)),
  }
}
