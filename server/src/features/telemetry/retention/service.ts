/** Workers create the partitions of metrics and logs ahead of time, and delete what is older than the retention. */
import { countDays, startOfDay } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { isLockBusy } from '../../../platform/db/failures.ts'
import { giveBack } from '../../quotas/index.ts'
import * as partitions from './partitions-store.ts'
import * as store from './store.ts'
import { findMax } from '../../../formats/extremes.ts'

type MaintenanceContext = Pick<AppContext, 'db' | 'log' | 'now'>

/** Several workers may do this at the same time. */
export async function maintainTelemetry(ctx: MaintenanceContext): Promise<void> {
  await createPartitions(ctx)
  const retentions = await store.listRetentions(ctx.db)
  for (const table of partitions.PARTITIONED) await deleteExpired(ctx, table, retentions)
  await dropPackedDays(ctx, retentions)
  for (const retention of retentions) await deleteUnusedKeys(ctx, retention)
}

const DAYS_AHEAD = 7

/** For the coming week, and for rows that came before their day had one. */
export async function createPartitions(ctx: MaintenanceContext): Promise<void> {
  for (const table of partitions.PARTITIONED) await createTablePartitions(ctx, table)
}

async function createTablePartitions(
  ctx: MaintenanceContext,
  table: partitions.PartitionedTable,
): Promise<void> {
  const existing = new Set(await partitions.listPartitionDays(ctx.db, table))
  const today = countDays(ctx.now())
  const ahead = Array.from({ length: DAYS_AHEAD + 2 }, (_, at) => today - 1 + at)
  const wanted = new Set([...ahead, ...(await partitions.listDefaultPartitionDays(ctx.db, table))])
  const missing = [...wanted].filter((day) => !existing.has(day))
  await unlessLocked(ctx, { table, days: missing }, partitions.createPartition)
}

/** The last day that is older than the retention as a whole. */
function lastExpired(now: Date, retentionDays: number): number {
  return countDays(now) - retentionDays - 1
}

const RETENTION = {
  metric_points: 'metricRetentionDays',
  metric_packed_hours: 'metricRetentionDays',
  metric_hours: 'metricHourRetentionDays',
  metric_packed_days: 'metricHourRetentionDays',
  device_logs: 'logRetentionDays',
  device_log_stretches: 'logRetentionDays',
} as const

/**
 * Workspaces share partitions. A partition is dropped when it is too old for all workspaces; before that, the rows of
 * each workspace are deleted when they are too old for it.
 */
async function deleteExpired(
  ctx: MaintenanceContext,
  table: partitions.PartitionedTable,
  retentions: readonly store.Retention[],
): Promise<void> {
  if (retentions.length === 0) return
  const daysOf = (one: store.Retention) => one[RETENTION[table]]
  const days = await partitions.listPartitionDays(ctx.db, table)
  const lastOfAll = lastExpired(ctx.now(), findMax(retentions.map(daysOf)))
  const expired = days.filter((day) => day <= lastOfAll)
  await unlessLocked(ctx, { table, days: expired }, partitions.dropPartition)
  for (const day of days.filter((one) => one > lastOfAll)) {
    const over = retentions.filter((one) => day <= lastExpired(ctx.now(), daysOf(one)))
    const ids = over.map(({ workspaceId }) => workspaceId)
    await deleteTableDay(ctx, { table, day }, ids)
  }
}

/** Sums of hours were packed, and no late points of the day come any more: these have to be as young as points are kept. */
async function dropPackedDays(
  ctx: MaintenanceContext,
  retentions: readonly store.Retention[],
): Promise<void> {
  if (retentions.length === 0) return
  const longest = findMax(retentions.map(({ metricRetentionDays }) => metricRetentionDays))
  const last = lastExpired(ctx.now(), longest)
  const days = await partitions.listPartitionDays(ctx.db, 'metric_hours')
  const over = days.filter((day) => day <= last)
  await unlessLocked(ctx, { table: 'metric_hours', days: over }, partitions.dropIfEmpty)
}

/** Looks for the workspaces that have rows one by one, as few of them have any. They are in the order of their ids. */
async function deleteTableDay(
  ctx: MaintenanceContext,
  { table, day }: { table: partitions.PartitionedTable; day: number },
  workspaceIds: readonly string[],
): Promise<void> {
  for (let left = workspaceIds; left.length > 0;) {
    const holder = await partitions.findHolder(ctx.db, { table, day }, left)
    if (holder === undefined) return
    await deleteDay(ctx, table, { workspaceId: holder, day })
    left = left.slice(left.indexOf(holder) + 1)
  }
}

async function deleteDay(
  { db }: MaintenanceContext,
  table: partitions.PartitionedTable,
  day: { workspaceId: string; day: number },
): Promise<void> {
  while (await partitions.deleteBatch(db, table, day));
}

/** A series that receives points is marked as seen at least every second day, and points may be an hour ahead. */
const SERIES_GRACE_DAYS = 3

async function deleteUnusedKeys(
  { db, now }: MaintenanceContext,
  { workspaceId, metricRetentionDays, metricHourRetentionDays, logRetentionDays }: store.Retention,
): Promise<void> {
  const daysAgo = (days: number) => startOfDay(countDays(now()) - days)
  const before = daysAgo(metricHourRetentionDays + SERIES_GRACE_DAYS)
  await db.transaction().execute(async (tx) => {
    const amount = await store.deleteSeriesUnseenSince(tx, { workspaceId, before })
    await giveBack(tx, { workspaceId, quota: 'metricSeries', amount })
  })
  const longest = Math.max(metricRetentionDays, logRetentionDays)
  await store.deleteOldRuns(db, { workspaceId, before: daysAgo(longest) })
}

/** A long read may lock a partition. It is changed by a later run then. */
async function unlessLocked(
  { db, log }: MaintenanceContext,
  { table, days }: { table: partitions.PartitionedTable; days: readonly number[] },
  change: (tx: Tx, table: partitions.PartitionedTable, day: number) => Promise<void>,
): Promise<void> {
  try {
    for (const day of days) await db.transaction().execute((tx) => change(tx, table, day))
  } catch (error) {
    if (!isLockBusy(error)) throw error
    log.info({ table }, 'partitions are in use and are changed later')
  }
}
