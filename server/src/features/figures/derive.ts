/** The cases of each figure, from facts. */
import { DAY_MS } from '../../formats/instants.ts'
import { findDue } from './due.ts'
import type { Case, FigureParts, Facts, FleetTimes, NotCounted, Version } from './facts.ts'
import type { FigureCase, FigureId } from './figure.ts'

const isIn = ({ from, to }: Facts['period'], at: Date | null): at is Date =>
  at !== null && at >= from && at < to

const countDaysBetween = (since: Date, at: Date) =>
  Math.max(0, at.getTime() - since.getTime()) / DAY_MS

const isBefore = (one: Date | null, other: Date) => one !== null && one <= other

function createCase(
  { vulnerabilityId, firmwareId, severity, detectedAt }: Case,
  { since = detectedAt, at, ...rest }: Pick<FigureCase, 'measure' | 'at'> & Partial<FigureCase>,
): FigureCase {
  return {
    vulnerabilityId,
    firmwareId,
    severity,
    since,
    at,
    days: null,
    person: null,
    outcome: null,
    ...rest,
  }
}

const createTimed = (one: Case, measure: string, at: Date, since = one.detectedAt): FigureCase =>
  createCase(one, { measure, at, since, days: countDaysBetween(since, at) })

/** Only those with a count. */
const say = (...said: readonly NotCounted[]) => said.filter(({ count }) => count > 0)

const count = <One>(all: readonly One[], meets: (one: One) => boolean) => all.filter(meets).length

/** A document, the build or an earlier version said it first. */
const wasStatedBefore = ({ statedAt, carriedAt }: Case, at: Date) =>
  isBefore(statedAt, at) || isBefore(carriedAt, at)

const isUndecided = ({ decidedAt, statedAt, carriedAt }: Case) =>
  decidedAt === null && statedAt === null && carriedAt === null

function deriveTriage({ period, cases }: Facts): FigureParts {
  const decided = cases.flatMap((one) =>
    isIn(period, one.decidedAt) && !wasStatedBefore(one, one.decidedAt)
      ? [{ ...createTimed(one, 'Decided', one.decidedAt), person: one.decidedBy }]
      : [],
  )
  const isStated = (one: Case) => {
    const at = one.statedAt ?? one.carriedAt
    return isIn(period, at) && (one.decidedAt === null || wasStatedBefore(one, one.decidedAt))
  }
  return {
    cases: decided,
    notCounted: say(
      {
        reason: 'without a decision when the period ends',
        count: count(cases, (one) => one.isOpen && isUndecided(one)),
      },
      {
        reason: 'decided by documents, the build or what was carried over, before anybody',
        count: count(cases, isStated),
      },
    ),
  }
}

