/** What was said when a risk was accepted: why, who looks after it, and when that ends by itself. */
export const END_CAUSES = [
  'Time',
  'KnownExploited',
  'EpssAbove',
  'DevicesAbove',
  'FixAvailable',
  'Person',
] as const
export type EndCause = (typeof END_CAUSES)[number]

export const ACCEPTANCE_REQUIREMENTS = ['Reason', 'Owner', 'End'] as const
export type AcceptanceRequirement = (typeof ACCEPTANCE_REQUIREMENTS)[number]

interface AcceptanceConditions {
  knownExploited: boolean
  /** null: its score ends nothing. */
  epssAbove: number | null
  /** null: the number of devices ends nothing. */
  devicesAbove: number | null
  fixAvailable: boolean
}

interface EndOfAcceptance {
  at: string
  causes: EndCause[]
  /** Who ended it; null: it ended by itself. */
  byEmail: string | null
}

/** As it is stored. Instants are as `toISOString` writes them, so that texts are in their order. */
export interface Acceptance {
  reason: string | null
  /** A member at that time. */
  owner: { id: string; email: string } | null
  until: string | null
  conditions: AcceptanceConditions
  acceptedAt: string
  acceptedByEmail: string | null
  /** Whoever looks after it was told that it ends soon. */
  isEndAnnounced?: true
  /** Absent: it holds, as long as the finding is ignored. */
  ended?: EndOfAcceptance
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** "1 March 2027", in UTC. */
export const formatAcceptanceDay = (instant: string): string => DAY.format(new Date(instant))

/** Why a person should look at the finding again: "Accepted until 1 March 2027 by ann@example.com; now known to be exploited". */
export function describeEndedAcceptance(
  acceptance: Acceptance,
  causes: readonly EndCause[],
): string {
  const { until, acceptedByEmail, owner } = acceptance
  const end = until === null ? '' : ` until ${formatAcceptanceDay(until)}`
  const by = acceptedByEmail ?? owner?.email
  return `Accepted${end}${by === undefined ? '' : ` by ${by}`}; ${describeCauses(acceptance, causes)}`
}

/** "now known to be exploited, and a fix is available" */
function describeCauses(
  { conditions }: Pick<Acceptance, 'conditions'>,
  causes: readonly EndCause[],
): string {
  const { epssAbove, devicesAbove } = conditions
  const words: Record<EndCause, string> = {
    Time: 'that time is over',
    KnownExploited: 'now known to be exploited',
    EpssAbove: `its EPSS score is above ${epssAbove ?? ''} now`,
    DevicesAbove: `more than ${devicesAbove?.toLocaleString('en') ?? ''} devices run it now`,
    FixAvailable: 'a fix is available now',
    Person: 'a person ended it',
  }
  return causes.map((cause) => words[cause]).join(', and ')
}

/** An acceptance as answers show it. */
export function describeAcceptance(acceptance: Acceptance | null | undefined) {
  if (!acceptance) return null
  const { reason, owner, until, conditions, acceptedAt, acceptedByEmail, ended } = acceptance
  return { reason, owner, until, conditions, acceptedAt, acceptedByEmail, ended: ended ?? null }
}
