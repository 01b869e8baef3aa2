/** What links SBOMs, images and devices of firmware versions. */
import { sql } from 'kysely'
import type { ImageHash } from '../../../formats/images/image-facts.ts'
import type { DeviceProofs } from '../../../formats/provenance/chain.ts'
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

/**
 * Of the devices that say that they run the version: what the attribute `imageHash.<slug>` says, or `imageHash` of a device that runs
 * nothing else. `own`: the hashes of the images of the version.
 */
export async function countDeviceProofs(
  db: Db,
  {
    workspaceId,
    firmwareVersionId,
    own,
  }: { workspaceId: string; firmwareVersionId: string; own: readonly string[] },
): Promise<DeviceProofs> {
  const { rows } = await sql<DeviceProofs>`
    with report as (
      select nullif(lower(trim(coalesce(device.attributes ->> ('imageHash.' || running.slug),
          case when not exists (
            select from device_firmwares as beside
            where beside.workspace_id = ${workspaceId} and beside.device_id = running.device_id and beside.slug <> running.slug)
          then device.attributes ->> 'imageHash' end))), '') as hash,
        running.build_id is not null as has_build_id, count(*)::int as devices
      from device_firmwares as running
      join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
      where running.workspace_id = ${workspaceId} and running.firmware_version_id = ${firmwareVersionId}
      group by 1, 2
    ), foreign_hash as (
      select hash from report where hash <> all(${own}::text[])
    ), known as (
      select stated.value ->> 'value' as hash
      from image_facts as fact
      cross join lateral jsonb_array_elements(coalesce(fact.facts -> 'hashes', '[]')) as stated (value)
      where fact.workspace_id = ${workspaceId} and stated.value ->> 'value' in (select hash from foreign_hash)
      union
      select artifact.sha256 from firmware_artifacts as artifact
      where artifact.workspace_id = ${workspaceId} and artifact.sha256 in (select hash from foreign_hash)
    )
    select coalesce(sum(devices), 0)::int as running,
      coalesce(sum(devices) filter (where hash = any(${own}::text[]) or (hash is null and has_build_id)), 0)::int as proved,
      coalesce(sum(devices) filter (where hash <> all(${own}::text[]) and hash in (select hash from known)), 0)::int as of_other,
      coalesce(sum(devices) filter (where hash <> all(${own}::text[]) and hash not in (select hash from known)), 0)::int as unknown,
      coalesce(sum(devices) filter (where hash is null and not has_build_id), 0)::int as named
    from report`.execute(db)
  return rows[0] ?? { running: 0, proved: 0, ofOther: 0, unknown: 0, named: 0 }
}
