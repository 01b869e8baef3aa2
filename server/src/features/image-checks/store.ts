/** What was read of the bytes of artifacts: of full images, parts and deltas alike. */
import { sql } from 'kysely'
import type { ImageFacts } from '../../formats/images/image-facts.ts'
import { findPredecessorOf } from '../firmware/index.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface ArtifactKey {
  workspaceId: string
  firmwareVersionId: string
  blobId: string
}

/** All artifacts of the workspace, as rows of one table. */
export const selectArtifacts = (workspaceId: string) => sql`(
  select firmware_version_id, blob_id, 'image' as role, null::uuid as base_version_id, file_name, size_bytes, sha256, created_at
  from firmware_artifacts where workspace_id = ${workspaceId}
  union all
  select firmware_version_id, blob_id, role, base_version_id, file_name, size_bytes, sha256, created_at
  from firmware_role_artifacts where workspace_id = ${workspaceId})`

/** undefined: the artifact was replaced or deleted. */
export async function findSize(
  db: Db,
  { workspaceId, firmwareVersionId, blobId }: ArtifactKey,
): Promise<number | undefined> {
  const { rows } = await sql<{ sizeBytes: number }>`
    select size_bytes from ${selectArtifacts(workspaceId)} as artifact
    where firmware_version_id = ${firmwareVersionId} and blob_id = ${blobId}`.execute(db)
  return rows[0]?.sizeBytes
}

/** Also forgets what was read of bytes that are no longer an artifact of the version. */
export async function saveFacts(
  tx: Tx,
  { workspaceId, firmwareVersionId, blobId }: ArtifactKey,
  {
    facts,
    awaitsKey,
    examinerVersion,
    examinedAt,
  }: { facts: ImageFacts; awaitsKey: boolean; examinerVersion: number; examinedAt: Date },
): Promise<void> {
  await sql`
    delete from image_facts as fact where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and not exists (select from ${selectArtifacts(workspaceId)} as artifact
        where artifact.firmware_version_id = fact.firmware_version_id and artifact.blob_id = fact.blob_id)`.execute(
    tx,
  )
  await sql`
    insert into image_facts (workspace_id, firmware_version_id, blob_id, examiner_version, facts, awaits_key, examined_at)
    select ${workspaceId}, artifact.firmware_version_id, artifact.blob_id, ${examinerVersion}, ${JSON.stringify(facts)}::jsonb,
      ${awaitsKey}, ${examinedAt}
    from ${selectArtifacts(workspaceId)} as artifact
    where artifact.firmware_version_id = ${firmwareVersionId} and artifact.blob_id = ${blobId}
    on conflict (workspace_id, firmware_version_id, blob_id) do update set examiner_version = excluded.examiner_version,
      facts = excluded.facts, awaits_key = excluded.awaits_key, examined_at = excluded.examined_at`.execute(
    tx,
  )
}

export async function listAwaiting(db: Db, workspaceId: string): Promise<ArtifactKey[]> {
  return db
    .selectFrom('imageFacts')
    .select(['workspaceId', 'firmwareVersionId', 'blobId'])
    .where('workspaceId', '=', workspaceId)
    .where('awaitsKey', '=', true)
    .orderBy('firmwareVersionId')
    .execute()
}

/** Of one workspace: artifacts that nobody examined, or an earlier version of the examiner did. */
export async function listUnexamined(
  db: Db,
  {
    workspaceId,
    examinerVersion,
    limit,
  }: { workspaceId: string; examinerVersion: number; limit: number },
): Promise<ArtifactKey[]> {
  const { rows } = await sql<ArtifactKey>`
    select ${workspaceId}::text as workspace_id, artifact.firmware_version_id, artifact.blob_id
    from ${selectArtifacts(workspaceId)} as artifact
    left join image_facts as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
    where (fact.examiner_version is null or fact.examiner_version < ${examinerVersion})
    order by artifact.created_at desc limit ${limit}`.execute(db)
  return rows
}

export interface ExaminedRow {
  firmwareVersionId: string
  /** `image`: the full image. */
  role: string
  /** Of a delta: what a device has to run. */
  baseVersion: string | null
  fileName: string
  sha256: string
  /** Both null: not examined yet. */
  facts: ImageFacts | null
  examinedAt: Date | null
}

export async function listExamined(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<ExaminedRow[]> {
  const { rows } = await sql<ExaminedRow>`
    select artifact.firmware_version_id, artifact.role, base.name as base_version, artifact.file_name, artifact.sha256,
      fact.facts, fact.examined_at
    from ${selectArtifacts(workspaceId)} as artifact
    left join firmware_versions as base on base.workspace_id = ${workspaceId} and base.id = artifact.base_version_id
    left join image_facts as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
    where artifact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
    order by artifact.firmware_version_id, artifact.role <> 'image', artifact.role = 'delta', artifact.role, base.name`.execute(
    db,
  )
  return rows
}

export interface VersionRow {
  id: string
  name: string
  /** null: it has none, or the image of it states no counter. */
  predecessor: { name: string; securityCounter: number } | null
}

export async function listVersions(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select version.id, version.name, (
      select json_build_object('name', predecessor.name,
        'securityCounter', max((fact.facts #>> '{statement,securityCounter}')::bigint))
      from firmware_versions as predecessor
      join firmware_artifacts as artifact on artifact.workspace_id = ${workspaceId} and artifact.firmware_version_id = predecessor.id
      join image_facts as fact on fact.workspace_id = ${workspaceId} and fact.firmware_version_id = predecessor.id
        and fact.blob_id = artifact.blob_id
      where predecessor.workspace_id = ${workspaceId} and predecessor.id = ${findPredecessorOf(workspaceId)}
        and fact.facts #>> '{statement,securityCounter}' is not null
      group by predecessor.name) as predecessor
    from firmware_versions as version
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    order by version.id`.execute(db)
  return rows
}
