/**
 * Stretches of log lines, and the hours that have to be read into them. An hour has a mark while it may have lines that its
 * stretches have not: whoever stores lines marks their hours in the same transaction, under a lock that transactions of the
 * intake share, and that whoever reads the hour holds alone.
 */
import { type RawBuilder, sql } from 'kysely'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { LogPosition } from './store.ts'

interface WorkspaceHour {
  workspaceId: string
  hour: Date
}

const selectLockKey = (workspaceId: RawBuilder<unknown>, hour: RawBuilder<unknown>) =>
  sql`hashtextextended('device_log_hour ' || ${workspaceId} || ' ' || extract(epoch from ${hour}), 0)`

/** Marks hours as having new lines. */
export async function markHours(
  tx: Tx,
  workspaceId: string,
  hours: readonly { hour: Date; readyAt: Date }[],
): Promise<void> {
  if (hours.length === 0) return
  const [times, ready] = [hours.map(({ hour }) => hour), hours.map(({ readyAt }) => readyAt)]
  const workspace = sql`${workspaceId}::text`
  await sql`
    select pg_advisory_xact_lock_shared(${selectLockKey(workspace, sql`marked.time`)})
    from (select time from unnest(${times}::timestamptz[]) as given (time) order by time) as marked`.execute(
    tx,
  )
  // In a statement of its own, which sees what was deleted while the lock was waited for.
  await sql`
    insert into device_log_unread_hours (workspace_id, time, ready_at)
    select ${workspaceId}, given.time, given.ready_at
    from unnest(${times}::timestamptz[], ${ready}::timestamptz[]) as given (time, ready_at)
    order by given.time
    on conflict (workspace_id, time) do nothing`.execute(tx)
}

