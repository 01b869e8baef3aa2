/** What the management port and the doctor say about backups. */
import { formatCountOf } from '../formats/counts.ts'
import { addMs, DAY_MS } from '../formats/instants.ts'
import type { AppContext } from '../platform/context.ts'
import { summariseFaults, type InstallationCheck } from '../platform/doctor/check.ts'
import type { Extra } from '../platform/management.ts'
import { readState } from './state-store.ts'

type State = Awaited<ReturnType<typeof readState>>

/** How old a backup may become that an operator, or a timer of the operator, takes. */
const OLD_WITHOUT_SCHEDULE_MS = 8 * DAY_MS

function decideStatus(
  { ageSeconds, error }: State,
  { to, everyMs }: AppContext['config']['backups'],
) {
  if (error !== null) return 'failing'
  if (ageSeconds === null) return 'never'
  // Two were left out.
  const oldMs = to === undefined ? OLD_WITHOUT_SCHEDULE_MS : 2 * everyMs
  return ageSeconds * 1_000 > oldMs ? 'old' : 'ok'
}

/** What is known of backups. `dueAt` is when the next one of the schedule is, undefined without a schedule. */
export async function readBackupHealth({ db, config }: Pick<AppContext, 'db' | 'config'>) {
  const state = await readState(db)
  const { to, everyMs } = config.backups
  const { scheduledAt, takenAt, ageSeconds, missingFiles, failedAt, error } = state
  const isScheduled = to !== undefined
  return {
    status: decideStatus(state, config.backups),
    isScheduled,
    takenAt,
    ageSeconds,
    missingFiles,
    failedAt,
    error,
    dueAt: isScheduled && scheduledAt ? addMs(scheduledAt, everyMs) : undefined,
  }
}

export function reportBackupHealth({ db, config }: Pick<AppContext, 'db' | 'config'>): Extra {
  const gauge = (name: string, help: string, valueOf: (state: State) => number | null) => ({
    name: `plimsoll_backup_${name}`,
    help,
    labelNames: [],
    values: async () => {
      const value = valueOf(await readState(db))
      return value === null ? [] : [{ labels: {}, value }]
    },
  })
  return {
    detail: 'backups',
    describe: () => readBackupHealth({ db, config }),
    gauges: [
      gauge(
        'last_success_seconds',
        'Instant of the last good backup, in seconds since 1970; absent: never',
        ({ takenAt }) => (takenAt === null ? null : takenAt.getTime() / 1_000),
      ),
      gauge(
        'age_seconds',
        'Seconds since the last good backup; absent: never',
        (state) => state.ageSeconds,
      ),
      gauge('duration_seconds', 'How long the last good backup took', ({ seconds }) => seconds),
      gauge(
        'content_bytes',
        'Bytes of the files of the last good backup',
        ({ contentBytes }) => contentBytes,
      ),
      gauge(
        'missing_files',
        'Files that could not be read for the last good backup',
        ({ missingFiles }) => missingFiles,
      ),
      gauge('failing', '1 when the last attempt failed', ({ error }) => Number(error !== null)),
      gauge(
        'overdue',
        '1 when none was ever taken, or two of the schedule were left out',
        (state) => Number(['never', 'old'].includes(decideStatus(state, config.backups))),
      ),
    ],
  }
}

async function findOldBackups({ db, config }: AppContext) {
  const state = await readState(db)
  const status = decideStatus(state, config.backups)
  const told = {
    ok: undefined,
    never: 'no backup was ever taken',
    old: `the last good backup was taken ${formatCountOf(Math.round((state.ageSeconds ?? 0) / 3_600), 'hour')} ago`,
    failing: `the last backup failed: ${state.error ?? ''}`,
  }[status]
  if (told === undefined) return summariseFaults([])
  // Others may back up the database by their own means.
  return config.backups.to === undefined ? summariseFaults([], [told]) : summariseFaults([told])
}

export const backupChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'backups',
    meaning: 'the last scheduled backup is good and not old',
    remedy: 'Take one now with `plimsoll-admin backup`; the log says why the scheduled one failed.',
    find: findOldBackups,
  },
]
