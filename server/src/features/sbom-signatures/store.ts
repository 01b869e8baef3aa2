/** What was read of the signatures of SBOMs, and those that stand beside them. */
import { sql } from 'kysely'
import type { SbomSignatureFacts } from '../../formats/sbom-signatures/examine-sbom.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface SbomKey {
  workspaceId: string
  sbomId: string
}

/** Nothing is kept of an SBOM that was deleted or replaced meanwhile. */
export async function saveFacts(
  tx: Tx,
  { workspaceId, sbomId }: SbomKey,
  {
    facts,
    awaitsKey,
    examinerVersion,
    examinedAt,
  }: {
    facts: SbomSignatureFacts
    awaitsKey: boolean
    examinerVersion: number
    examinedAt: Date
  },
): Promise<void> {
  await sql`
    insert into sbom_signature_facts (workspace_id, sbom_id, examiner_version, facts, awaits_key, examined_at)
    select ${workspaceId}, sbom.id, ${examinerVersion}, ${JSON.stringify(facts)}::jsonb, ${awaitsKey}, ${examinedAt}
    from sboms as sbom where sbom.workspace_id = ${workspaceId} and sbom.id = ${sbomId}
    on conflict (workspace_id, sbom_id) do update set examiner_version = excluded.examiner_version,
      facts = excluded.facts, awaits_key = excluded.awaits_key, examined_at = excluded.examined_at`.execute(
    tx,
  )
}

export async function listAwaiting(db: Db, workspaceId: string): Promise<SbomKey[]> {
  return db
    .selectFrom('sbomSignatureFacts')
    .select(['workspaceId', 'sbomId'])
    .where('workspaceId', '=', workspaceId)
    .where('awaitsKey', '=', true)
    .orderBy('sbomId')
    .execute()
}

/** Of one workspace: SBOMs that nobody examined, or an earlier version of the examiner did. */
export async function listUnexamined(
  db: Db,
  {
    workspaceId,
    examinerVersion,
    limit,
  }: { workspaceId: string; examinerVersion: number; limit: number },
): Promise<SbomKey[]> {
  const { rows } = await sql<SbomKey>`
    select sbom.workspace_id, sbom.id as sbom_id from sboms as sbom
    left join sbom_signature_facts as fact on fact.workspace_id = ${workspaceId} and fact.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and (fact.examiner_version is null or fact.examiner_version < ${examinerVersion})
    order by sbom.created_at desc limit ${limit}`.execute(db)
  return rows
}

export interface ExaminedSbom {
  sbomId: string
  firmwareVersionId: string
  fileName: string
  /** Both null: not examined yet. */
  facts: SbomSignatureFacts | null
  examinedAt: Date | null
}

export async function listExamined(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<ExaminedSbom[]> {
  const { rows } = await sql<ExaminedSbom>`
    select sbom.id as sbom_id, sbom.firmware_version_id, sbom.file_name, fact.facts, fact.examined_at
    from sboms as sbom
    left join sbom_signature_facts as fact on fact.workspace_id = ${workspaceId} and fact.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = any(${firmwareVersionIds}::uuid[])
    order by sbom.firmware_version_id, sbom.file_name, sbom.id`.execute(db)
  return rows
}

export interface BesideRow {
  id: string
  sbomId: string
  fileName: string
  content: string
  createdAt: Date
  createdByEmail: string | null
}

export async function listBeside(
  db: Db,
  workspaceId: string,
  sbomIds: readonly string[],
): Promise<BesideRow[]> {
  if (sbomIds.length === 0) return []
  return db
    .selectFrom('sbomSignatures')
    .select(['id', 'sbomId', 'fileName', 'content', 'createdAt', 'createdByEmail'])
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', 'in', sbomIds)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function insertBeside(
  tx: Tx,
  row: BesideRow & { workspaceId: string },
): Promise<void> {
  await tx.insertInto('sbomSignatures').values(row).execute()
}

export async function deleteBeside(
  tx: Tx,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await tx
    .deleteFrom('sbomSignatures')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
