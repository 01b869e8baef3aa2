/**
 * Work that was accepted and not done, as queue, payload and time: the tables of the queue belong to pg-boss and change
 * with its versions.
 */
import type { Client } from 'pg'

export const OPEN_JOBS = `copy (
  select id, name, data, priority, start_after, created_on from pgboss.job where state <= 'active'
  order by created_on, id
) to stdout`

export async function hasQueue(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('pgboss.job') is not null as "isThere"`,
  )
  return rows[0]?.isThere === true
}

export const COPY_JOBS = 'copy restored_jobs from stdin'

export async function createJobTable(client: Client): Promise<void> {
  await client.query(
    `create temporary table restored_jobs (
       id uuid, name text, data jsonb, priority integer, start_after timestamptz, created_on timestamptz
     ) on commit drop`,
  )
}

/** Jobs that ran begin again: handlers may run twice. Answers how many there are whose queue this release does not have. */
export async function enqueueRestored(client: Client): Promise<number> {
  await client.query(
    `insert into pgboss.job (id, name, data, priority, start_after, created_on, keep_until, policy, dead_letter,
       expire_seconds, deletion_seconds, heartbeat_seconds, retry_limit, retry_delay, retry_backoff, retry_delay_max)
     select job.id, job.name, job.data, job.priority, greatest(job.start_after, now()), job.created_on,
       greatest(job.start_after, now()) + queue.retention_seconds * interval '1 second', queue.policy, queue.dead_letter,
       queue.expire_seconds, queue.deletion_seconds, queue.heartbeat_seconds, queue.retry_limit, queue.retry_delay,
       queue.retry_backoff, queue.retry_delay_max
     from restored_jobs as job join pgboss.queue as queue on queue.name = job.name`,
  )
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from restored_jobs
     where name not in (select name from pgboss.queue)`,
  )
  return rows[0]?.count ?? 0
}
