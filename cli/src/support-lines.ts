/** Says in a line until when components get fixes, and in another one which licences may not ship. */
import type { LicenceCounts, SupportSummary, VersionSupport } from '../../api-client/src/index.ts'
import { formatCount } from './print.ts'

const MOST_NAMED = 3

export function describeSupport(support: SupportSummary): string {
  const { endedCount, endingCount, notKnownCount, withinDays, ended } = support
  const named = ended
    .slice(0, MOST_NAMED)
    .map(({ label, cycle }) => (cycle === null ? label : `${label} ${cycle}`))
  const names = [...named, ...(ended.length > MOST_NAMED ? ['…'] : [])].join(', ')
  const out = `${formatCount(endedCount, 'component')} out of support${names === '' ? '' : ` (${names})`}`
  return `${out}, ${endingCount} more within ${formatCount(withinDays, 'day')}, not known of ${notKnownCount}.`
}

export function describeLicences(licences: LicenceCounts): string {
  const { denied, unknown, notListed } = licences
  return `${formatCount(denied, 'component')} with a denied licence, ${unknown} with an unknown one, ${notListed} with one that is not listed.`
}

const SOON_DAYS = 90
const DAY_MS = 86_400_000

/** The same of a version, whose entries are all there. */
export function sumSupport({ day, entries, counts }: VersionSupport): SupportSummary {
  const soon = new Date(Date.parse(day) + SOON_DAYS * DAY_MS).toISOString().slice(0, 10)
  const ending = entries.filter(
    ({ state, endsOn }) => state === 'Ending' && endsOn !== null && endsOn <= soon,
  )
  return {
    withinDays: SOON_DAYS,
    endedCount: counts.ended,
    endingCount: ending.reduce((sum, { componentCount }) => sum + componentCount, 0),
    notKnownCount: counts.notKnown + counts.notListed,
    ended: entries.filter(({ state }) => state === 'Ended'),
  }
}
