/** What was said of an accepted risk, in words. */
import type { RiskAcceptance } from '@plimsoll/api-client'
import { formatCountOf, formatPercent } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'

type Conditions = RiskAcceptance['conditions']
type EndCause = NonNullable<RiskAcceptance['ended']>['causes'][number]

/** "exploited, EPSS above 10 %" */
export function listConditions(conditions: Conditions): string[] {
  const { knownExploited, epssAbove, devicesAbove, fixAvailable } = conditions
  return [
    knownExploited && 'it is known to be exploited',
    epssAbove !== null && `its EPSS score is above ${formatPercent(epssAbove)}`,
    devicesAbove !== null && `more than ${formatCountOf(devicesAbove, 'device')} run it`,
    fixAvailable && 'a fix appears',
  ].filter((text) => text !== false)
}

/** "Ends on 1 Mar 2027, or as soon as it is known to be exploited." */
export function describeEnds(until: string | null, conditions: Conditions): string {
  const sooner = listConditions(conditions)
  const last = sooner.length > 1 ? ` or ${sooner.at(-1) ?? ''}` : (sooner[0] ?? '')
  const any = sooner.slice(0, -1).join(', ') + last
  if (until === null && any === '') return 'Nothing ends it by itself.'
  if (until === null) return `Ends as soon as ${any}.`
  return `Ends on ${formatDate(until)}${any === '' ? '' : `, or as soon as ${any}`}.`
}

const CAUSES: Record<EndCause, string> = {
  Time: 'its time was over',
  KnownExploited: 'it is known to be exploited',
  EpssAbove: 'its EPSS score passed the bound',
  DevicesAbove: 'more devices run it than was said',
  FixAvailable: 'a fix appeared',
  Person: 'a person ended it',
}

/** "its time was over and a fix appeared" */
export const describeCauses = (causes: readonly EndCause[]): string =>
  causes.map((cause) => CAUSES[cause]).join(' and ')

/** "accepted until 1 Mar 2027, by ann@example.com" */
export function describeAccepted({ until, acceptedByEmail, owner }: RiskAcceptance): string {
  const end = until === null ? '' : ` until ${formatDate(until)}`
  const by = acceptedByEmail === null ? '' : ` by ${acceptedByEmail}`
  const other = owner && owner.email !== acceptedByEmail ? `; ${owner.email} looks after it` : ''
  return `accepted${end}${by}${other}`
}
