/** The partitions of metrics and logs: one a day, and the default one for days that have none yet. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { startOfDay } from '../../formats/instants.ts'
import { dayName, parseDayName } from './days.ts'

/** Sums of hours after their points: what is read while both go is never less than the points. */
export const PARTITIONED = ['metric_points', 'metric_hours', 'device_logs'] as const
export type Partitioned = (typeof PARTITIONED)[number]

const partition = (table: Partitioned, day: number) => sql.table(`${table}_${dayName(day)}`)
const rest = (table: Partitioned) => sql.table(`${table}_default`)
// Any fixed number: it names the advisory lock under which partitions come and go.
const LOCK = 7_305_160_343

export async function listPartitionDays(db: Db, table: Partitioned): Promise<number[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits
    join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = ${table}::regclass order by child.relname`.execute(db)
  return rows.flatMap(({ name }) => parseDayName(name.slice(table.length + 1)) ?? [])
}

/** Days that rows came for before their partition did. */
export async function listDaysOfRest(db: Db, table: Partitioned): Promise<number[]> {
  const { rows } = await sql<{ day: number }>`
    select distinct floor(extract(epoch from time) / 86400)::int as day from ${rest(table)} order by day`.execute(
    db,
  )
  return rows.map(({ day }) => day)
}

/** Changes wait for readers only shortly, as everybody else would wait behind them. */
async function becomeOnlyOne(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(tx)
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

/** With what is kept of that day so far. */
export async function createPartition(tx: Tx, table: Partitioned, day: number): Promise<void> {
  await becomeOnlyOne(tx)
  if ((await listPartitionDays(tx, table)).includes(day)) return
  const [from, to] = [startOfDay(day).toISOString(), startOfDay(day + 1).toISOString()]
  await sql`create table ${partition(table, day)} (like ${sql.table(table)} including all)`.execute(
    tx,
  )
  // Nothing more of that day comes while it moves; the partitioned table itself stays open for other days.
  await sql`lock table only ${rest(table)} in access exclusive mode`.execute(tx)
  await sql`
    with moved as (delete from ${rest(table)} where time >= ${from} and time < ${to} returning *)
    insert into ${partition(table, day)} select * from moved`.execute(tx)
  await sql`
    alter table ${sql.table(table)} attach partition ${partition(table, day)}
    for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
}

export async function dropPartition(tx: Tx, table: Partitioned, day: number): Promise<void> {
  await becomeOnlyOne(tx)
  await sql`drop table if exists ${partition(table, day)}`.execute(tx)
}

/** Whether another transaction kept the lock that was asked for. */
export function isLockBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

/** Which of the workspaces have rows in the partition. */
export async function listHolders(
  db: Db,
  { table, day }: { table: Partitioned; day: number },
  workspaceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select asked.id from unnest(${workspaceIds}::uuid[]) as asked (id)
    where exists (select from ${partition(table, day)} where workspace_id = asked.id)
    order by asked.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** By which rows of a workspace lie in order, so that they can be deleted piece by piece. */
const ORDER = {
  metric_points: sql`series_id`,
  metric_hours: sql`series_id`,
  device_logs: sql`time`,
}
const PIECE = 10_000

/** Deletes a piece of what the workspace has in the partition; false when nothing is left. */
export async function deletePiece(
  db: Db,
  table: Partitioned,
  { workspaceId, day }: { workspaceId: string; day: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${partition(table, day)}
    where workspace_id = ${workspaceId} and ${ORDER[table]} <= coalesce(
      (select ${ORDER[table]} from ${partition(table, day)} where workspace_id = ${workspaceId}
        order by ${ORDER[table]} offset ${PIECE} limit 1),
      (select max(${ORDER[table]}) from ${partition(table, day)} where workspace_id = ${workspaceId}))`.execute(
    db,
  )
  return (numAffectedRows ?? 0n) > 0n
}
