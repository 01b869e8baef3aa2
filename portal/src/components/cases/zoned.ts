/** Instants in the zone of a manufacturer, as the reader's locale writes them, and in UTC. */
import { LOCALE } from '../../format/locale.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** "Tue 3 Nov 2026, 22:40 (Europe/Berlin)". A zone that the browser does not know is left out. */
export function formatZoned(instant: string, timeZone: string): string | undefined {
  const format = findFormat(timeZone)
  return format && `${format.format(new Date(instant))} (${timeZone})`
}

function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(timeZone)
  if (known) return known
  try {
    const made = new Intl.DateTimeFormat(LOCALE, {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
    })
    formats.set(timeZone, made)
    return made
  } catch {
    return undefined
  }
}
