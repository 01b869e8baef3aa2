import type { CaseClock, CaseSummary } from '@plimsoll/api-client'

/** What is due first of what nobody has answered; then what has no due time. */
export function findNextClock({ clocks }: Pick<CaseSummary, 'clocks'>): CaseClock | undefined {
  const open = clocks.filter(({ doneAt }) => doneAt === null)
  const timed = open.filter(({ dueAt }) => dueAt !== null)
  const [first] = timed.toSorted((one, two) => (one.dueAt ?? '').localeCompare(two.dueAt ?? ''))
  return first ?? open[0]
}
