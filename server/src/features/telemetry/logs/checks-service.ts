/** What `admin doctor` examines of stretches of log lines: a line that no stretch has would be found by no search. */
import { formatCountOf } from '../../../formats/counts.ts'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import {
  type CheckFaults,
  type ExamineOptions,
  summariseFaults,
  readSnapshot,
  type WorkspaceCheck,
} from '../../../platform/doctor/check.ts'
import { hasStretchesBefore, listHoursWithUnreadLines, markHours } from './stretches-store.ts'

const SAMPLED_HOURS = 48

const chooseBegin = ({ now }: AppContext, { isDeep }: ExamineOptions) =>
  isDeep ? undefined : addMs(now(), -SAMPLED_HOURS * HOUR_MS)

async function findUnreadLines(
  ctx: AppContext,
  workspaceId: string,
  options: ExamineOptions,
): Promise<CheckFaults> {
  const since = chooseBegin(ctx, options)
  const { hours, isSample } = await readSnapshot(ctx, async (db) => ({
    hours: await listHoursWithUnreadLines(db, workspaceId, since),
    isSample: since !== undefined && (await hasStretchesBefore(db, workspaceId, since)),
  }))
  return summariseFaults(
    hours.map(
      ({ hour, unread }) =>
        `${formatCountOf(unread, 'log line')} of the hour ${hour.toISOString()} would be found by no search for a text`,
    ),
    isSample ? [`log lines before ${since?.toISOString()}: --deep counts all`] : [],
  )
}

async function markUnreadHours(ctx: AppContext, workspaceId: string): Promise<void> {
  const hours = await listHoursWithUnreadLines(ctx.db, workspaceId, undefined)
  const marks = hours.map(({ hour }) => ({ hour, readyAt: ctx.now() }))
  await ctx.db.transaction().execute((tx) => markHours(tx, workspaceId, marks))
}

export const logChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'log-stretches',
    meaning: 'searches of log lines skip none that they could find',
    find: findUnreadLines,
    repair: markUnreadHours,
  },
]
