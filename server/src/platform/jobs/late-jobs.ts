/** Reads the tables of the queue (pg-boss) beside those of slices, in one statement or snapshot. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import { nameDeadLetter, type Message } from './queue.ts'

export interface LateJobs {
  name: string
  /** Jobs that could have begun for 15 minutes. */
  waiting: number
  /** Running jobs whose process has not been heard of for 5 minutes. */
  silent: number
  oldestSeconds: number
}

export async function listLateJobs(db: Db): Promise<LateJobs[]> {
  const isWaiting = sql`(state < 'active' and start_after < now() - interval '15 minutes')`
  const isSilent = sql`(state = 'active' and heartbeat_on < now() - interval '5 minutes')`
  const { rows } = await sql<LateJobs>`
    select name, (count(*) filter (where ${isWaiting}))::int as waiting,
      (count(*) filter (where ${isSilent}))::int as silent,
      extract(epoch from now() - min(case when ${isWaiting} then start_after else heartbeat_on end))::float8
        as oldest_seconds
    from pgboss.job where ${isWaiting} or ${isSilent}
    group by name order by name`.execute(db)
  return rows
}

/** Whether a job of one of the messages is yet to end whose payload meets the condition on `job.data`. */
function hasOpenJob(
  messages: readonly Message[],
  isMeant: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const names = messages.flatMap(({ name }) => [name, nameDeadLetter(name)])
  return sql<boolean>`exists (
    select from pgboss.job as job
    where job.name = any(${names}::text[]) and job.state <= 'active' and ${isMeant})`
}

/**
 * Lists the rows for which no job waits or runs. `isMeant`: whether the payload `job.data` is about the row
 * `asked.row`. Reads no table of tenants beside the jobs, which Citus does not join.
 */
export async function listWithoutJob<Row>(
  db: Db,
  rows: readonly Row[],
  { messages, isMeant }: { messages: readonly Message[]; isMeant: RawBuilder<unknown> },
): Promise<Row[]> {
  const asked = rows.map((row) => JSON.stringify(row))
  const { rows: found } = await sql<{ place: number }>`
    select asked.place from unnest(${asked}::jsonb[]) with ordinality as asked (row, place)
    where not ${hasOpenJob(messages, isMeant)} order by asked.place`.execute(db)
  return found.flatMap(({ place }) => rows[place - 1] ?? [])
}
