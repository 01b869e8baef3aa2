/** Did a fix land? What the days say, in words. */
import type { Exposure } from '@plimsoll/api-client'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'

type Day = Exposure['days'][number]

/** `what`: "CVE-2021-44228", "known-exploited vulnerabilities". */
export function describeUptake(
  days: readonly Day[],
  { what, countIn }: { what: string; countIn: (day: Day) => number },
): string {
  const last = days.at(-1)
  if (!last) return 'No device has reported what it runs in these days.'
  const now = countIn(last)
  const peak = days.reduce((most, day) => (countIn(day) > countIn(most) ? day : most), last)
  const most = countIn(peak)
  if (most === 0) return `No device ran ${what} in these days.`
  const were = peak === last ? '' : ` The most were ${formatCount(most)}, on ${dateOf(peak)}.`
  if (now > 0)
    return `${formatCount(now)} of ${formatCountOf(last.deviceCount, 'device')} ${now === 1 ? 'runs' : 'run'} ${what} now.${were}`
  const lastWith = days.findLast((day) => countIn(day) > 0)
  const since = days[days.findIndex((day) => day === lastWith) + 1] ?? last
  return `The fix landed: since ${dateOf(since)} no device runs ${what}.${were}`
}

const dateOf = ({ day }: Day) => formatDate(`${day}T12:00:00Z`)