export async function listWorkspacesToRead(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct workspace_id as id from device_log_unread_hours where ready_at <= ${now} order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Takes the mark of an hour, and the right to read it: lines that are stored meanwhile wait. undefined: none is ready. */
export async function takeUnreadHour(
  tx: Tx,
  workspaceId: string,
  now: Date,
): Promise<Date | undefined> {
  const { rows } = await sql<{ hour: Date }>`
    select time as hour from device_log_unread_hours
    where workspace_id = ${workspaceId} and ready_at <= ${now}
    order by time limit 1 for update skip locked`.execute(tx)
  const hour = rows[0]?.hour
  if (!hour) return undefined
  const lock = selectLockKey(sql`${workspaceId}::text`, sql`${hour}::timestamptz`)
  await sql`select pg_advisory_xact_lock(${lock})`.execute(tx)
  await sql`
    delete from device_log_unread_hours where workspace_id = ${workspaceId} and time = ${hour}`.execute(
    tx,
  )
  return hour
}

export async function deleteStretches(tx: Tx, { workspaceId, hour }: WorkspaceHour): Promise<void> {
  await sql`
    delete from device_log_stretches where workspace_id = ${workspaceId} and time = ${hour}`.execute(
    tx,
  )
}

export interface LineText extends LogPosition {
  /** As a search compares it. */
  text: string
}

/** The next lines of the hour, oldest first. */
export async function listTexts(
  tx: Tx,
  { workspaceId, hour }: WorkspaceHour,
  { after, limit }: { after: LogPosition | undefined; limit: number },
): Promise<LineText[]> {
  const { rows } = await sql<LineText>`
    select time, id, lower(message) as text from device_logs
    where workspace_id = ${workspaceId} and time >= ${after?.time ?? hour} and time < ${addMs(hour, HOUR_MS)}
      ${after ? sql`and (time, id) > (${after.time}, ${after.id}::uuid)` : sql``}
    order by time, id limit ${limit}`.execute(tx)
  return rows
}

export interface Stretch {
  oldest: LogPosition
  lineCount: number
  trigrams: Buffer
}

export async function insertStretch(
  tx: Tx,
  { workspaceId, hour }: WorkspaceHour,
  { oldest, lineCount, trigrams }: Stretch,
): Promise<void> {
  await sql`
    insert into device_log_stretches (workspace_id, time, oldest_time, oldest_id, line_count, trigrams)
    values (${workspaceId}, ${hour}, ${oldest.time}, ${oldest.id}, ${lineCount}, ${trigrams})`.execute(
    tx,
  )
}

export interface FoundStretch {
  hour: Date
  oldest: LogPosition
  /** Whether it may have one of the texts. */
  mayMatch: boolean
}

/**
 * Newest first, of hours that are read. `sought`: for each text the positions that the trigrams of a stretch must have.
 * Those that are newer than `after` as a whole are left out.
 */
export async function listStretches(
  db: Db,
  { workspaceId, from, to, after }: SearchedLines,
  { sought, limit }: { sought: readonly (readonly number[])[]; limit: number },
): Promise<FoundStretch[]> {
  const hasAll = (positions: readonly number[]) => sql`not exists (
    select from unnest(${positions}::int[]) as sought (position)
    where get_bit(filter.bits, sought.position % (8 * octet_length(filter.bits))) = 0)`
  const { rows } = await sql<{ hour: Date; time: Date; id: string; mayMatch: boolean }>`
    select stretch.time as hour, stretch.oldest_time as time, stretch.oldest_id as id,
      ${sought.length === 0 ? sql`false` : sql.join(sought.map(hasAll), sql` or `)} as may_match
    from device_log_stretches as stretch
    -- Reads it from its storage once.
    cross join lateral (select stretch.trigrams || ''::bytea as bits offset 0) as filter
    where stretch.workspace_id = ${workspaceId}
      ${from ? sql`and stretch.time > ${addMs(from, -HOUR_MS)}` : sql``} ${to ? sql`and stretch.time < ${to}` : sql``}
      ${after ? sql`and stretch.time <= ${after.time} and (stretch.oldest_time, stretch.oldest_id) < (${after.time}, ${after.id}::uuid)` : sql``}
      and not exists (
        select from device_log_unread_hours as unread
        where unread.workspace_id = ${workspaceId} and unread.time = stretch.time)
    order by stretch.time desc, stretch.oldest_time desc, stretch.oldest_id desc limit ${limit}`.execute(
    db,
  )
  return rows.map(({ hour, time, id, mayMatch }) => ({ hour, mayMatch, oldest: { time, id } }))
}

export interface SearchedLines {
  workspaceId: string
  from: Date | undefined
  to: Date | undefined
  after: LogPosition | undefined
}

/** The texts as PostgreSQL writes them in lower case. */
export async function lowerTexts(db: Db, texts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select lower(given.text) as text from unnest(${texts}::text[]) with ordinality as given (text, place)
    order by given.place`.execute(db)
  return rows.map(({ text }) => text)
}

/** Hours since `from` that have more lines than were read, and no mark. */
export async function listHoursWithUnreadLines(
  db: Db,
  workspaceId: string,
  from: Date | undefined,
): Promise<{ hour: Date; unread: number }[]> {
  const { rows } = await sql<{ hour: Date; unread: number }>`
    select hour, (lines.present - read)::int as unread
    from (
      select stretch.time as hour, sum(stretch.line_count) as read from device_log_stretches as stretch
      where stretch.workspace_id = ${workspaceId} ${from ? sql`and stretch.time >= ${from}` : sql``}
        and not exists (
          select from device_log_unread_hours as unread
          where unread.workspace_id = ${workspaceId} and unread.time = stretch.time)
      group by stretch.time
    ) as each
    cross join lateral (
      select count(*) as present from device_logs as line
      where line.workspace_id = ${workspaceId} and line.time >= each.hour and line.time < each.hour + interval '1 hour'
    ) as lines
    where lines.present > read order by hour`.execute(db)
  return rows
}

export async function hasStretchesBefore(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from device_log_stretches where workspace_id = ${workspaceId} and time < ${before} limit 1`.execute(
    db,
  )
  return rows.length > 0
}
