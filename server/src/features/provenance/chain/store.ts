/** What links SBOMs, images and devices of firmware versions. */
import { sql } from 'kysely'
import type { ImageHash } from '../../../formats/images/image-facts.ts'
import type { DescribedHash, Hash, SbomFormat } from '../../../formats/sboms/model.ts'
import type { Db } from '../../../platform/db/connect.ts'

interface VersionKeys {
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

export async function listNames(
  db: Db,
  { workspaceId, firmwareVersionIds }: VersionKeys,
): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('firmwareVersions')
    .select(['id', 'name'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${firmwareVersionIds}::uuid[])`)
    .execute()
}

export interface ImageRow {
  firmwareVersionId: string
  fileName: string
  role: string | null
  sha256: string
  /** null: they were not read yet. */
  hashes: ImageHash[] | null
}

/** The full image first, then parts by name. Deltas lead to the full image. */
export async function listImages(
  db: Db,
  { workspaceId, firmwareVersionIds }: VersionKeys,
): Promise<ImageRow[]> {
  const { rows } = await sql<ImageRow>`
    select artifact.firmware_version_id, artifact.file_name, null::text as role, artifact.sha256, fact.facts -> 'hashes' as hashes
    from firmware_artifacts as artifact
    left join image_facts as fact on fact.workspace_id = artifact.workspace_id
      and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
    where artifact.workspace_id = ${workspaceId} and artifact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
    union all
    select part.firmware_version_id, part.file_name, part.role, part.sha256, fact.facts -> 'hashes' as hashes
    from firmware_role_artifacts as part
    left join image_facts as fact on fact.workspace_id = part.workspace_id
      and fact.firmware_version_id = part.firmware_version_id and fact.blob_id = part.blob_id
    where part.workspace_id = ${workspaceId} and part.firmware_version_id = any(${firmwareVersionIds}::uuid[]) and part.role <> 'delta'
    order by role nulls first`.execute(db)
  return rows
}

export interface SbomRow {
  id: string
  firmwareVersionId: string
  fileName: string
  format: SbomFormat | null
  sha256: string
  contentDigest: string | null
  describedHashes: DescribedHash[]
  /** Of components that are called as an image of the version is. */
  namesakes: { name: string; hashes: Hash[] }[]
}

/** Those that were read and count. */
export async function listSboms(
  db: Db,
  { workspaceId, firmwareVersionIds }: VersionKeys,
): Promise<SbomRow[]> {
  const { rows } = await sql<SbomRow>`
    select sbom.id, sbom.firmware_version_id, sbom.file_name, sbom.format, sbom.sha256, sbom.content_digest, sbom.described_hashes,
      coalesce((
        select json_agg(json_build_object('name', component.package_name, 'hashes', component.hashes))
        from sbom_components as component
        where component.workspace_id = ${workspaceId} and component.sbom_id = sbom.id and component.hashes <> '[]'
          and component.package_name = any(array(
            select artifact.file_name from firmware_artifacts as artifact
            where artifact.workspace_id = ${workspaceId} and artifact.firmware_version_id = sbom.firmware_version_id
            union all
            select part.file_name from firmware_role_artifacts as part
            where part.workspace_id = ${workspaceId} and part.firmware_version_id = sbom.firmware_version_id))
      ), '[]') as namesakes
    from sboms as sbom
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      and sbom.parsing_state = 'Succeeded' and sbom.staged_statements is null
    order by sbom.created_at, sbom.id`.execute(db)
  return rows
}
