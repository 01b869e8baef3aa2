/** What workspaces are limited in. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../formats/instants.ts'

/** What is there at a time. It becomes less when something is deleted. */
const KEPT_QUOTAS = ['storedBytes', 'devices', 'metricSeries'] as const
export type KeptQuota = (typeof KEPT_QUOTAS)[number]

/** What happens within a time, by the clock (UTC). */
const WINDOW_MS = {
  apiRequestsPerHour: HOUR_MS,
  logLinesPerDay: DAY_MS,
  deviceRegistrationsPerMinute: MINUTE_MS,
  mailsPerHour: HOUR_MS,
  webhookCallsPerHour: HOUR_MS,
  confirmationMailsPerHour: HOUR_MS,
} as const
export type WindowQuota = keyof typeof WINDOW_MS

export type Quota = KeptQuota | WindowQuota
export const QUOTAS: readonly Quota[] = [
  ...KEPT_QUOTAS,
  ...(Object.keys(WINDOW_MS) as WindowQuota[]),
]

export function isWindowQuota(quota: Quota): quota is WindowQuota {
  return quota in WINDOW_MS
}

/** Stands for no limit in the database: the largest number that a double holds exactly. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Who uses a share like this is warned. */
const WARNING_SHARE = 0.8

export function isNear(used: number, limit: number | null): boolean {
  return limit !== null && used >= limit * WARNING_SHARE
}

export interface Window {
  beganAt: Date
  endsAt: Date
}

export function findWindow(quota: WindowQuota, at: Date): Window {
  const length = WINDOW_MS[quota]
  const began = Math.floor(at.getTime() / length) * length
  return { beganAt: new Date(began), endsAt: new Date(began + length) }
}

/**
 * How many requests a node takes for itself at once, so that not each of them writes to the database: at most a hundredth
 * of the limit.
 */
export function computeRequestsAtOnce(limit: number | null): number {
  return limit === null ? 100 : Math.min(100, Math.max(1, Math.floor(limit / 100)))
}