/** The first version after the detection that does not have it; versions are in the order of their places. */
function findFixedAt(one: Case, versions: readonly Version[]): Date | null {
  const isAffected = (place: number) =>
    one.places.some(({ from, to }) => place >= from && place < to)
  const free = versions.find(
    ({ place, inventoryAt }) => inventoryAt > one.detectedAt && !isAffected(place),
  )
  const found = [free?.inventoryAt, one.resolvedAt].filter((at) => at instanceof Date)
  return found.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

function deriveFixes({ period, cases, versions }: Facts): FigureParts {
  const byFirmware = Map.groupBy(versions, ({ firmwareId }) => firmwareId)
  const needed = cases
    .filter((one) => !one.isJudgedAway && !(one.isResolved && one.decidedAt === null))
    .map((one) => ({ one, at: findFixedAt(one, byFirmware.get(one.firmwareId) ?? []) }))
  return {
    cases: needed.flatMap(({ one, at }) =>
      isIn(period, at) ? [createTimed(one, 'Fixed', at)] : [],
    ),
    notCounted: say(
      {
        reason: 'without a version with a fix when the period ends',
        count: count(needed, ({ one, at }) => at === null && one.isOpen),
      },
      {
        reason: 'judged not to matter in every version, so that no fix is needed',
        count: count(cases, ({ isJudgedAway }) => isJudgedAway),
      },
    ),
  }
}

const SHARES = [
  { measure: 'Half', of: ({ reached50 }: FleetTimes) => reached50 },
  { measure: 'Ninety', of: ({ reached90 }: FleetTimes) => reached90 },
  { measure: 'NinetyNine', of: ({ reached99 }: FleetTimes) => reached99 },
]

function deriveFleet({ period, fleet, fleetUnknown }: Facts): FigureParts {
  const cases = fleet.flatMap((one) =>
    SHARES.flatMap(({ measure, of }) => {
      const { vulnerabilityId, severity, publishedAt } = one
      const day = of(one)
      const at = day === null ? null : new Date(`${day}T00:00:00Z`)
      if (!isIn(period, at)) return []
      const since = new Date(`${publishedAt.toISOString().slice(0, 10)}T00:00:00Z`)
      const days = countDaysBetween(since, at)
      const about = { vulnerabilityId, severity, firmwareId: null, person: null, outcome: null }
      return [{ measure, ...about, since: publishedAt, at, days }]
    }),
  )
  const { undated, early, devices, strangers } = fleetUnknown
  return {
    cases,
    notCounted: say(
      {
        reason: 'still run by more than half of the devices that ran it',
        count: count(fleet, ({ reached50 }) => reached50 === null),
      },
      {
        reason: 'still run by more than a tenth of the devices that ran it',
        count: count(fleet, ({ reached90 }) => reached90 === null),
      },
      {
        reason: 'still run by more than 1 % of the devices that ran it',
        count: count(fleet, ({ reached99 }) => reached99 === null),
      },
      {
        reason: 'public before devices were counted here',
        count: early,
      },
      { reason: 'without a known day on which it became public', count: undated },
      {
        reason: `of ${devices} devices report no version that is known here: nothing is known of what they run`,
        count: strangers,
      },
    ),
  }
}

function deriveTargets(facts: Facts): FigureParts {
  const { period, cases } = facts
  const due = cases.map((one) => ({ one, ...findDue(one, facts) }))
  const isStated = ({ one, dueAt }: (typeof due)[number]) =>
    isIn(period, dueAt) && one.decidedAt === null && !isUndecided(one)
  const isGone = ({ one, dueAt }: (typeof due)[number]) =>
    isIn(period, dueAt) && isUndecided(one) && !one.isOpen
  return {
    cases: due.flatMap((each) => {
      const { one, dueAt, outcome } = each
      if (!isIn(period, dueAt) || isStated(each) || isGone(each)) return []
      const measure = isBefore(one.decidedAt, dueAt) ? 'Within' : 'Late'
      return [createCase(one, { measure, at: dueAt, outcome, person: one.decidedBy })]
    }),
    notCounted: say(
      {
        reason: 'detected in the period, with no target by severity or SSVC outcome',
        count: count(due, ({ one, dueAt }) => dueAt === null && isIn(period, one.detectedAt)),
      },
      {
        reason: 'decided by documents, the build or what was carried over alone',
        count: count(due, isStated),
      },
      {
        reason: 'ended before anybody decided, as records or the inventory changed',
        count: count(due, isGone),
      },
    ),
  }
}

function deriveVex({ period, cases, publishedSince }: Facts): FigureParts {
  const isKnown = ({ decidedAt }: Case) => decidedAt !== null && decidedAt >= publishedSince
  return {
    cases: cases.flatMap((one) =>
      isKnown(one) && one.decidedAt !== null && isIn(period, one.publishedAt)
        ? [createTimed(one, 'Published', one.publishedAt, one.decidedAt)]
        : [],
    ),
    notCounted: say(
      {
        reason: 'decided, and nobody fetched a VEX document of the version since',
        count: count(cases, (one) => isKnown(one) && one.publishedAt === null),
      },
      {
        reason:
          'decided in the period before the service kept who fetches VEX documents: it is not known',
        count: count(cases, (one) => isIn(period, one.decidedAt) && !isKnown(one)),
      },
    ),
  }
}

function deriveAcceptances({ period: { from, to }, acceptances }: Facts): FigureParts {
  return {
    cases: acceptances.flatMap((one) => {
      const { vulnerabilityId, firmwareId, owner: person, acceptedAt: since } = one
      const about = { vulnerabilityId, firmwareId, person, since, severity: null, outcome: null }
      const days = one.endedAt === null ? null : countDaysBetween(since, one.endedAt)
      return [
        ...(one.wasOpen ? [{ ...about, measure: 'OpenThen', at: from, days: null }] : []),
        ...(one.isOpen ? [{ ...about, measure: 'OpenNow', at: to, days: null }] : []),
        ...(one.endedAt === null ? [] : [{ ...about, measure: 'Ended', at: one.endedAt, days }]),
      ]
    }),
    notCounted: [],
  }
}

const deriveReopened = ({ period, cases }: Facts): FigureParts => ({
  cases: cases.flatMap((one) => [
    ...(isIn(period, one.returnedAt)
      ? [createCase(one, { measure: 'Returned', at: one.returnedAt })]
      : []),
    ...(isIn(period, one.reopenedAt)
      ? [createCase(one, { measure: 'Reopened', at: one.reopenedAt })]
      : []),
  ]),
  notCounted: [],
})

const deriveFalsePositives = ({ period, cases }: Facts): FigureParts => ({
  cases: cases.flatMap((one) => {
    if (!isIn(period, one.decidedAt)) return []
    const measure = one.decidedAs === 'FalsePositive' ? 'FalsePositive' : 'Other'
    const created = createTimed(one, measure, one.decidedAt)
    return [{ ...created, person: one.decidedBy }]
  }),
  notCounted: [],
})

export const DERIVE: Readonly<
  Record<Exclude<FigureId, 'openCritical'>, (facts: Facts) => FigureParts>
> = {
  timeToTriage: deriveTriage,
  timeToFix: deriveFixes,
  timeToFleet: deriveFleet,
  decidedWithinTarget: deriveTargets,
  timeToVex: deriveVex,
  acceptances: deriveAcceptances,
  reopened: deriveReopened,
  falsePositives: deriveFalsePositives,
}
