/** The partitions of metrics and logs: one for each day (UTC), and a default one for days without a partition. */
import { sql } from 'kysely'
import { countDays, startOfDay } from '../../../formats/instants.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export const PARTITIONED = [
  'metric_points',
  'metric_packed_hours',
  'metric_hours',
  'metric_packed_days',
  'device_logs',
  'device_log_stretches',
] as const
export type PartitionedTable = (typeof PARTITIONED)[number]

const partition = (table: PartitionedTable, day: number) => sql.table(`${table}_${dayName(day)}`)
const defaultPartition = (table: PartitionedTable) => sql.table(`${table}_default`)
/** Names the advisory lock under which partitions are created and dropped. Any fixed number will do. */
const LOCK = 7_305_160_343

/** `20261122` */
function dayName(day: number): string {
  return startOfDay(day).toISOString().slice(0, 10).replaceAll('-', '')
}

function parseDayName(name: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year === undefined ? undefined : countDays(new Date(`${year}-${month}-${day}`))
}

export async function listPartitionDays(db: Db, table: PartitionedTable): Promise<number[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits
    join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = ${table}::regclass order by child.relname`.execute(db)
  return rows.flatMap(({ name }) => parseDayName(name.slice(table.length + 1)) ?? [])
}

/** The days of rows that arrived before their partition was created. */
export async function listDefaultPartitionDays(db: Db, table: PartitionedTable): Promise<number[]> {
  const { rows } = await sql<{ day: number }>`
    select distinct floor(extract(epoch from time) / 86400)::int as day from ${defaultPartition(table)} order by day`.execute(
    db,
  )
  return rows.map(({ day }) => day)
}

/** Waits for readers only shortly, as everybody else would queue behind. */
async function lockPartitions(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(tx)
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

/** Moves the rows of the day from the default partition into the new one. */
export async function createPartition(tx: Tx, table: PartitionedTable, day: number): Promise<void> {
  await lockPartitions(tx)
  if ((await listPartitionDays(tx, table)).includes(day)) return
  const [from, to] = [startOfDay(day).toISOString(), startOfDay(day + 1).toISOString()]
  await sql`create table ${partition(table, day)} (like ${sql.table(table)} including all)`.execute(
    tx,
  )
  // Blocks new rows of days without a partition; the partitioned table itself stays open for other days.
  await sql`lock table only ${defaultPartition(table)} in access exclusive mode`.execute(tx)
  await sql`
    with moved as (delete from ${defaultPartition(table)} where time >= ${from} and time < ${to} returning *)
    insert into ${partition(table, day)} select * from moved`.execute(tx)
  await sql`
    alter table ${sql.table(table)} attach partition ${partition(table, day)}
    for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
}

export async function dropPartition(tx: Tx, table: PartitionedTable, day: number): Promise<void> {
  await lockPartitions(tx)
  await sql`drop table if exists ${partition(table, day)}`.execute(tx)
}

/** Drops the partition if it has no rows. */
export async function dropIfEmpty(tx: Tx, table: PartitionedTable, day: number): Promise<void> {
  // Looked at without a lock first, as deleted rows may make it take long.
  if (await hasRows(tx, table, day)) return
  await lockPartitions(tx)
  // In the order of readers: what is partitioned, then its partition.
  await sql`lock table only ${sql.table(table)} in access exclusive mode`.execute(tx)
  await sql`lock table ${partition(table, day)} in access exclusive mode`.execute(tx)
  if (!(await hasRows(tx, table, day))) await dropPartition(tx, table, day)
}

async function hasRows(tx: Tx, table: PartitionedTable, day: number): Promise<boolean> {
  const { rows } = await sql<{ day: number }>`
    select 1 as day from ${partition(table, day)} limit 1`.execute(tx)
  return rows.length > 0
}

/** The first of the workspaces, by id, that has rows in the partition. */
export async function findHolder(
  db: Db,
  { table, day }: { table: PartitionedTable; day: number },
  workspaceIds: readonly string[],
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select workspace_id as id from ${partition(table, day)}
    where workspace_id = any(${workspaceIds}::uuid[]) order by workspace_id limit 1`.execute(db)
  return rows[0]?.id
}

/** The column by which the rows of a workspace are ordered in an index, so that they can be deleted in batches. */
const ORDER = {
  metric_points: sql`series_id`,
  metric_packed_hours: sql`series_id`,
  metric_hours: sql`series_id`,
  metric_packed_days: sql`series_id`,
  device_logs: sql`time`,
  device_log_stretches: sql`time`,
}
const ROWS_AT_ONCE = 10_000

/** Deletes a batch of the workspace's rows in the partition. false: none were left. */
export async function deleteBatch(
  db: Db,
  table: PartitionedTable,
  { workspaceId, day }: { workspaceId: string; day: number },
): Promise<boolean> {
  const [column, rowsOfDay] = [ORDER[table], partition(table, day)]
  // The bound is read as text, as the column may be a number or a time.
  const { rows } = await sql<{ bound: string }>`
    select ${column}::text as bound from ${rowsOfDay} where workspace_id = ${workspaceId}
    order by ${column} offset ${ROWS_AT_ONCE} limit 1`.execute(db)
  const upTo = rows[0] ? sql`and ${column} <= ${rows[0].bound}` : sql``
  const { numAffectedRows } = await sql`
    delete from ${rowsOfDay} where workspace_id = ${workspaceId} ${upTo}`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}
