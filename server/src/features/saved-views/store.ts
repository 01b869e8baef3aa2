import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { ViewedList } from './schemas.ts'

export interface ViewRow {
  id: string
  personId: string
  list: ViewedList
  name: string
  search: string
  isShared: boolean
  updatedAt: Date
}

/** Those of the person and those that others share, by list and name. `personId`: undefined for a key. */
export async function listViews(
  db: Db,
  workspaceId: string,
  { personId, list }: { personId: string | undefined; list?: ViewedList | undefined },
) {
  let query = db
    .selectFrom('savedViews as view')
    .leftJoin('members as member', (join) =>
      join
        .onRef('member.subjectId', '=', 'view.personId')
        .on('member.workspaceId', '=', workspaceId),
    )
    .leftJoin('people as person', 'person.id', 'member.subjectId')
    .select(['view.id', 'view.personId', 'view.list', 'view.name', 'view.search', 'view.isShared'])
    .select(['view.updatedAt', 'person.displayName as ownerName'])
    .where('view.workspaceId', '=', workspaceId)
    .where(sql<boolean>`(view.is_shared or view.person_id = ${personId ?? null}::uuid)`)
    .$narrowType<Pick<ViewRow, 'list'>>()
  if (list !== undefined) query = query.where('view.list', '=', list)
  return query.orderBy('view.list').orderBy('view.name').orderBy('view.id').execute()
}

export async function lockView(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<ViewRow | undefined> {
  return tx
    .selectFrom('savedViews')
    .select(['id', 'personId', 'list', 'name', 'search', 'isShared', 'updatedAt'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .$narrowType<Pick<ViewRow, 'list'>>()
    .forUpdate()
    .executeTakeFirst()
}

/** Those of one person follow each other, so that they are counted and named once. */
export async function countOwnViews(
  tx: Tx,
  workspaceId: string,
  { personId, list, name, id }: Pick<ViewRow, 'personId' | 'list' | 'name' | 'id'>,
): Promise<{ count: number; isNamed: boolean }> {
  await sql`select pg_advisory_xact_lock(hashtext('saved-views'), hashtext(${`${workspaceId} ${personId}`}))`.execute(
    tx,
  )
  const { rows } = await sql<{ count: number; isNamed: boolean }>`
    select count(*)::int as count,
      coalesce(bool_or(list = ${list} and name = ${name} and id <> ${id}), false) as is_named
    from saved_views where workspace_id = ${workspaceId} and person_id = ${personId}`.execute(tx)
  return rows[0] ?? { count: 0, isNamed: false }
}

export async function insertView(tx: Tx, workspaceId: string, row: ViewRow): Promise<void> {
  await tx
    .insertInto('savedViews')
    .values({ workspaceId, ...row })
    .execute()
}

export async function updateView(
  tx: Tx,
  workspaceId: string,
  { id, ...change }: Pick<ViewRow, 'id' | 'name' | 'search' | 'isShared' | 'updatedAt'>,
): Promise<void> {
  await tx
    .updateTable('savedViews')
    .set(change)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteView(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('savedViews')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Of somebody who left: what was shared stays with the team. */
export async function deleteOwnViews(tx: Tx, workspaceId: string, personId: string): Promise<void> {
  await tx
    .deleteFrom('savedViews')
    .where('workspaceId', '=', workspaceId)
    .where('personId', '=', personId)
    .where('isShared', '=', false)
    .execute()
}
