/** The state machine of a device update: what each event does in each state (docs/guide/deployments.md). */
import { addMs, DAY_MS, SECOND_MS } from '../../../formats/instants.ts'

export const UPDATE_STATES = ['pending', 'inProgress', 'succeeded', 'failed', 'cancelled'] as const
export type UpdateState = (typeof UPDATE_STATES)[number]

/**
 * What a device is to a deployment, by what it reports; where it does not report the versions, by its update. In this order: those
 * under way, then those that have ended.
 */
export const DEVICE_STATES = [
  'reporting',
  'installing',
  'failed',
  'waiting',
  'cancelled',
  'movedOn',
  'left',
] as const
export type DeviceState = (typeof DEVICE_STATES)[number]
export type DeviceStateCounts = Record<DeviceState, number>

export interface UpdateStatus {
  state: UpdateState
  attempt: number
  reason: string | null
  /** Percent. */
  progress: number | null
  startedAt: Date | null
  installedAt: Date | null
  installedRunId: string | null
  finishedAt: Date | null
  deadlineAt: Date | null
  unconfirmed: boolean
  cancelOffered: boolean
}

/** The deadlines and attempts that the deployment allows. */
export interface UpdateLimits {
  startDeadlineSeconds: number
  deviceDeadlineSeconds: number
  maxAttempts: number
}

export type UpdateEvent =
  /** The device reports that it works on the update. */
  | { type: 'started'; progress: number | null }
  /** The device reports that it has installed the update. Only its next run shows whether it runs the new versions. */
  | { type: 'installed'; runId: string | null }
  | { type: 'gaveUp'; reason: string }
  /** The device runs all versions of the deployment. `unconfirmed`: only the client's success report says so. */
  | { type: 'runsTarget'; unconfirmed: boolean }
  /** The device runs another version. Proves a fallback only if this is not the run that installed the update. */
  | { type: 'runsOther'; runId: string | null; isAnyRun: boolean; running: string }
  | { type: 'deadlinePassed' }

/** How long a device is notified that its update was cancelled. */
export const CANCEL_NOTICE_MS = 7 * DAY_MS

/** undefined: the event changes nothing. A higher `attempt` needs a new update id. */
export function applyUpdateEvent(
  update: UpdateStatus,
  event: UpdateEvent,
  { limits, now }: { limits: UpdateLimits; now: Date },
): UpdateStatus | undefined {
  switch (event.type) {
    case 'started':
      return started(update, event.progress, { limits, now })
    case 'installed':
      return installed(update, event.runId, { limits, now })
    case 'gaveUp':
      if (isOpen(update)) return failOrRetry(update, event.reason, { limits, now })
      return endCancelNotice(update)
    case 'runsTarget':
      return runsTarget(update, event.unconfirmed, now)
    case 'runsOther':
      return runsOther(update, event, { limits, now })
    case 'deadlinePassed':
      return deadlinePassed(update, { limits, now })
  }
}

interface Circumstances {
  limits: UpdateLimits
  now: Date
}

function isOpen({ state }: Pick<UpdateStatus, 'state'>): boolean {
  return state === 'pending' || state === 'inProgress'
}

function started(
  update: UpdateStatus,
  progress: number | null,
  { limits, now }: Circumstances,
): UpdateStatus | undefined {
  if (update.state === 'cancelled') return repeatCancelNotice(update, now)
  if (!isOpen(update)) return undefined
  const startedAt = update.startedAt ?? now
  const deadlineAt = addMs(startedAt, limits.deviceDeadlineSeconds * SECOND_MS)
  const next: UpdateStatus = {
    ...update,
    state: 'inProgress',
    progress: progress ?? update.progress,
    startedAt,
    deadlineAt,
  }
  const isNews = update.state !== next.state || update.progress !== next.progress
  return isNews ? next : undefined
}

function installed(
  update: UpdateStatus,
  runId: string | null,
  circumstances: Circumstances,
): UpdateStatus | undefined {
  if (!isOpen(update)) return endCancelNotice(update)
  if (update.installedAt) return undefined
  const base = started(update, 100, circumstances) ?? update
  return { ...base, installedAt: circumstances.now, installedRunId: runId }
}

/** The device works on a cancelled update: it missed the notice or began just before. */
function repeatCancelNotice(update: UpdateStatus, now: Date): UpdateStatus | undefined {
  const isRecent =
    update.finishedAt !== null && now.getTime() - update.finishedAt.getTime() < CANCEL_NOTICE_MS
  return isRecent && !update.cancelOffered ? { ...update, cancelOffered: true } : undefined
}

function endCancelNotice(update: UpdateStatus): UpdateStatus | undefined {
  return update.cancelOffered ? { ...update, cancelOffered: false } : undefined
}

function runsTarget(
  update: UpdateStatus,
  unconfirmed: boolean,
  now: Date,
): UpdateStatus | undefined {
  if (update.state === 'cancelled') return undefined
  if (update.state === 'succeeded')
    return update.unconfirmed && !unconfirmed ? { ...update, unconfirmed } : undefined
  return {
    ...update,
    state: 'succeeded',
    reason: null,
    progress: 100,
    finishedAt: now,
    deadlineAt: null,
    unconfirmed,
  }
}

function runsOther(
  update: UpdateStatus,
  { runId, isAnyRun, running }: UpdateEvent & { type: 'runsOther' },
  circumstances: Circumstances,
): UpdateStatus | undefined {
  const reason = `fell back to ${running}`
  if (update.state === 'succeeded') return fail(update, reason, circumstances.now)
  if (update.state !== 'inProgress' || update.installedAt === null) return undefined
  const isLaterRun = isAnyRun || (runId !== null && runId !== update.installedRunId)
  return isLaterRun ? failOrRetry(update, reason, circumstances) : undefined
}

function deadlinePassed(
  update: UpdateStatus,
  { limits, now }: Circumstances,
): UpdateStatus | undefined {
  if (!isOpen(update) || update.deadlineAt === null || update.deadlineAt > now) return undefined
  if (update.state === 'pending') return fail(update, 'did not begin in time', now)
  const reason = update.installedAt
    ? 'did not come back with the new version in time'
    : 'did not finish in time, and said no more: the log of its client may say why'
  return failOrRetry(update, reason, { limits, now })
}

function fail(update: UpdateStatus, reason: string, now: Date): UpdateStatus {
  return { ...update, state: 'failed', reason, finishedAt: now, deadlineAt: null }
}

function failOrRetry(
  update: UpdateStatus,
  reason: string,
  { limits, now }: Circumstances,
): UpdateStatus {
  if (update.attempt >= limits.maxAttempts) return fail(update, reason, now)
  return {
    ...update,
    state: 'pending',
    attempt: update.attempt + 1,
    // Says why the previous attempt failed.
    reason,
    progress: null,
    startedAt: null,
    installedAt: null,
    installedRunId: null,
    deadlineAt: addMs(now, limits.startDeadlineSeconds * SECOND_MS),
  }
}
