/** What was read of the bytes of artifacts: of full images, parts and deltas alike. */
import { sql } from 'kysely'
import type { ImageFacts, ImageHash } from '../../formats/images/image-facts.ts'
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

/** What is kept of bytes: what was read of them, and signatures that stand beside them. */
const OF_BYTES = ['image_facts', 'artifact_signatures'] as const

/** Forgets what is kept of bytes that are no artifact of the version any more. */
export async function forgetGone(
  tx: Tx,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  for (const table of OF_BYTES)
    await sql`
      delete from ${sql.table(table)} as kept
      where kept.workspace_id = ${workspaceId} and kept.firmware_version_id = ${firmwareVersionId}
        and ${isGone(workspaceId)}`.execute(tx)
}

/** Of a row \`kept\`. */
const isGone = (workspaceId: string) => sql<boolean>`not exists (
  select from ${selectArtifacts(workspaceId)} as artifact
  where artifact.firmware_version_id = kept.firmware_version_id and artifact.blob_id = kept.blob_id)`

/** Of deltas that begin with versions which are about to be deleted: they go with these. */
export async function forgetDeltasOf(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  for (const table of OF_BYTES)
    await sql`
      delete from ${sql.table(table)} as kept
      using firmware_role_artifacts as delta
      where kept.workspace_id = ${workspaceId} and delta.workspace_id = ${workspaceId}
        and delta.base_version_id = any(${firmwareVersionIds}::uuid[])
        and kept.firmware_version_id = delta.firmware_version_id and kept.blob_id = delta.blob_id`.execute(
      tx,
    )
}

/** The version is locked, so that its artifacts stay as they are until then. */
export async function saveFacts(
  tx: Tx,
  { workspaceId, firmwareVersionId, blobId }: ArtifactKey,
  {
    facts,
    awaitsKey,
    examinerVersion,
    examinedAt,
    checkedWith,
  }: {
    facts: ImageFacts
    awaitsKey: boolean
    examinerVersion: number
    examinedAt: Date
    /** Null: another message about the file has it examined again. */
    checkedWith: string | null
  },
): Promise<void> {
  await sql`
    insert into image_facts (workspace_id, firmware_version_id, blob_id, examiner_version, facts, awaits_key, examined_at, checked_with)
    select ${workspaceId}, artifact.firmware_version_id, artifact.blob_id, ${examinerVersion}, ${JSON.stringify(facts)}::jsonb,
      ${awaitsKey}, ${examinedAt}, ${checkedWith}
    from ${selectArtifacts(workspaceId)} as artifact
    where artifact.firmware_version_id = ${firmwareVersionId} and artifact.blob_id = ${blobId}
    on conflict (workspace_id, firmware_version_id, blob_id) do update set examiner_version = excluded.examiner_version,
      facts = excluded.facts, awaits_key = excluded.awaits_key, examined_at = excluded.examined_at,
      checked_with = excluded.checked_with`.execute(tx)
}

/** Whether all of it is known already: nothing else was there to check the file with. */
export async function isExamined(
  db: Db,
  { workspaceId, firmwareVersionId, blobId }: ArtifactKey,
  { examinerVersion, checkedWith }: { examinerVersion: number; checkedWith: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('imageFacts')
    .select('blobId')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('blobId', '=', blobId)
    .where('examinerVersion', '>=', examinerVersion)
    .where('checkedWith', '=', checkedWith)
    .executeTakeFirst()
  return row !== undefined
}

/** What is kept of the file is wrong: the next message about it has it examined again. */
export async function forgetExamined(
  tx: Tx,
  { workspaceId, firmwareVersionId, blobId }: ArtifactKey,
): Promise<void> {
  await tx
    .updateTable('imageFacts')
    .set({ checkedWith: null })
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('blobId', '=', blobId)
    .execute()
}

export interface KeptOfArtifact {
  firmwareVersionId: string
  blobId: string
  fileName: string
  sha256: string
  /** null: nothing is kept. */
  examinerVersion: number | null
  hashes: ImageHash[] | null
}

/** Each artifact of the workspace, with the hashes that are kept of it. */
export async function listKeptOfArtifacts(db: Db, workspaceId: string): Promise<KeptOfArtifact[]> {
  const { rows } = await sql<KeptOfArtifact>`
    select artifact.firmware_version_id, artifact.blob_id, artifact.file_name, artifact.sha256, fact.examiner_version,
      fact.facts -> 'hashes' as hashes
    from ${selectArtifacts(workspaceId)} as artifact
    left join image_facts as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
    order by artifact.firmware_version_id, artifact.blob_id`.execute(db)
  return rows
}

/** Bytes of which something is kept and that are no artifact any more. */
export async function listGone(
  db: Db,
  workspaceId: string,
): Promise<{ firmwareVersionId: string; blobId: string }[]> {
  const kept = OF_BYTES.map(
    (table) => sql`
      select kept.firmware_version_id, kept.blob_id from ${sql.table(table)} as kept
      where kept.workspace_id = ${workspaceId} and ${isGone(workspaceId)}`,
  )
  const { rows } = await sql<{ firmwareVersionId: string; blobId: string }>`
    ${sql.join(kept, sql` union `)} order by firmware_version_id, blob_id`.execute(db)
  return rows
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
  sizeBytes: number
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
    select artifact.firmware_version_id, artifact.role, base.name as base_version, artifact.file_name, artifact.size_bytes,
      artifact.sha256, fact.facts, fact.examined_at
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
