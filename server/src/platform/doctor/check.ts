/** What `npm run admin doctor` examines. Each slice has a check for what it derives, counts or relies on. */
import { type RawBuilder, sql } from 'kysely'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/connect.ts'

export interface CheckFaults {
  faultCount: number
  /** The first of them, in words. */
  faults: readonly string[]
  /** What could not be judged, and why. It is neither right nor wrong. */
  notJudged?: readonly string[]
  /** What an operator may do better although nothing is wrong. */
  advice?: readonly string[]
}

export interface ExamineOptions {
  /** Whether to read the bytes of all stored files, which takes long. */
  readsFiles: boolean
  /** Whether to compute all matches and rolled-up hours again, which takes long. Otherwise a sample of them is. */
  isDeep: boolean
  onProgress: (text: string) => void
}

interface CheckDescription {
  name: string
  /** What holds when there is no fault. */
  meaning: string
  /** What an operator does about its faults, where nothing repairs them. */
  remedy?: string
}

/** A check that looks at each workspace by itself. */
export interface WorkspaceCheck extends CheckDescription {
  scope: 'Workspace'
  find: (ctx: AppContext, workspaceId: string, options: ExamineOptions) => Promise<CheckFaults>
  /** Only what is derived. Afterwards `find` shows what is left. It may run beside the service. */
  repair?: (ctx: AppContext, workspaceId: string, options: ExamineOptions) => Promise<void>
}

/** A check of the database, the stored files or this machine as a whole. */
export interface InstallationCheck extends CheckDescription {
  scope: 'Installation'
  find: (ctx: AppContext, options: ExamineOptions) => Promise<CheckFaults>
  repair?: (ctx: AppContext, options: ExamineOptions) => Promise<void>
}

export type Check = WorkspaceCheck | InstallationCheck

export const MOST_SHOWN = 10

export function summariseFaults(
  faults: readonly string[],
  notJudged: readonly string[] = [],
): CheckFaults {
  return { faultCount: faults.length, faults: faults.slice(0, MOST_SHOWN), notJudged }
}

/** One state of the database for all statements, however long they take. */
export async function readSnapshot<Result>(
  { db }: Pick<AppContext, 'db'>,
  read: (db: Db) => Promise<Result>,
): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await withoutTimeLimit(tx)
      return read(tx)
    })
}

