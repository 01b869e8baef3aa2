/** Which files of the workspace are signed, and alike: a build signs all of its files with the same key. */
import { sql } from 'kysely'
import type { SignatureFact } from '../../../formats/images/image-facts.ts'
import type { Db } from '../../../platform/db/connect.ts'

export interface SignedFiles {
  kind: 'Image' | 'Statement' | 'Sbom'
  signatures: SignatureFact[]
  fault: string | null
  obstacle: string | null
  fileCount: number
  firmwareVersionIds: string[]
}

/** Files with a signature that is valid for some key, those with the same facts together. */
export async function listSignedFiles(db: Db, workspaceId: string): Promise<SignedFiles[]> {
  const { rows } = await sql<SignedFiles>`
    select file.kind, file.facts -> 'signatures' as signatures, file.facts ->> 'fault' as fault, file.facts ->> 'obstacle' as obstacle,
      count(*)::int as file_count, array_agg(distinct file.firmware_version_id) as firmware_version_ids
    from (
      select 'Image' as kind, fact.firmware_version_id, fact.facts
      from image_facts as fact
      where fact.workspace_id = ${workspaceId} and (exists (select from firmware_artifacts as image
          where image.workspace_id = ${workspaceId} and image.firmware_version_id = fact.firmware_version_id and image.blob_id = fact.blob_id)
        or exists (select from firmware_role_artifacts as part
          where part.workspace_id = ${workspaceId} and part.firmware_version_id = fact.firmware_version_id and part.blob_id = fact.blob_id))
      union all
      select 'Statement', firmware_version_id, facts from provenance_statements where workspace_id = ${workspaceId}
      union all
      select 'Sbom', sbom.firmware_version_id, fact.facts
      from sbom_signature_facts as fact
      join sboms as sbom on sbom.workspace_id = ${workspaceId} and sbom.id = fact.sbom_id
      where fact.workspace_id = ${workspaceId}) as file
    where file.facts @? '$.signatures[*] ? (@.outcome == "Valid")'
    group by 1, 2, 3, 4`.execute(db)
  return rows
}

export interface VersionName {
  id: string
  name: string
  firmwareName: string
}

export async function listVersionNames(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
    limit,
  }: { workspaceId: string; firmwareVersionIds: readonly string[]; limit: number },
): Promise<VersionName[]> {
  const { rows } = await sql<VersionName>`
    select version.id, version.name, firmware.name as firmware_name
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    order by firmware.name, version.name, version.id limit ${limit}`.execute(db)
  return rows
}

/** Artifacts and SBOMs of which nobody has read the signatures yet. */
export async function countUnchecked(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (
      select artifact.firmware_version_id, artifact.blob_id from firmware_artifacts as artifact where artifact.workspace_id = ${workspaceId}
      union all
      select part.firmware_version_id, part.blob_id from firmware_role_artifacts as part where part.workspace_id = ${workspaceId}
      union all
      select sbom.firmware_version_id, sbom.id from sboms as sbom where sbom.workspace_id = ${workspaceId}) as file
    where not exists (select from image_facts as fact where fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = file.firmware_version_id and fact.blob_id = file.blob_id)
      and not exists (select from sbom_signature_facts as fact where fact.workspace_id = ${workspaceId} and fact.sbom_id = file.blob_id)`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
