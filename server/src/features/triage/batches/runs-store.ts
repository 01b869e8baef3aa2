/** Large decisions that are under way. Each holds a lock as long as its transaction lasts, by which others know that it goes on. */
import { sql } from 'kysely'
import type { Assessment } from '../../../formats/assessments.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { DecisionAct } from './store.ts'

export interface RunRow {
  workspaceId: string
  /** The id of the batch that it becomes, or takes back. */
  id: string
  isUndo: boolean
  act: DecisionAct
  assessment: Assessment | null
  createdByEmail: string | null
}

export interface RunProgress {
  findingCount: number | null
  doneCount: number
}

export interface ListedRun extends Omit<RunRow, 'workspaceId'>, RunProgress {
  startedAt: Date
  isHeld: boolean
}

const lockOf = (id: RawId) => sql`hashtextextended('decision-run ' || ${id}::text, 0)`
type RawId = string | ReturnType<typeof sql.ref>

/** Those that ended in the middle are told for a day. */
export async function insertRun(db: Db, { workspaceId, ...run }: RunRow): Promise<void> {
  await db
    .deleteFrom('decisionRuns')
    .where('workspaceId', '=', workspaceId)
    .where('startedAt', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
  await db
    .insertInto('decisionRuns')
    .values({ workspaceId, ...run })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'id']).doNothing())
    .execute()
}

export async function lockRun(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(id)})`.execute(tx)
}

export async function updateRun(
  db: Db,
  { workspaceId, id }: Pick<RunRow, 'workspaceId' | 'id'>,
  progress: RunProgress,
): Promise<void> {
  await db
    .updateTable('decisionRuns')
    .set(progress)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteRun(
  db: Db,
  { workspaceId, id }: Pick<RunRow, 'workspaceId' | 'id'>,
): Promise<void> {
  await db
    .deleteFrom('decisionRuns')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Oldest first. One that has just been noted takes its lock in a moment. */
export async function listRuns(
  db: Db,
  workspaceId: string,
  createdByEmail: string | undefined,
): Promise<ListedRun[]> {
  const held = sql<boolean>`not pg_try_advisory_xact_lock_shared(${lockOf(sql.ref('id'))})
    or started_at > now() - interval '5 seconds'`
  let query = db
    .selectFrom('decisionRuns')
    .select(['id', 'isUndo', 'act', 'assessment', 'createdByEmail', 'startedAt'])
    .select(['findingCount', 'doneCount', held.as('isHeld')])
    .where('workspaceId', '=', workspaceId)
    .$narrowType<Pick<ListedRun, 'act' | 'assessment'>>()
  if (createdByEmail !== undefined) query = query.where('createdByEmail', '=', createdByEmail)
  return query.orderBy('startedAt').orderBy('id').execute()
}