/** For a transaction that reads or repairs a whole workspace. */
export async function withoutTimeLimit(tx: Db): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true)`.execute(tx)
}

/** Rows of a table that follow from other rows. */
export interface DerivedRows {
  table: string
  /** The columns of the key besides `workspace_id`. */
  keys: readonly string[]
  values: readonly string[]
  /** Which rows of the table state something. The others, such as a zero, may be there or not. */
  states: RawBuilder<unknown> | ((workspaceId: string) => RawBuilder<unknown>)
  /** The rows of a workspace as they have to be, with the columns of `keys` and `values`. */
  expected: (workspaceId: string) => RawBuilder<unknown>
  /** Sets the values of a row that states too much. Left out: it is deleted. */
  reset?: RawBuilder<unknown>
}

interface Difference {
  key: Record<string, unknown>
  stored: Record<string, unknown> | null
  expected: Record<string, unknown> | null
  total: number
}

const columns = (names: readonly string[], of = '') =>
  sql.join(names.map((name) => sql.ref(of === '' ? name : `${of}.${name}`)))

const object = (names: readonly string[], of: string) =>
  sql`json_build_object(${sql.join(
    names.map(
      (name) => sql`${sql.lit(name)}::text, ${sql.ref(of === '' ? name : `${of}.${name}`)}`,
    ),
  )})`

/** `stored` and `expected`, each with its key, its values and `is_there`. */
const bothSides = ({ table, keys, values, states, expected }: DerivedRows, workspaceId: string) => {
  const all = columns([...keys, ...values])
  return sql`
    stored as (
      select ${all}, true as is_there from ${sql.table(table)} as each
      where each.workspace_id = ${workspaceId}
        and (${typeof states === 'function' ? states(workspaceId) : states})
    ), expected as (
      select ${all}, true as is_there from (${expected(workspaceId)}) as each
    )`
}

const isDifferent = ({ values }: DerivedRows) => {
  const compared = ['is_there', ...values]
  return sql`row(${columns(compared, 'stored')}) is distinct from row(${columns(compared, 'expected')})`
}

/** Compares in one statement, so that changes meanwhile are seen as a whole or not at all. */
export async function findDifferences(
  db: Db,
  rows: DerivedRows,
  workspaceId: string,
): Promise<CheckFaults> {
  const { keys, values, table } = rows
  const found = await sql<Difference>`
    with ${bothSides(rows, workspaceId)}
    select ${object(keys, '')} as key,
      case when stored.is_there then ${object(values, 'stored')} end as stored,
      case when expected.is_there then ${object(values, 'expected')} end as expected,
      (count(*) over ())::int as total
    from stored full join expected using (${columns(keys)})
    where ${isDifferent(rows)} limit ${MOST_SHOWN}`.execute(db)
  return {
    faultCount: found.rows[0]?.total ?? 0,
    faults: found.rows.map((difference) => `${table} ${inWords(difference)}`),
  }
}

/** One column of the keys of all rows that differ. */
export async function listDifferingKeys(
  db: Db,
  rows: DerivedRows,
  workspaceId: string,
  key: string,
): Promise<string[]> {
  const found = await sql<{ id: string }>`
    with ${bothSides(rows, workspaceId)}
    select distinct ${sql.ref(key)}::text as id
    from stored full join expected using (${columns(rows.keys)})
    where ${isDifferent(rows)} order by 1`.execute(db)
  return found.rows.map(({ id }) => id)
}

function inWords({ key, stored, expected }: Difference): string {
  const listed = (record: Record<string, unknown>) =>
    Object.entries(record).map(([name, value]) => `${name} ${shown(value)}`)
  const row = listed(key).join(', ')
  if (!expected) return `(${row}) stands for nothing: ${listed(stored ?? {}).join(', ')}`
  if (!stored) return `(${row}) is missing: ${listed(expected).join(', ')}`
  const changed = Object.keys(expected).filter(
    (name) => shown(stored[name]) !== shown(expected[name]),
  )
  const texts = changed.map(
    (name) => `${name} is ${shown(stored[name])} instead of ${shown(expected[name])}`,
  )
  return `(${row}): ${texts.join(', ')}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

/** Makes the rows as they have to be. The caller holds the locks under which nobody else changes them. */
export async function writeExpected(tx: Db, rows: DerivedRows, workspaceId: string): Promise<void> {
  const { table, keys, values, reset } = rows
  const target = sql.table(table)
  const unexpected = sql`kept.workspace_id = ${workspaceId} and row(${columns(keys, 'kept')}) in (
    with ${bothSides(rows, workspaceId)}
    select ${columns(keys)} from stored full join expected using (${columns(keys)})
    where stored.is_there and expected.is_there is null)`
  await (
    reset
      ? sql`update ${target} as kept set ${reset} where ${unexpected}`
      : sql`delete from ${target} as kept where ${unexpected}`
  ).execute(tx)
  await sql`
    with ${bothSides(rows, workspaceId)}
    insert into ${target} (workspace_id, ${columns([...keys, ...values])})
    select ${workspaceId}, ${columns(keys)}, ${columns(values, 'expected')}
    from stored full join expected using (${columns(keys)})
    where expected.is_there and ${isDifferent(rows)}
    order by ${columns(keys)}
    on conflict (workspace_id, ${columns(keys)}) do update
      set ${sql.join(values.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))}`.execute(
    tx,
  )
}

/**
 * Adds what counters lack. It needs no locks: all others move a counter by what they change in the same transaction, so
 * the difference between what is counted and what is there stays the same whatever they do.
 */
export async function addDifferences(
  db: Db,
  rows: DerivedRows,
  workspaceId: string,
): Promise<void> {
  const { table, keys, values } = rows
  const lacking = values.map(
    (name) =>
      sql`coalesce(${sql.ref(`expected.${name}`)}, 0) - coalesce(${sql.ref(`stored.${name}`)}, 0)`,
  )
  const added = values.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`kept.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  )
  await sql`
    with ${bothSides(rows, workspaceId)}
    insert into ${sql.table(table)} as kept (workspace_id, ${columns([...keys, ...values])})
    select ${workspaceId}, ${columns(keys)}, ${sql.join(lacking)}
    from stored full join expected using (${columns(keys)})
    where ${isDifferent(rows)}
    order by ${columns(keys)}
    on conflict (workspace_id, ${columns(keys)}) do update set ${sql.join(added)}`.execute(db)
}
