/** Statements on all tables that have rows of workspaces, whichever slice writes them: a workspace is deleted or handed over as a whole. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export interface TenantTable {
  name: string
  columns: readonly string[]
  /** Names of the other tables that its foreign keys lead to. */
  refersTo: readonly string[]
}

/** The database knows them, so that none is forgotten. */
export async function listTenantTables(db: Db): Promise<TenantTable[]> {
  const { rows } = await sql<TenantTable>`
    select class.relname as name, array_agg(member.attname::text order by member.attnum) as columns,
      array(
        select target.relname::text from pg_constraint as tie join pg_class as target on target.oid = tie.confrelid
        where tie.conrelid = class.oid and tie.contype = 'f' and target.oid <> class.oid) as refers_to
    from pg_class as class
    join pg_attribute as member on member.attrelid = class.oid and member.attnum > 0 and not member.attisdropped
    where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
      and exists (
        select from pg_attribute as own
        where own.attrelid = class.oid and own.attname = 'workspace_id' and not own.attisdropped)
    group by class.oid, class.relname
    order by class.relname`.execute(db)
  return rows
}

export async function listWorkspaces(db: Db) {
  const countOf = async (table: 'members' | 'devices') => {
    const rows = await db
      .selectFrom(table)
      .select((eb) => ['workspaceId', eb.fn.countAll<number>().as('count')])
      .groupBy('workspaceId')
      .execute()
    return new Map(rows.map(({ workspaceId, count }) => [workspaceId, count]))
  }
  const members = await countOf('members')
  const devices = await countOf('devices')
  const rows = await db
    .selectFrom('workspaces')
    .select(['id', 'name', 'createdAt', 'keepsSources'])
    .orderBy('name')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    ...row,
    members: members.get(row.id) ?? 0,
    devices: devices.get(row.id) ?? 0,
  }))
}

export async function updateName(
  db: Db,
  workspaceId: string,
  named: { name: string; updatedAt: Date },
): Promise<void> {
  await db.updateTable('workspaces').set(named).where('id', '=', workspaceId).execute()
}

interface Contents {
  members: number
  devices: number
  versions: number
  sboms: number
}

export async function countContents(db: Db, workspaceId: string): Promise<Contents> {
  const { rows } = await sql<Contents>`
    select (select count(*)::int from members where workspace_id = ${workspaceId}) as members,
      (select count(*)::int from devices where workspace_id = ${workspaceId}) as devices,
      (select count(*)::int from firmware_versions where workspace_id = ${workspaceId}) as versions,
      (select count(*)::int from sboms where workspace_id = ${workspaceId}) as sboms`.execute(db)
  return rows[0] ?? { members: 0, devices: 0, versions: 0, sboms: 0 }
}

/** Deleting takes as long as there are rows. */
export async function takeAnyTime(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
}

/**
 * A database of several nodes (Citus) changes rows that lie on several of them one node after another, as it then lets the
 * transaction change a table that each node has a copy of. PostgreSQL alone keeps the setting and does not use it.
 */
export async function changeNodesInTurn(tx: Tx): Promise<void> {
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(tx)
}

/** Who would be in no other workspace. */
export async function listPeopleOfOne(db: Db, workspaceId: string): Promise<string[]> {
  const members = await db
    .selectFrom('members')
    .select('subjectId')
    .where('workspaceId', '=', workspaceId)
    .execute()
  const ids = members.map(({ subjectId }) => subjectId)
  const others = await db
    .selectFrom('members')
    .select('subjectId')
    .where(sql<boolean>`subject_id = any(${ids}::uuid[])`)
    .where('workspaceId', '<>', workspaceId)
    .execute()
  const elsewhere = new Set(others.map(({ subjectId }) => subjectId))
  return ids.filter((id) => !elsewhere.has(id))
}

/** With their sessions, passkeys and links. */
export async function deletePeople(tx: Tx, personIds: readonly string[]): Promise<number> {
  if (personIds.length === 0) return 0
  const { numDeletedRows } = await tx
    .deleteFrom('people')
    .where('id', 'in', personIds)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function deleteRows(db: Db, table: string, workspaceId: string): Promise<void> {
  await sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}`.execute(db)
}

export async function deleteWorkspaceRow(tx: Tx, workspaceId: string): Promise<void> {
  await tx.deleteFrom('workspaces').where('id', '=', workspaceId).execute()
}

export async function readWorkspaceRow(db: Db, workspaceId: string): Promise<unknown> {
  const { rows } = await sql<{ row: unknown }>`
    select to_jsonb(workspace) as row from workspaces as workspace where id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]?.row
}

export async function listPeopleOfWorkspace(db: Db, workspaceId: string) {
  return db
    .selectFrom('people as person')
    .innerJoin('members as member', 'member.subjectId', 'person.id')
    .select(['person.id', 'person.email', 'person.displayName', 'person.createdAt', 'member.role'])
    .where('member.workspaceId', '=', workspaceId)
    .orderBy('person.email')
    .execute()
}

/** One instant for all tables. */
export async function readOneInstant(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read read only`.execute(tx)
}

const ROWS_AT_ONCE = 1000

/** All rows of a table, some at a time, without the columns left out. */
export async function* readRows(
  tx: Tx,
  { name, workspaceId, without }: { name: string; workspaceId: string; without: string[] },
): AsyncGenerator {
  await sql`
    declare exported no scroll cursor for
    select to_jsonb(one) - ${without}::text[] as row from ${sql.table(name)} as one
    where workspace_id = ${workspaceId}`.execute(tx)
  for (;;) {
    const { rows } = await sql<{
      row: unknown
    }>`fetch ${sql.lit(ROWS_AT_ONCE)} from exported`.execute(tx)
    for (const { row } of rows) yield row
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close exported`.execute(tx)
}
