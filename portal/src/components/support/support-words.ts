/** Ends of support in words. */
import type { SupportChange, SupportEntry, VersionSupport } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'
import { formatCalendarDay } from '../../format/dates.ts'
import type { Tone } from '../tag.tsx'

export function pickTone({ state, endsBeforePromise }: SupportEntry): Tone {
  if (state === 'Ended') return 'danger'
  if (state === 'NotKnown' || endsBeforePromise) return 'warn'
  return 'ok'
}

export function describeEnd(entry: SupportEntry): string {
  const { state, endsOn, extendedEndsOn, endsBeforePromise } = entry
  const extended =
    extendedEndsOn === null ? '' : `, extended until ${formatCalendarDay(extendedEndsOn)}`
  if (state === 'Ended')
    return endsOn === null
      ? `out of support${extended}`
      : `out since ${formatCalendarDay(endsOn)}${extended}`
  if (state === 'NotKnown') return 'not known'
  if (state === 'NoEndPlanned') return 'no end planned'
  const end = endsOn === null ? '' : formatCalendarDay(endsOn)
  return `until ${end}${endsBeforePromise ? ', before the promise' : ''}${extended}`
}

const MOST_NAMED = 3

export function describeComponents({ components, componentCount }: SupportEntry): string {
  const named = components
    .slice(0, MOST_NAMED)
    .map(({ name, version }) => `${name} ${version ?? ''}`.trim())
  const rest = componentCount - named.length
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
}

/** What the whole version comes to, with what is not known. */
export function describeSupport({
  counts,
  deviceCount,
  supportEndsOn,
  day,
}: VersionSupport): string {
  const { ended, endingBeforePromise, notKnown, notListed } = counts
  const devices = `the version runs on ${formatCountOf(deviceCount, 'device')}`
  const promise =
    supportEndsOn === null
      ? ''
      : ` Support is promised until ${formatCalendarDay(supportEndsOn)}; that of ${formatCountOf(endingBeforePromise, 'component')} ends before.`
  return `${formatCountOf(ended, 'component')} out of support on ${formatCalendarDay(day)}; ${devices}.${promise} Not known: ${formatCountOf(notKnown + notListed, 'component')}.`
}

/** What a comparison says of support; undefined: nothing changes that is known. */
export function describeSupportChange({
  withinDays,
  brought,
  left,
}: SupportChange): string | undefined {
  const said = [
    describeChanged(brought, withinDays, 'Brings'),
    describeChanged(left, withinDays, 'Leaves behind'),
  ].filter((text) => text !== undefined)
  return said.length === 0 ? undefined : said.join('. ')
}

function describeChanged(
  { endedCount, endingCount }: SupportChange['brought'],
  days: number,
  verb: string,
): string | undefined {
  const parts = [
    endedCount > 0 && `${formatCountOf(endedCount, 'component')} out of support`,
    endingCount > 0 &&
      `${formatCountOf(endingCount, 'component')} whose support ends within ${formatCountOf(days, 'day')}`,
  ].filter((text) => text !== false)
  return parts.length === 0 ? undefined : `${verb} ${parts.join(' and ')}`
}
