import { sql } from 'kysely'
import type { FeedSource } from '../../../formats/feed-kinds.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { SourceImport } from '../../advisories/index.ts'

export async function findKeepsSources(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('workspaces')
    .select('keepsSources')
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  return row?.keepsSources ?? false
}

/** Answers false while the source is being read, and for ten minutes after somebody asked for it. */
export async function requestSync(
  tx: Tx,
  { source, at }: { source: FeedSource; at: Date },
): Promise<boolean> {
  await tx
    .insertInto('vulnerabilitySources')
    .values({ source })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('vulnerabilitySources')
    .set({ requestedAt: at })
    .where('source', '=', source)
    .where(sql<boolean>`(claimed_until > now()) is not true`)
    .where(sql<boolean>`(requested_at > ${at}::timestamptz - interval '10 minutes') is not true`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export interface StoredImport {
  workspaceId: string
  id: string
  fileName: string
  sizeBytes: number
  createdAt: Date
  createdByEmail: string | null
}

export async function insertImport(tx: Tx, stored: StoredImport): Promise<void> {
  await tx
    .insertInto('sourceImports')
    .values({ ...stored, state: 'Waiting' })
    .execute()
}

export interface ImportKey {
  workspaceId: string
  importId: string
}

/** Answers the name of the file, unless the import has ended. */
export async function beginImport(
  db: Db,
  { workspaceId, importId }: ImportKey,
): Promise<string | undefined> {
  const row = await db
    .updateTable('sourceImports')
    .set({ state: 'Importing' })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', importId)
    .where('state', 'in', ['Waiting', 'Importing'])
    .returning('fileName')
    .executeTakeFirst()
  return row?.fileName
}

export async function recordImportProgress(
  db: Db,
  { workspaceId, importId }: ImportKey,
  progress: string,
): Promise<void> {
  await db
    .updateTable('sourceImports')
    .set({ progress })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', importId)
    .execute()
}

export interface EndOfImport {
  endedAt: Date
  sources?: readonly SourceImport[]
  error?: string
}

export async function endImport(
  db: Db,
  { workspaceId, importId }: ImportKey,
  { endedAt, sources = [], error }: EndOfImport,
): Promise<void> {
  const hasFailed = error !== undefined || sources.some((one) => one.error !== undefined)
  await db
    .updateTable('sourceImports')
    .set({
      state: hasFailed ? 'Failed' : 'Succeeded',
      progress: null,
      sources: JSON.stringify(sources),
      error: error ?? null,
      endedAt,
    })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', importId)
    .execute()
}

const SHOWN = 20

/** The newest ones. */
export async function listImports(db: Db, workspaceId: string) {
  return db
    .selectFrom('sourceImports')
    .select(['id', 'fileName', 'sizeBytes', 'state', 'progress', 'error'])
    .select(['createdAt', 'createdByEmail', 'endedAt'])
    .select(sql<readonly SourceImport[] | null>`sources`.as('sources'))
    .where('workspaceId', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .$narrowType<{ state: 'Waiting' | 'Importing' | 'Succeeded' | 'Failed' }>()
    .execute()
}

export async function countUnfinishedImports(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sourceImports')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', workspaceId)
    .where('state', 'in', ['Waiting', 'Importing'])
    .executeTakeFirstOrThrow()
  return count
}

/** Those whose file is still needed. */
export async function listUnfinishedImports(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sourceImports')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('state', 'in', ['Waiting', 'Importing'])
    .execute()
  return rows.map(({ id }) => id)
}

export async function isImportUnfinished(db: Db, importId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sourceImports')
    .select('id')
    .where('id', '=', importId)
    .where('state', 'in', ['Waiting', 'Importing'])
    .executeTakeFirst()
  return row !== undefined
}
