/** The life of a device update, drawn in docs/guide/deployments.md: every event, and what it makes of every state. */

export const UPDATE_STATES = ['pending', 'inProgress', 'succeeded', 'failed', 'cancelled'] as const
export type UpdateState = (typeof UPDATE_STATES)[number]

export interface UpdateStanding {
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
  cancelAnnounced: boolean
}

/** What the deployment grants its devices. */
export interface UpdateTerms {
  startDeadlineSeconds: number
  deviceDeadlineSeconds: number
  maxAttempts: number
}

export type UpdateEvent =
  /** The device says it works on it. */
  | { type: 'started'; progress: number | null }
  /** It says it is done; that it runs the new version is for its next run to tell. */
  | { type: 'installed'; runId: string | null }
  | { type: 'gaveUp'; reason: string }
  /** It reports every version of the deployment; `unconfirmed`: its client's word is all there is. */
  | { type: 'runsTarget'; unconfirmed: boolean }
  /** It reports another version; a run that is not known to be another than that of the installation tells nothing. */
  | { type: 'runsOther'; runId: string | null; isAnyRun: boolean; running: string }
  | { type: 'deadlinePassed' }

const DAY_MS = 86_400_000
/** How long a device is told that its update was cancelled. */
export const CANCEL_NOTICE_MS = 7 * DAY_MS

/** undefined: the event changes nothing. A higher `attempt` asks for a new update id. */
export function afterEvent(
  update: UpdateStanding,
  event: UpdateEvent,
  { terms, now }: { terms: UpdateTerms; now: Date },
): UpdateStanding | undefined {
  switch (event.type) {
    case 'started':
      return started(update, event.progress, { terms, now })
    case 'installed':
      return installed(update, event.runId, { terms, now })
    case 'gaveUp':
      if (isOpen(update)) return failedOrAgain(update, event.reason, { terms, now })
      return stopped(update)
    case 'runsTarget':
      return runsTarget(update, event.unconfirmed, now)
    case 'runsOther':
      return runsOther(update, event, { terms, now })
    case 'deadlinePassed':
      return deadlinePassed(update, { terms, now })
  }
}

interface Circumstances {
  terms: UpdateTerms
  now: Date
}

function isOpen({ state }: Pick<UpdateStanding, 'state'>): boolean {
  return state === 'pending' || state === 'inProgress'
}

function started(
  update: UpdateStanding,
  progress: number | null,
  { terms, now }: Circumstances,
): UpdateStanding | undefined {
  if (update.state === 'cancelled') return toldAgain(update, now)
  if (!isOpen(update)) return undefined
  const startedAt = update.startedAt ?? now
  const deadlineAt = new Date(startedAt.getTime() + terms.deviceDeadlineSeconds * 1000)
  const next: UpdateStanding = {
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
  update: UpdateStanding,
  runId: string | null,
  circumstances: Circumstances,
): UpdateStanding | undefined {
  if (!isOpen(update)) return stopped(update)
  if (update.installedAt) return undefined
  const begun = started(update, 100, circumstances) ?? update
  return { ...begun, installedAt: circumstances.now, installedRunId: runId }
}

/** The device works on what was cancelled: it missed the notice, or was asked just before. */
function toldAgain(update: UpdateStanding, now: Date): UpdateStanding | undefined {
  const isRecent =
    update.finishedAt !== null && now.getTime() - update.finishedAt.getTime() < CANCEL_NOTICE_MS
  return isRecent && !update.cancelAnnounced ? { ...update, cancelAnnounced: true } : undefined
}

function stopped(update: UpdateStanding): UpdateStanding | undefined {
  return update.cancelAnnounced ? { ...update, cancelAnnounced: false } : undefined
}

function runsTarget(
  update: UpdateStanding,
  unconfirmed: boolean,
  now: Date,
): UpdateStanding | undefined {
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
  update: UpdateStanding,
  { runId, isAnyRun, running }: UpdateEvent & { type: 'runsOther' },
  circumstances: Circumstances,
): UpdateStanding | undefined {
  const reason = `fell back to ${running}`
  if (update.state === 'succeeded') return failed(update, reason, circumstances.now)
  if (update.state !== 'inProgress' || update.installedAt === null) return undefined
  const isLaterRun = isAnyRun || (runId !== null && runId !== update.installedRunId)
  return isLaterRun ? failedOrAgain(update, reason, circumstances) : undefined
}

function deadlinePassed(
  update: UpdateStanding,
  { terms, now }: Circumstances,
): UpdateStanding | undefined {
  if (!isOpen(update) || update.deadlineAt === null || update.deadlineAt > now) return undefined
  if (update.state === 'pending') return failed(update, 'did not begin in time', now)
  const reason = update.installedAt
    ? 'did not come back with the new version in time'
    : 'did not finish in time'
  return failedOrAgain(update, reason, { terms, now })
}

function failed(update: UpdateStanding, reason: string, now: Date): UpdateStanding {
  return { ...update, state: 'failed', reason, finishedAt: now, deadlineAt: null }
}

function failedOrAgain(
  update: UpdateStanding,
  reason: string,
  { terms, now }: Circumstances,
): UpdateStanding {
  if (update.attempt >= terms.maxAttempts) return failed(update, reason, now)
  return {
    ...update,
    state: 'pending',
    attempt: update.attempt + 1,
    // Why there is another attempt.
    reason,
    progress: null,
    startedAt: null,
    installedAt: null,
    installedRunId: null,
    deadlineAt: new Date(now.getTime() + terms.startDeadlineSeconds * 1000),
  }
}
