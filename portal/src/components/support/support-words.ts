/** Ends of support in words. */
import type {
  SupportChange,
  SupportEntry,
  SupportState,
  VersionSupport,
} from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'
import { formatCalendarDay } from '../../format/dates.ts'
import type { Tone } from '../tag.tsx'

export function pickTone({ state, endsBeforePromise }: SupportEntry): Tone {
  if (state === 'Ended') return 'danger'
  if (state === 'NotKnown' || endsBeforePromise) return 'warn'
  return 'ok'
}

export const STATE_TONES: Record<SupportState, Tone> = {
  Ended: 'danger',
  Ending: 'ok',
  NoEndPlanned: 'ok',
  NotKnown: 'warn',
}

export function describeState(state: SupportState, endsOn: string | null): string {
  if (state === 'NotKnown') return 'not known'
  if (state === 'NoEndPlanned') return 'no end planned'
  if (state === 'Ended')
    return endsOn === null ? 'out of support' : `out since ${formatCalendarDay(endsOn)}`
  return `until ${endsOn === null ? '' : formatCalendarDay(endsOn)}`
}

export function describeEnd(entry: SupportEntry): string {
  const { state, endsOn, extendedEndsOn, endsBeforePromise } = entry
  const extended =
    extendedEndsOn === null ? '' : `, extended until ${formatCalendarDay(extendedEndsOn)}`
  const promise = endsBeforePromise ? ', before the promise' : ''
  const isKnown = state === 'Ended' || state === 'Ending'
  return describeState(state, endsOn) + (isKnown ? promise + extended : '')
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
      ? ' Nobody has stated until when it is supported.'
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
