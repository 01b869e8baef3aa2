/** Seals of the audit log, and the entries that each covers. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { SealedEntry } from './canonical.ts'

export interface SealRow {
  day: string
  seal: string
  entryCount: number
  lateCount: number
  sealedAt: Date
}

/**
 * The day after the last seal, or that of the first entry that none covers. It is over by the clocks of service and database alike: one
 * that runs ahead seals no days to come.
 */
const selectNextDay = (workspaceId: string | undefined, before: Date) => sql`
  select workspace.id, next.day from workspaces as workspace
  cross join lateral (
    select coalesce(
      (select max(sealed.day) + 1 from audit_seals as sealed where sealed.workspace_id = workspace.id),
      (select (min(entry.created_at) at time zone 'UTC')::date from audit_log as entry
        where entry.workspace_id = workspace.id and entry.sealed_on is null)) as day
  ) as next
  where next.day < (least(${before}::timestamptz, now()) at time zone 'UTC')::date
    and ${workspaceId === undefined ? sql`true` : sql`workspace.id = ${workspaceId}`}`

/** Workspaces that have a day to seal. */
export async function listWaiting(db: Db, before: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select waiting.id from (${selectNextDay(undefined, before)}) as waiting order by waiting.id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Days of a workspace are sealed one after another, by one worker. undefined: there is none to seal. */
export async function lockNextDay(
  tx: Tx,
  workspaceId: string,
  before: Date,
): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('audit-seals:' || ${workspaceId}, 0))`.execute(
    tx,
  )
  const { rows } = await sql<{ day: string }>`
    select waiting.day::text as day from (${selectNextDay(workspaceId, before)}) as waiting`.execute(
    tx,
  )
  return rows[0]?.day
}

export async function findLastSeal(db: Db, workspaceId: string): Promise<SealRow | undefined> {
  return (await listSeals(db, workspaceId, { limit: 1 }))[0]
}

/** Newest first. Days are both of the period. */
export async function listSeals(
  db: Db,
  workspaceId: string,
  { from, to, limit }: { from?: string | undefined; to?: string | undefined; limit: number },
): Promise<SealRow[]> {
  const { rows } = await sql<SealRow>`
    select sealed.day::text as day, sealed.seal, sealed.entry_count, sealed.late_count, sealed.sealed_at
    from audit_seals as sealed
    where sealed.workspace_id = ${workspaceId} and sealed.day >= coalesce(${from ?? null}::date, '-infinity')
      and sealed.day <= coalesce(${to ?? null}::date, 'infinity')
    order by sealed.day desc limit ${limit}`.execute(db)
  return rows
}

/** All that no seal covers and that is older than the end of the day: also late entries of days before it. */
export async function claimEntries(
  tx: Tx,
  { workspaceId, day }: { workspaceId: string; day: string },
): Promise<{ entryCount: number; lateCount: number }> {
  const { rows } = await sql<{ entryCount: number; lateCount: number }>`
    with covered as (
      update audit_log set sealed_on = ${day}::date
      where workspace_id = ${workspaceId} and sealed_on is null
        and created_at < (${day}::date + 1)::timestamp at time zone 'UTC'
      returning created_at
    )
    select count(*)::int as entry_count,
      (count(*) filter (where created_at < ${day}::date::timestamp at time zone 'UTC'))::int as late_count
    from covered`.execute(tx)
  return rows[0] ?? { entryCount: 0, lateCount: 0 }
}

const FETCH = 1_000

/** In the order of a seal. Each page follows the last entry of the one before. */
export async function* readCovered(
  db: Db,
  { workspaceId, day }: { workspaceId: string; day: string },
): AsyncGenerator<SealedEntry> {
  let after: SealedEntry | undefined
  for (;;) {
    const { rows } = await sql<SealedEntry>`
      select entry.id, entry.created_at, entry.actor_type, entry.actor_id, entry.actor_email, entry.action, entry.resource_type,
        entry.resource_id, entry.before, entry.after, entry.request_id, coalesce((
          select json_agg(json_build_object('type', about.subject_type, 'id', about.subject_id, 'name', about.name)
            order by about.position, about.subject_type, about.subject_id)
          from audit_subjects as about
          where about.workspace_id = ${workspaceId} and about.entry_id = entry.id), '[]') as about
      from audit_log as entry
      where entry.workspace_id = ${workspaceId} and entry.sealed_on = ${day}::date
        and ${after ? sql`(entry.created_at, entry.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql`true`}
      order by entry.created_at, entry.id limit ${sql.lit(FETCH)}`.execute(db)
    yield* rows
    after = rows.at(-1)
    if (!after || rows.length < FETCH) return
  }
}

export async function insertSeal(tx: Tx, row: SealRow & { workspaceId: string }): Promise<void> {
  await tx.insertInto('auditSeals').values(row).execute()
}

/** Days that entries say they are sealed on without a seal, and entries that should have been sealed by then. */
export async function findUnsealed(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<{ days: string[]; entryCount: number }> {
  const { rows } = await sql<{ days: string[]; entryCount: number }>`
    select array(
        select distinct entry.sealed_on::text from audit_log as entry
        where entry.workspace_id = ${workspaceId} and entry.sealed_on > '-infinity' and not exists (
          select from audit_seals as sealed where sealed.workspace_id = ${workspaceId} and sealed.day = entry.sealed_on)
        order by 1) as days, (
        select count(*)::int from audit_log as entry
        where entry.workspace_id = ${workspaceId} and entry.sealed_on is null
          and entry.created_at < ${before}) as entry_count`.execute(db)
  return rows[0] ?? { days: [], entryCount: 0 }
}

/** A day to be sealed is found through its index. */
export async function countUnsealable(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_log
    where workspace_id = ${workspaceId} and sealed_on = '-infinity'`.execute(db)
  return rows[0]?.count ?? 0
}
