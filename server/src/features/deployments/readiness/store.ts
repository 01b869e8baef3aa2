import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** Counts the clients of the cohort's devices that were last seen at the hawkBit door. */
export async function countHawkbitClients(
  db: Db,
  { workspaceId, cohortId }: { workspaceId: string; cohortId: string },
): Promise<{ client: string | null; devices: number }[]> {
  return db
    .selectFrom('devices')
    .select(['client', sql<number>`count(*)::int`.as('devices')])
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .where('door', '=', 'Ddi')
    .groupBy('client')
    .orderBy(sql`count(*)`, 'desc')
    .execute()
}

export async function listParts(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<{ part: string }[]> {
  return db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .select('firmware.part')
    .where('version.workspaceId', '=', workspaceId)
    .where(sql<boolean>`version.id = any(${firmwareVersionIds}::uuid[])`)
    .execute()
}

export interface DeployableVersion {
  id: string
  firmwareId: string
  slug: string
  name: string
}

export async function listVersions(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<DeployableVersion[]> {
  const { rows } = await sql<DeployableVersion>`
    select version.id, version.firmware_id, firmware.slug, version.name
    from firmware_versions as version
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${ids}::uuid[])`.execute(db)
  return rows
}

/** Locks the artifacts of the versions against changes. Answers the ids of the versions that have one. */
export async function lockArtifactsShared(
  tx: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<string[]> {
  // Lock versions before their artifacts, in the same order as the deletion of a version does.
  await sql`
    select id from firmware_versions
    where workspace_id = ${workspaceId} and id = any(${firmwareVersionIds}::uuid[])
    order by id for key share`.execute(tx)
  const { rows } = await sql<{ id: string }>`
    select firmware_version_id as id from firmware_artifacts
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
    order by firmware_version_id for share`.execute(tx)
  return rows.map(({ id }) => id)
}
