import { DAY_MINUTES } from '../../formats/instants.ts'

/** The hours of the day in which devices may begin an update. */
export interface MaintenanceWindow {
  /** `HH:MM`. When `until` is not later than `from`, the window ends on the next day. */
  from: string
  until: string
  /** The UTC offset of the devices: `+02:00`. */
  utcOffset: string
}

/** When the current window began; undefined outside the window. */
export function findWindowStart(window: MaintenanceWindow, now: Date): Date | undefined {
  const { from, until } = readWindow(window)
  const minute = Math.floor(now.getTime() / 60_000)
  const length = (until - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  const since = (((minute - from) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES
  return since < length ? new Date((minute - since) * 60_000) : undefined
}

export function isInWindow(window: MaintenanceWindow | null | undefined, now: Date): boolean {
  return !window || findWindowStart(window, now) !== undefined
}

/** The window in minutes of the day, in UTC. */
function readWindow({ from, until, utcOffset }: MaintenanceWindow): {
  from: number
  until: number
} {
  const sign = utcOffset.startsWith('-') ? -1 : 1
  const offset = sign * parseMinutes(utcOffset.slice(1))
  return { from: parseMinutes(from) - offset, until: parseMinutes(until) - offset }
}

function parseMinutes(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}
