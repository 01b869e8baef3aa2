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
  invitationMailsPerHour: HOUR_MS,
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

/**
 * Limits of a workspace that has none of its own: a real team never meets them, a flood does. The one of `metricSeries` is a
 * setting.
 */
export const USUAL_LIMITS: Readonly<Record<Exclude<Quota, 'metricSeries'>, number>> = {
  // A thousand images of a gibibyte; at 100 MB a second reached within three hours.
  storedBytes: 1024 ** 4,
  // What one PostgreSQL serves (docs/guide/scale-out.md).
  devices: 1_000_000,
  // 555 a second for a whole hour, more than two cores answer beside their other work. A page of the portal asks some dozen.
  apiRequestsPerHour: 2_000_000,
  // 1,000 lines of each of 100,000 devices, with indexes 35 GB; the service stores as many within 25 minutes.
  logLinesPerDay: 100_000_000,
  // Of one key. A fleet of 100,000 is in within nine minutes, as devices try again; a stolen key needs 83 for its million.
  deviceRegistrationsPerMinute: 12_000,
  // What leaves the installation reaches people and servers that cannot defend themselves.
  mailsPerHour: 1_000,
  webhookCallsPerHour: 10_000,
  confirmationMailsPerHour: 30,
  invitationMailsPerHour: 60,
}

/** Stands for no limit in the database: the largest number that a double holds exactly. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Who uses a share like this is warned. */
export const WARNING_SHARE = 0.8

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
