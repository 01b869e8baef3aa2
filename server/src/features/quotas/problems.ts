import { AppError, type ErrorKind, type ProblemPages } from '../../platform/errors.ts'
import type { Quota } from './quotas.ts'

interface QuotaRefusal {
  quota: Quota
  limit: number
  used?: number
  /** When the window ends. */
  endsAt?: Date
  now?: Date
}

/** By what the caller can do: wait (429), delete something (413 for files, 403), or ask the operator. */
const REFUSALS: Record<Quota, { kind: ErrorKind; code: string; of: string }> = {
  storedBytes: { kind: 'tooLarge', code: 'quota-stored-bytes', of: 'bytes of SBOMs and artifacts' },
  devices: { kind: 'forbidden', code: 'quota-devices', of: 'devices' },
  metricSeries: { kind: 'forbidden', code: 'quota-metric-series', of: 'series of metrics' },
  apiRequestsPerHour: { kind: 'rateLimited', code: 'quota-requests', of: 'requests an hour' },
  logLinesPerDay: { kind: 'rateLimited', code: 'quota-log-lines', of: 'log lines a day' },
  deviceRegistrationsPerMinute: {
    kind: 'rateLimited',
    code: 'quota-device-registrations',
    of: 'new devices a minute with one key',
  },
  mailsPerHour: { kind: 'rateLimited', code: 'quota-mails', of: 'mails an hour' },
  webhookCallsPerHour: {
    kind: 'rateLimited',
    code: 'quota-webhook-calls',
    of: 'webhook calls an hour',
  },
  confirmationMailsPerHour: {
    kind: 'rateLimited',
    code: 'quota-confirmation-mails',
    of: 'mails an hour that ask to confirm an address',
  },
  invitationMailsPerHour: {
    kind: 'rateLimited',
    code: 'quota-invitation-mails',
    of: 'invitations by mail an hour',
  },
}

export function createRefusal({ quota, limit, used, endsAt, now }: QuotaRefusal): AppError {
  const { kind, code, of } = REFUSALS[quota]
  const has = used === undefined ? '' : ` It has ${used}.`
  const error = new AppError(
    kind,
    code,
    `The workspace may have ${limit} ${of} (${quota}).${has} Nothing was stored.`,
  )
  if (endsAt && now)
    error.retryAfterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1_000))
  return error
}

const ASK = 'GET …/usage (plimsoll usage) shows limits and usage; the operator changes limits.'

export const quotaProblems: ProblemPages = {
  'quota-stored-bytes': {
    title: 'The workspace has no room for the file',
    advice: `Delete SBOMs, artifacts or firmware versions that are not needed. ${ASK}`,
  },
  'quota-devices': {
    title: 'The workspace has all devices it may have',
    advice: `Delete devices that are gone. ${ASK}`,
  },
  'quota-requests': {
    title: 'The workspace made all requests of this hour',
    advice: `Try again after the seconds in Retry-After. ${ASK}`,
  },
  'quota-device-registrations': {
    title: 'Too many new devices registered with this key within a minute',
    advice: `The device tries again after the seconds in Retry-After. Devices that are registered already are not held up. ${ASK}`,
  },
  'quota-mails': {
    title: 'The workspace sent all mails of this hour',
    advice: `Try again after the seconds in Retry-After. ${ASK}`,
  },
  'quota-confirmation-mails': {
    title: 'Too many addresses were asked to confirm within an hour',
    advice: `Try again after the seconds in Retry-After, so that nobody is flooded with mails they never asked for. ${ASK}`,
  },
  'quota-invitation-mails': {
    title: 'Too many people were invited by mail within an hour',
    advice: `Try again after the seconds in Retry-After, or copy the link of an invitation instead of sending it. ${ASK}`,
  },
}
