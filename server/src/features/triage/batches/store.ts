/** The commands by which people and keys decided about findings. */
import { sql } from 'kysely'
import type { Assessment, DecisionSource } from '../../../formats/assessments.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { RestoredStanding } from '../standing/store.ts'

export const DECISION_ACTS = [
  'Assess',
  'Ignore',
  'Unignore',
  'Repeat',
  'Renew',
  'HandOver',
] as const
export type DecisionAct = (typeof DECISION_ACTS)[number]

export interface BatchRow {
  id: string
  createdAt: Date
  source: DecisionSource
  createdByEmail: string | null
  act: DecisionAct
  assessment: Assessment | null
  findingCount: number
  vulnerabilityIds: string[]
  vulnerabilityCount: number
  /** The decision for findings to come that it made. */
  standing: RestoredStanding | null
}

export interface StoredBatch extends BatchRow {
  undoneAt: Date | null
  undoneByEmail: string | null
  leftCount: number | null
}

export async function insertBatch(tx: Tx, workspaceId: string, row: BatchRow): Promise<void> {
  const { standing, ...columns } = row
  await tx
    .insertInto('decisionBatches')
    .values({ workspaceId, ...columns, standing: standing && JSON.stringify(standing) })
    .execute()
}

const selectBatches = (db: Db, workspaceId: string) =>
  db
    .selectFrom('decisionBatches')
    .select(['id', 'createdAt', 'source', 'createdByEmail', 'act', 'assessment', 'findingCount'])
    .select(['vulnerabilityIds', 'vulnerabilityCount', 'undoneAt', 'undoneByEmail', 'leftCount'])
    .select(sql<RestoredStanding | null>`standing`.as('standing'))
    .where('workspaceId', '=', workspaceId)
    .$narrowType<Pick<BatchRow, 'source' | 'act' | 'assessment'>>()

export async function findBatch(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<StoredBatch | undefined> {
  return selectBatches(db, workspaceId).where('id', '=', id).executeTakeFirst()
}

interface BatchSides {
  firmwareVersionIds: string[]
  packageIds: string[]
  vulnerabilityIds: string[]
}

/** The firmware versions and packages that a batch decided about, which are locked before it is taken back. */
export async function listBatchSides(
  db: Db,
  { workspaceId, batchId }: { workspaceId: string; batchId: string },
): Promise<BatchSides> {
  const { rows } = await sql<BatchSides>`
    select coalesce(array_agg(distinct firmware_version_id), '{}') as firmware_version_ids,
      coalesce(array_agg(distinct package_id), '{}') as package_ids,
      coalesce(array_agg(distinct vulnerability_id), '{}') as vulnerability_ids
    from finding_timeline where workspace_id = ${workspaceId} and batch_id = ${batchId}`.execute(db)
  return rows[0] ?? { firmwareVersionIds: [], packageIds: [], vulnerabilityIds: [] }
}

/** So that it is taken back once. */
export async function lockBatch(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<StoredBatch | undefined> {
  return selectBatches(tx, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst()
}

interface PageAsked {
  createdByEmail: string | undefined
  limit: number
  after: { createdAt: string; id: string } | undefined
}

/** Newest first. */
export async function listBatches(
  db: Db,
  workspaceId: string,
  { createdByEmail, limit, after }: PageAsked,
): Promise<StoredBatch[]> {
  let query = selectBatches(db, workspaceId)
  if (createdByEmail !== undefined) query = query.where('createdByEmail', '=', createdByEmail)
  if (after)
    query = query.where(
      sql<boolean>`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    )
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** What a batch did to a finding. */
export interface DecidedFinding extends FindingKey {
  id: string
  firmwareVersionName: string
  firmwareName: string
  assessmentBefore: Assessment
  ignoredBefore: boolean
  assessment: Assessment
  ignored: boolean
}

/** In the order in which they were decided. A finding with two identities has an entry under each, of one id. */
export async function listDecidedFindings(
  db: Db,
  { workspaceId, batchId }: { workspaceId: string; batchId: string },
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<DecidedFinding[]> {
  const { rows } = await sql<DecidedFinding>`
    select distinct on (entry.id) entry.id, entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
      version.name as firmware_version_name, firmware.name as firmware_name,
      coalesce(entry.before ->> 'assessment', 'NotAssessed') as assessment_before,
      coalesce((entry.before ->> 'ignored')::boolean, false) as ignored_before, entry.assessment, entry.ignored
    from finding_timeline as entry
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = entry.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId}
      and (${afterId ?? null}::uuid is null or entry.id > ${afterId ?? null}::uuid)
    order by entry.id limit ${limit}`.execute(db)
  return rows
}

export async function updateUndone(
  tx: Tx,
  workspaceId: string,
  { id, ...undone }: Pick<StoredBatch, 'id' | 'undoneAt' | 'undoneByEmail' | 'leftCount'>,
): Promise<void> {
  await tx
    .updateTable('decisionBatches')
    .set(undone)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
