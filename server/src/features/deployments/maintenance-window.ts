/** The hours of the day in which devices may begin an update. */
export interface MaintenanceWindow {
  /** `HH:MM`; the window ends on the next day when `until` is not later. */
  from: string
  until: string
  /** Of the devices: `+02:00`. */
  utcOffset: string
}

const DAY = 24 * 60

/** When the window that `now` is in began; undefined outside of it. */
export function windowBegan(window: MaintenanceWindow, now: Date): Date | undefined {
  const { from, until } = readWindow(window)
  const minute = Math.floor(now.getTime() / 60_000)
  const length = (until - from + DAY) % DAY || DAY
  const since = (((minute - from) % DAY) + DAY) % DAY
  return since < length ? new Date((minute - since) * 60_000) : undefined
}

export function isInWindow(window: MaintenanceWindow | null | undefined, now: Date): boolean {
  return !window || windowBegan(window, now) !== undefined
}

/** In minutes of the day, UTC. */
function readWindow({ from, until, utcOffset }: MaintenanceWindow): {
  from: number
  until: number
} {
  const sign = utcOffset.startsWith('-') ? -1 : 1
  const offset = sign * minutesOf(utcOffset.slice(1))
  return { from: minutesOf(from) - offset, until: minutesOf(until) - offset }
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}
