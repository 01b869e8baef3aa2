/** By when a case was to be decided, as lists had it day by day. */
import { addDays } from '../../formats/instants.ts'
import type { Case, CaseDay, Facts } from './facts.ts'

/** What held at an instant; undefined: nothing is kept of it. */
export function findCaseDay(days: readonly CaseDay[], at: Date): CaseDay | undefined {
  const day = at.toISOString().slice(0, 10)
  return days.findLast(({ sinceDay }) => sinceDay <= day)
}

interface Due {
  /** null: it has no target. */
  dueAt: Date | null
  /** What SSVC decided then; null: it is not known. */
  outcome: string | null
}

/** The earlier one of the targets of its severity and of its outcomes. */
export function findDue(
  one: Case,
  { targets, caseDays }: Pick<Facts, 'targets' | 'caseDays'>,
): Due {
  const days = caseDays.get(nameCase(one)) ?? []
  const all = [findDueBySeverity(one, targets), ...listDueByOutcome(one, days)]
  const [dueAt = null] = all
    .filter((at) => at !== null)
    .toSorted((a, b) => a.getTime() - b.getTime())
  const outcome = dueAt === null ? undefined : findCaseDay(days, dueAt)?.outcome
  return { dueAt, outcome: outcome ?? null }
}

export const nameCase = ({
  firmwareId,
  vulnerabilityId,
}: Pick<Case, 'firmwareId' | 'vulnerabilityId'>) => `${firmwareId} ${vulnerabilityId}`

function findDueBySeverity({ detectedAt, severity }: Case, targets: Facts['targets']): Date | null {
  const target = targets.find(({ until }) => until === null || until > detectedAt)
  const days = target?.targetDays[severity]
  return days === undefined ? null : addDays(detectedAt, days)
}

/**
 * Each time that the outcome had a target: when the case was overdue by it first, or would have been, had it not been decided. A case may be overdue on
 * the day on which it becomes urgent, as in lists.
 */
function listDueByOutcome({ detectedAt, decidedAt }: Case, days: readonly CaseDay[]): Date[] {
  return days.flatMap(({ sinceDay, targetDays }, index) => {
    if (targetDays === null) return []
    const begins = findLater(detectedAt, new Date(`${sinceDay}T00:00:00Z`))
    const next = days[index + 1]
    const ends = next && new Date(`${next.sinceDay}T00:00:00Z`)
    if (decidedAt !== null && decidedAt < begins) return []
    const at = findLater(begins, addDays(detectedAt, targetDays))
    const isDecidedMeanwhile = decidedAt !== null && (!ends || decidedAt < ends)
    return !ends || at < ends || isDecidedMeanwhile ? [at] : []
  })
}

const findLater = (one: Date, other: Date) => (one > other ? one : other)
