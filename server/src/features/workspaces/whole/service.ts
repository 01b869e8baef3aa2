/** What an operator does with a workspace as a whole: rename it, hand it over, delete it. */
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/index.ts'
import { getSettings } from '../service.ts'
import { listWorkspacesNamed, lockSettings } from '../store.ts'
import * as store from './store.ts'

/** Names tell workspaces apart for people, though ids do for programs. */
export async function requireFreeName(ctx: Pick<AppContext, 'db'>, name: string): Promise<void> {
  const [id] = await listWorkspacesNamed(ctx.db, name.trim())
  if (id === undefined) return
  throw new AppError(
    'conflict',
    'workspace-name-taken',
    `There is a workspace called ${JSON.stringify(name.trim())} already: ${id}.`,
  )
}

interface RenameWorkspace {
  workspaceId: string
  name: string
  actor: Actor
}

export async function renameWorkspace(ctx: AppContext, input: RenameWorkspace) {
  const { workspaceId, actor } = input
  const name = readName(input.name)
  await requireFreeName(ctx, name)
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockSettings(tx, workspaceId)
    if (!before) throw notFound('workspace', workspaceId)
    await store.updateName(tx, workspaceId, { name, updatedAt: ctx.now() })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'workspace.update',
      resourceType: 'workspace',
      resourceId: workspaceId,
      before: { name: before.name },
      after: { name },
    })
  })
  return { workspaceId, name }
}

/** Where slices keep files of a workspace. */
const FILES = ['sboms/', 'artifacts/', 'artifact-parts/']

/**
 * Deletes the rows first: files without rows are removed by the service, too, while rows without files would be faults.
 * The row of the workspace goes last, as Citus keeps all others from writing to such a table until the commit. People who
 * are in no other workspace go with it.
 */
export async function deleteWorkspace(
  ctx: AppContext,
  workspaceId: string,
): Promise<{ people: number; files: number }> {
  await getSettings(ctx, workspaceId)
  const tables = childrenFirst(await store.listTenantTables(ctx.db))
  const alone = await store.listPeopleOfOne(ctx.db, workspaceId)
  const people = await ctx.db.transaction().execute(async (tx) => {
    await store.takeAnyTime(tx)
    await store.changeNodesInTurn(tx)
    for (const { name } of tables) await store.deleteRows(tx, name, workspaceId)
    await store.deleteWorkspaceRow(tx, workspaceId)
    return store.deletePeople(tx, alone)
  })
  let files = 0
  for (const prefix of FILES)
    for await (const { key } of ctx.blobs.list(`${prefix}${workspaceId}/`)) {
      await ctx.blobs.delete(key)
      files += 1
    }
  return { people, files }
}

/** Each table before those it refers to: where keys are checked in another order, as after a restore, cascades may fail. */
function childrenFirst(tables: readonly store.TenantTable[]): store.TenantTable[] {
  const ordered: store.TenantTable[] = []
  for (let left = tables; left.length > 0;) {
    const referred = new Set(left.flatMap(({ refersTo }) => refersTo))
    const free = left.filter(({ name }) => !referred.has(name))
    if (free.length === 0)
      throw new Error(
        `These tables refer to each other: ${left.map(({ name }) => name).join(', ')}`,
      )
    for (const each of free) ordered.push(each)
    left = left.filter((table) => referred.has(table.name))
  }
  return ordered
}

/** What opens something is not handed over. */
const SECRET = /hash|secret|token|password/

export interface ExportSink {
  /** A file of JSON lines. */
  table: (name: string, rows: AsyncIterable<unknown>) => Promise<number>
  file: (key: string, content: AsyncIterable<Uint8Array>) => Promise<void>
}

/** All rows of one instant, and the files. @returns how many rows each table has */
export async function exportWorkspace(ctx: AppContext, workspaceId: string, sink: ExportSink) {
  await getSettings(ctx, workspaceId)
  const tables = await store.listTenantTables(ctx.db)
  const counts = await ctx.db.transaction().execute(async (tx) => {
    await store.readOneInstant(tx)
    await store.takeAnyTime(tx)
    return exportTables(tx, workspaceId, { tables, sink })
  })
  let files = 0
  for (const prefix of FILES)
    for await (const { key } of ctx.blobs.list(`${prefix}${workspaceId}/`)) {
      await sink.file(key, await ctx.blobs.get(key))
      files += 1
    }
  return { ...counts, files }
}

async function exportTables(
  tx: Tx,
  workspaceId: string,
  { tables, sink }: { tables: readonly store.TenantTable[]; sink: ExportSink },
) {
  const counts: Record<string, number> = {
    workspaces: await sink.table(
      'workspaces',
      one([await store.readWorkspaceRow(tx, workspaceId)]),
    ),
    people: await sink.table('people', one(await store.listPeopleOfWorkspace(tx, workspaceId))),
  }
  for (const { name, columns } of tables) {
    const without = columns.filter((column) => SECRET.test(column))
    counts[name] = await sink.table(name, store.readRows(tx, { name, workspaceId, without }))
  }
  return { rows: counts }
}

async function* one(rows: readonly unknown[]): AsyncGenerator {
  yield* rows
}
