/**
 * Marks on the partitions of days that are over: a partition with the mark that an earlier backup noted has the same rows, and is
 * not read again (decision 73).
 */
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { hasCitus } from '../platform/db/citus.ts'
import { quoteTable } from './catalogue.ts'
import { isDayOver } from './closed-days.ts'
import { isLockBusy, isOvertaken, isTableGone } from '../platform/db/failures.ts'

const TRIGGER = 'day_mark'
/** What the trigger writes into changed_days. */
const ARGUMENT = `substring(encode(tgargs, 'escape') for 36)`

/**
 * Partitions and their marks. A mark begins with the argument of its trigger. The numbers of the transactions that last
 * changed the trigger and the table see a trigger that was switched off, a `truncate` and an exchanged column.
 */
const MARKS = `
  select relname::text as name, ${ARGUMENT} || '-' || pg_trigger.xmin || '-' || pg_class.xmin as mark
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where tgname = '${TRIGGER}' and relnamespace = 'public'::regnamespace and tgenabled = 'A'
    and not exists (select from public.changed_days where mark = ${ARGUMENT})`

/** By the name of the partition, for the transaction of the client. What is marked and was changed since is left out. */
export async function listDayMarks(client: Client): Promise<Map<string, string>> {
  if (!(await canMark(client))) return new Map()
  const { rows } = await client.query<{ name: string; mark: string }>(MARKS)
  return new Map(rows.map(({ name, mark }) => [name, mark]))
}

/** Citus refuses triggers on tables that are spread; a database that is still to be migrated has nothing to note changes in. */
async function canMark(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ can: boolean }>(
    `select to_regclass('public.changed_days') is not null as can`,
  )
  return rows[0]?.can === true && !(await hasCitus(client))
}

/**
 * To be called before the transaction that reads the days. Days that were over for less than a day are left out, as much still
 * changes in them. What writers hold is marked next time.
 */
export async function markDays(
  client: Client,
  { names, before }: { names: readonly string[]; before: Date },
): Promise<void> {
  if (!(await canMark(client))) return
  const marked = await listDayMarks(client)
  for (const name of names)
    if (!marked.has(name) && isDayOver(name, before)) await markDay(client, name)
  await client.query(
    `delete from public.changed_days
     where mark not in (select ${ARGUMENT} from pg_trigger where tgname = $1)`,
    [TRIGGER],
  )
}

/** Waits for the writers of the partition, so that none is left that does not see the trigger. Readers go on. */
async function markDay(client: Client, name: string): Promise<void> {
  const table = quoteTable(name)
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '1s'`)
    await client.query(
      `create or replace trigger ${TRIGGER} after insert or update or delete on ${table}
       for each row execute function public.note_changed_day('${randomUUID()}')`,
    )
    // Also where a session has said that triggers shall rest, as tools that copy rows do.
    await client.query(`alter table ${table} enable always trigger ${TRIGGER}`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if (!isPassedOver(error)) throw error
  }
}

const isPassedOver = (error: unknown) =>
  isLockBusy(error) || isOvertaken(error) || isTableGone(error)
