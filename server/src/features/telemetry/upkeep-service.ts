/** What a worker does for metrics and logs now and then: partitions ahead of time, and retention. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { dayNumber, startOfDay } from '../../formats/instants.ts'
import { lastExpired } from './days.ts'
import * as partitions from './partitions-store.ts'
import * as store from './upkeep-store.ts'

type UpkeepContext = Pick<AppContext, 'db' | 'log' | 'now'>

/** Several workers may do it at once. */
export async function keepTelemetry(ctx: UpkeepContext): Promise<void> {
  for (const table of partitions.PARTITIONED) await makePartitions(ctx, table)
  const retentions = await store.listRetentions(ctx.db)
  for (const table of partitions.PARTITIONED) await expire(ctx, table, retentions)
  for (const retention of retentions) await expireKeys(ctx, retention)
}

const DAYS_AHEAD = 7

async function makePartitions(ctx: UpkeepContext, table: partitions.Partitioned): Promise<void> {
  const there = new Set(await partitions.listPartitionDays(ctx.db, table))
  const today = dayNumber(ctx.now())
  const ahead = Array.from({ length: DAYS_AHEAD + 2 }, (_, at) => today - 1 + at)
  const wanted = new Set([...ahead, ...(await partitions.listDaysOfRest(ctx.db, table))])
  const missing = [...wanted].filter((day) => !there.has(day))
  await whileFree(ctx, { table, days: missing }, partitions.createPartition)
}

/** Partitions are shared: they go when nobody keeps them any longer, and before that what each workspace has in them. */
async function expire(
  ctx: UpkeepContext,
  table: partitions.Partitioned,
  retentions: readonly store.Retention[],
): Promise<void> {
  if (retentions.length === 0) return
  const daysOf = (one: store.Retention) =>
    table === 'device_logs' ? one.logRetentionDays : one.metricRetentionDays
  const days = await partitions.listPartitionDays(ctx.db, table)
  const lastOfAll = lastExpired(ctx.now(), Math.max(...retentions.map(daysOf)))
  const expired = days.filter((day) => day <= lastOfAll)
  await whileFree(ctx, { table, days: expired }, partitions.dropPartition)
  for (const day of days.filter((one) => one > lastOfAll)) {
    const over = retentions.filter((one) => day <= lastExpired(ctx.now(), daysOf(one)))
    const ids = over.map(({ workspaceId }) => workspaceId)
    const holders =
      ids.length === 0 ? [] : await partitions.listHolders(ctx.db, { table, day }, ids)
    for (const workspaceId of holders) await deleteDay(ctx, table, { workspaceId, day })
  }
}

async function deleteDay(
  { db }: UpkeepContext,
  table: partitions.Partitioned,
  day: { workspaceId: string; day: number },
): Promise<void> {
  while (await partitions.deletePiece(db, table, day));
}

/** Nodes look a series up at least every second day that it receives points, which may be an hour ahead. */
const SERIES_GRACE_DAYS = 3

async function expireKeys(
  { db, now }: UpkeepContext,
  { workspaceId, metricRetentionDays, logRetentionDays }: store.Retention,
): Promise<void> {
  const daysAgo = (days: number) => startOfDay(dayNumber(now()) - days)
  const before = daysAgo(metricRetentionDays + SERIES_GRACE_DAYS)
  await store.deleteSeriesUnseenSince(db, { workspaceId, before })
  const longest = Math.max(metricRetentionDays, logRetentionDays)
  await store.deleteOldRuns(db, { workspaceId, before: daysAgo(longest) })
}

/** A long read may keep a partition from being changed; the next run finds it free. */
async function whileFree(
  { db, log }: UpkeepContext,
  { table, days }: { table: partitions.Partitioned; days: readonly number[] },
  change: (tx: Tx, table: partitions.Partitioned, day: number) => Promise<void>,
): Promise<void> {
  try {
    for (const day of days) await db.transaction().execute((tx) => change(tx, table, day))
  } catch (error) {
    if (!partitions.isLockBusy(error)) throw error
    log.info({ table }, 'partitions are in use and stay as they are')
  }
}
