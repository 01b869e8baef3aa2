/** The sums of hours, and which hours they exist for. */
import { sql } from 'kysely'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'

// Any fixed number: it seeds the advisory locks under which points are stored and hours are closed.
const LOCK = 7_305_160_344
const lockOf = (workspaceId: string) => sql`hashtextextended(${workspaceId}, ${LOCK})`

interface ClosedHours {
  begunAt: Date
  closedUntil: Date
}

/**
 * Takes a shared lock: until the transaction ends, no hour of the workspace is closed. The second statement sees what the
 * last holder of the exclusive lock has committed. undefined: no hour was closed yet.
 */
export async function holdHoursOpen(tx: Tx, workspaceId: string): Promise<ClosedHours | undefined> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf(workspaceId)})`.execute(tx)
  const { rows } = await sql<ClosedHours>`
    select begun_at, closed_until from metric_rollups where workspace_id = ${workspaceId}`.execute(
    tx,
  )
  return rows[0]
}

/**
 * Closes the hours before `until`: points that arrive for them from now on are late. The exclusive lock waits until the
 * batches that take the hours for open are committed. It waits only shortly, as others queue behind it, and does not
 * wait for another worker.
 */
export async function closeHours(tx: Tx, workspaceId: string, until: Date): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(tx)
  await tx
    .insertInto('metricRollups')
    .values({ workspaceId, begunAt: until, closedUntil: until, rolledUntil: until })
    .onConflict((conflict) => conflict.column('workspaceId').doNothing())
    .execute()
  const rollup = await lockRollup(tx, workspaceId)
  if (!rollup || rollup.closedUntil >= until) return
  await sql`select pg_advisory_xact_lock(${lockOf(workspaceId)})`.execute(tx)
  await tx
    .updateTable('metricRollups')
    .set({ closedUntil: until })
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** Workspaces that have, or had, series. */
export async function listWorkspacesWithMetrics(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom('metricSeries').whereRef('workspaceId', '=', 'workspaces.id')),
        eb.exists(eb.selectFrom('metricRollups').whereRef('workspaceId', '=', 'workspaces.id')),
      ]),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

interface Rollup {
  closedUntil: Date
  rolledUntil: Date
}

/** undefined: another worker holds the lock. */
export async function lockRollup(tx: Tx, workspaceId: string): Promise<Rollup | undefined> {
  return tx
    .selectFrom('metricRollups')
    .select(['closedUntil', 'rolledUntil'])
    .where('workspaceId', '=', workspaceId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/**
 * Sums of values beyond these bounds might overflow, and averages underflow, which fails the statement. A point stands
 * for 2^53 values at most, and an hour has far fewer points.
 */
export const IS_PLAIN = sql`(point.sum = 0 or abs(point.sum) between 1e-290 and 1e290)`

/** Of the points of a series in an hour, in the table `point`. */
export const HOUR_SUMS = sql`
  case when bool_and(${IS_PLAIN}) then sum(point.sum) filter (where ${IS_PLAIN}) end as sum,
  sum(coalesce(point.count, 1)::float8) as count,
  min(coalesce(point.min, point.sum)) as min,
  max(coalesce(point.max, point.sum)) as max,
  (max(array[extract(epoch from point.time)::float8, point.sum / coalesce(point.count, 1)])
    filter (where ${IS_PLAIN}))[2] as last,
  max(point.time) as last_at`

const COLUMNS = sql`workspace_id, series_id, time, sum, count, min, max, last, last_at`

/** Rolls up the next closed hour. This may take minutes in a large fleet. */
export async function rollUpHour(tx: Tx, workspaceId: string, hour: Date): Promise<void> {
  await sql`set local statement_timeout = '15min'`.execute(tx)
  await sql`
    insert into metric_hours (${COLUMNS})
    select ${workspaceId}, point.series_id, ${hour}::timestamptz, ${HOUR_SUMS}
    from metric_points as point
    where point.workspace_id = ${workspaceId} and point.time >= ${hour} and point.time < ${addMs(hour, HOUR_MS)}
    group by point.series_id`.execute(tx)
  await tx
    .updateTable('metricRollups')
    .set({ rolledUntil: addMs(hour, HOUR_MS) })
    .where('workspaceId', '=', workspaceId)
    .execute()
}

export interface SeriesHour {
  seriesId: number
  /** Milliseconds since 1970: numbers cost a fraction of what dates cost. */
  time: number
}

export async function insertLateHours(
  tx: Tx,
  workspaceId: string,
  hours: readonly SeriesHour[],
): Promise<void> {
  await sql`
    insert into metric_late_hours (workspace_id, series_id, time)
    select distinct ${workspaceId}::uuid, given.series_id, to_timestamp(given.time / 1000)
    from ${asGiven(hours)}`.execute(tx)
}

function asGiven(hours: readonly SeriesHour[]) {
  return sql`unnest(
    ${hours.map(({ seriesId }) => seriesId)}::bigint[], ${hours.map(({ time }) => time)}::float8[]
  ) as given (series_id, time)`
}

/** Hours with late points among those that are rolled up. Hours that are not rolled up yet need no mark. */
export async function listLateHours(
  tx: Tx,
  workspaceId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<SeriesHour[]> {
  return tx
    .selectFrom('metricLateHours')
    .select(['seriesId', sql<number>`extract(epoch from time)::float8 * 1000`.as('time')])
    .distinct()
    .where('workspaceId', '=', workspaceId)
    .where('time', '<', before)
    .orderBy('time')
    .orderBy('seriesId')
    .limit(limit)
    .execute()
}

/** Deletes the marks before it reads the points: a point that it does not see yet has a mark that stays. */
export async function rollUpLateHours(
  tx: Tx,
  workspaceId: string,
  hours: readonly SeriesHour[],
): Promise<void> {
  const times = hours.map(({ time }) => time)
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))]
  for (const table of ['metric_late_hours', 'metric_hours'])
    await sql`
      delete from ${sql.table(table)} as hour using ${asGiven(hours)}
      where hour.workspace_id = ${workspaceId} and hour.time >= ${first} and hour.time <= ${last}
        and hour.series_id = given.series_id and hour.time = to_timestamp(given.time / 1000)`.execute(
      tx,
    )
  await sql`
    insert into metric_hours (${COLUMNS})
    select ${workspaceId}, given.series_id, to_timestamp(given.time / 1000), made.*
    from ${asGiven(hours)} cross join lateral (
      select ${HOUR_SUMS} from metric_points as point
      where point.workspace_id = ${workspaceId} and point.series_id = given.series_id
        and point.time >= ${first} and point.time < ${addMs(last, HOUR_MS)}
        and point.time >= to_timestamp(given.time / 1000)
        and point.time < to_timestamp(given.time / 1000) + interval '1 hour'
      having count(*) > 0
    ) as made`.execute(tx)
}
