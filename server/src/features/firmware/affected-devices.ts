/** How many devices report a firmware version, and how long ago they were seen. */

/** As fields of an answer; a device is in one of the four groups. */
export interface AffectedDevices {
  affectedDeviceCount: number
  affectedDevices: { runningNow: number; seenLastDay: number; seenLastWeek: number; older: number }
}

export const NO_AFFECTED_DEVICES: AffectedDevices = {
  affectedDeviceCount: 0,
  affectedDevices: { runningNow: 0, seenLastDay: 0, seenLastWeek: 0, older: 0 },
}

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
const WEEK_HOURS = 7 * DAY_HOURS

/** The first hours of the windows, counted since 1970. */
export function seenWindows(now: Date): { day: number; week: number } {
  const hour = Math.floor(now.getTime() / HOUR_MS)
  return { day: hour - DAY_HOURS, week: hour - WEEK_HOURS }
}
