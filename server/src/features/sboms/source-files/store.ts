/** Lists of the source files that components were compiled from: declared in SBOMs, or uploaded. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import type { SourceFileListRow } from '../parsing/parser-messages.ts'
import type { SbomRows } from '../parsing/store.ts'

/** Deletes the lists that SBOMs declare. Uploaded lists stay. */
export async function deleteDeclaredLists(
  tx: Tx,
  workspaceId: string,
  sbomIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('sourceFileLists')
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', 'in', sbomIds.toSorted())
    .where('componentId', 'is', null)
    .execute()
}

export async function haveDeclaredLists(
  tx: Tx,
  workspaceId: string,
  sbomIds: readonly string[],
): Promise<boolean> {
  const row = await tx
    .selectFrom('sourceFileLists')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', 'in', sbomIds)
    .where('componentId', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertDeclaredLists(
  tx: Tx,
  { workspaceId, sbomId, rows, at }: SbomRows<SourceFileListRow> & { at: Date },
): Promise<void> {
  for (const { nodes, files, keys } of rows)
    await tx
      .insertInto('sourceFileLists')
      .values({ workspaceId, sbomId, id: newId(), nodes, files: [...files], keys, createdAt: at })
      .execute()
}

interface ComponentAddress {
  workspaceId: string
  sbomId: string
  componentId: string
}

export async function findComponent(
  db: Db,
  { workspaceId, sbomId, componentId }: ComponentAddress,
) {
  return db
    .selectFrom('sbomComponents')
    .select(['node', 'packageId'])
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', '=', sbomId)
    .where('id', '=', componentId)
    .executeTakeFirst()
}

/** The list in force for a component: the uploaded one, else the one in its SBOM. */
export async function listSourceFiles(
  db: Db,
  { workspaceId, sbomId, componentId }: ComponentAddress,
  node: number,
): Promise<string[] | undefined> {
  const row = await db
    .selectFrom('sourceFileLists')
    .select('files')
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', '=', sbomId)
    .where(sql<boolean>`cardinality(files) > 0`)
    .where(
      sql<boolean>`(component_id = ${componentId} or (component_id is null and ${node} = any(nodes)))`,
    )
    .orderBy(sql`component_id is null`)
    .limit(1)
    .executeTakeFirst()
  return row?.files
}

export interface UploadedList extends ComponentAddress {
  node: number
  files: readonly string[]
  /** The keys by which files are compared. */
  keys: readonly string[]
  at: Date
}

/** Replaces the list uploaded before. */
export async function upsertUploadedList(tx: Tx, list: UploadedList): Promise<void> {
  const { workspaceId, sbomId, componentId, node, files, keys, at } = list
  const values = { nodes: [node], files: [...files], keys: [...keys], createdAt: at }
  await tx
    .insertInto('sourceFileLists')
    .values({ workspaceId, sbomId, id: newId(), componentId, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['workspaceId', 'sbomId', 'componentId'])
        .where('componentId', 'is not', null)
        .doUpdateSet(values),
    )
    .execute()
}

/** @returns the number of files of the list; undefined if there was none. */
export async function deleteUploadedList(
  tx: Tx,
  { workspaceId, sbomId, componentId }: ComponentAddress,
): Promise<number | undefined> {
  const deleted = await tx
    .deleteFrom('sourceFileLists')
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', '=', sbomId)
    .where('componentId', '=', componentId)
    .returning(sql<number>`cardinality(files)`.as('fileCount'))
    .executeTakeFirst()
  return deleted?.fileCount
}
