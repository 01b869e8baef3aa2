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
  return selectVersions(db, workspaceId, firmwareVersionIds).select('firmware.part').execute()
}

function selectVersions(db: Db, workspaceId: string, ids: readonly string[]) {
  return db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .where('version.workspaceId', '=', workspaceId)
    .where(sql<boolean>`version.id = any(${ids}::uuid[])`)
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
  return selectVersions(db, workspaceId, ids)
    .select(['version.id', 'version.firmwareId', 'firmware.slug', 'version.name'])
    .execute()
}

/** Locks the artifacts of the versions against changes. Answers the ids of the versions that have one. */
export async function lockArtifactsShared(
  tx: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<string[]> {
  // Lock versions before their artifacts, in the same order as the deletion of a version does.
  await tx
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${firmwareVersionIds}::uuid[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const rows = await tx
    .selectFrom('firmwareArtifacts')
    .select('firmwareVersionId as id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`firmware_version_id = any(${firmwareVersionIds}::uuid[])`)
    .orderBy('firmwareVersionId')
    .forShare()
    .execute()
  return rows.map(({ id }) => id)
}
