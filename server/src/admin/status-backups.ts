/** The line of `admin status` about backups. */
import { formatCountOf } from '../formats/counts.ts'
import { readBackupHealth } from '../backup/health.ts'
import { HOUR_MS, SECOND_MS } from '../formats/instants.ts'
import type { AppContext } from '../platform/context.ts'
import type { Line } from './status-line.ts'

type Health = Awaited<ReturnType<typeof readBackupHealth>>

export async function describeBackups(ctx: Pick<AppContext, 'db' | 'config'>): Promise<Line[]> {
  const health = await readBackupHealth(ctx)
  const parts = [lastGood(health), next(health), missing(health), failure(health)]
  const text = parts.filter((part) => part !== undefined).join('; ')
  // Others may back up the database by their own means.
  return [{ name: 'backups', text, isFault: health.isScheduled && health.status !== 'ok' }]
}

function lastGood({ takenAt, ageSeconds }: Health): string {
  if (!takenAt) return 'none was ever taken'
  const hours = Math.floor(((ageSeconds ?? 0) * SECOND_MS) / HOUR_MS)
  return `the last good one is of ${takenAt.toISOString()}, ${formatCountOf(hours, 'hour')} old`
}

function next({ isScheduled, status, dueAt }: Health): string {
  if (!isScheduled) return 'no schedule (PLIMSOLL_BACKUP_TO)'
  if (status === 'ok')
    return dueAt ? `the next is due ${dueAt.toISOString()}` : 'the next is due now'
  return dueAt ? `overdue since ${dueAt.toISOString()}` : 'overdue'
}

function missing({ missingFiles }: Health): string | undefined {
  if (missingFiles === null || missingFiles === 0) return undefined
  return `${formatCountOf(missingFiles, 'file')} could not be read for it`
}

function failure({ error, failedAt }: Health): string | undefined {
  if (error === null) return undefined
  return `failed ${failedAt?.toISOString() ?? ''}: ${error.split('\n')[0] ?? ''}`
}
