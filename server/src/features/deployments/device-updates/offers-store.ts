/** Reads and records what is offered to devices. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { DeploymentOptions } from '../store.ts'

export interface OpenUpdate {
  deviceId: string
  deploymentId: string
  updateId: string
  /** hawkBit's action id. */
  number: number
  attempt: number
  state: 'pending' | 'inProgress'
  wasOffered: boolean
  isRollback: boolean
  options: DeploymentOptions
}

/**
 * Updates that are released and not reported as installed. In a paused roll-out only devices that have begun continue.
 * Leaves out devices that already run all versions: such an update may be newer than the last report.
 */
export async function listOpenUpdates(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<OpenUpdate[]> {
  const { rows } = await sql<OpenUpdate>`
    select updates.device_id, updates.deployment_id, updates.update_id, updates.number, updates.attempt, updates.state,
      updates.offered_at is not null as was_offered, deployment.rollback_of_id is not null as is_rollback, deployment.options
    from device_updates as updates
    join deployments as deployment
      on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
    where updates.workspace_id = ${workspaceId} and updates.device_id = any(${deviceIds}::text[])
      and ${isOffered(workspaceId)}`.execute(db)
  return rows
}

/** Of `updates` of a `deployment`. */
const isOffered = (workspaceId: string) => sql<boolean>`
  updates.state in ('pending', 'inProgress') and updates.released_at is not null
  and updates.installed_at is null and deployment.is_active
  and (updates.state = 'inProgress' or deployment.state = 'Running')
  and exists (
    select from deployment_artifacts as artifact
    where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id
      and not exists (
        select from device_firmwares as firmware
        where firmware.workspace_id = ${workspaceId} and firmware.device_id = updates.device_id
          and firmware.firmware_version_id = artifact.firmware_version_id))`

/** Devices that are offered a version, alike in all that decides which of its artifacts. */
export interface OfferGroup {
  /** Of these versions the one that they reported to run; null: none of them. */
  baseVersionId: string | null
  attempt: number
  isRollback: boolean
  deployedAt: Date
  door: string | null
  client: string | null
  deviceCount: number
}

export async function countOffers(
  db: Db,
  workspaceId: string,
  { firmwareVersionId, baseVersionIds }: { firmwareVersionId: string; baseVersionIds: string[] },
): Promise<OfferGroup[]> {
  const { rows } = await sql<OfferGroup>`
    select running.firmware_version_id as base_version_id, least(updates.attempt, 2) as attempt,
      deployment.rollback_of_id is not null as is_rollback, deployment.created_at as deployed_at,
      device.door, device.client, count(*)::int as device_count
    from deployment_artifacts as held
    join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = held.deployment_id
    join device_updates as updates
      on updates.workspace_id = ${workspaceId} and updates.deployment_id = deployment.id
    join devices as device on device.workspace_id = ${workspaceId} and device.id = updates.device_id
    left join device_firmwares as running
      on running.workspace_id = ${workspaceId} and running.device_id = updates.device_id
        and running.firmware_version_id = any(${baseVersionIds}::uuid[]) and running.confirmed
    where held.workspace_id = ${workspaceId} and held.firmware_version_id = ${firmwareVersionId}
      and ${isOffered(workspaceId)}
    group by running.firmware_version_id, least(updates.attempt, 2), is_rollback, deployment.created_at, device.door, device.client`.execute(
    db,
  )
  return rows
}

/** How many devices reported to run each of these versions. */
export async function countRunning(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ versionId: string; deviceCount: number }>`
    select firmware_version_id as version_id, count(*)::int as device_count from device_firmwares
    where workspace_id = ${workspaceId} and firmware_version_id = any(${versionIds}::uuid[]) and confirmed
    group by firmware_version_id`.execute(db)
  return new Map(rows.map(({ versionId, deviceCount }) => [versionId, deviceCount]))
}

/** Records that updates are offered. Answers the ids of those still open: one may have been cancelled meanwhile. */
export async function markOffered(
  db: Db,
  workspaceId: string,
  { updateIds, now }: { updateIds: readonly string[]; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ updateId: string }>`
    with locked as materialized (
      select deployment_id, device_id from device_updates
      where workspace_id = ${workspaceId} and update_id = any(${updateIds}::uuid[])
        and state in ('pending', 'inProgress')
      order by device_id, deployment_id for no key update)
    update device_updates as updates set offered_at = ${now}
    from locked
    where updates.workspace_id = ${workspaceId} and updates.deployment_id = locked.deployment_id
      and updates.device_id = locked.device_id
    returning updates.update_id`.execute(db)
  return rows.map(({ updateId }) => updateId)
}

/** The newest cancelled update of each device that the device has not acknowledged. */
export async function listCancelNotices(
  db: Db,
  workspaceId: string,
  { deviceIds, since }: { deviceIds: readonly string[]; since: Date },
): Promise<{ deviceId: string; updateId: string }[]> {
  return db
    .selectFrom('deviceUpdates')
    .distinctOn('deviceId')
    .select(['deviceId', 'updateId'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .where(sql<boolean>`cancel_offered`)
    .where('state', '=', 'cancelled')
    .where('finishedAt', '>', since)
    .orderBy('deviceId')
    .orderBy('number', 'desc')
    .execute()
}

export interface DeployedArtifact {
  /** From 0, in the order of installation. */
  position: number
  isMain: boolean
  firmwareVersionId: string
  slug: string
  /** Name of the firmware. */
  name: string
  /** hawkBit's type of the software module. */
  part: string
  version: string
  /** The version has further artifacts. */
  hasRoles: boolean
  /** When the deployment was made; null: it is in none yet. */
  deployedAt: Date | null
  blobId: string
  fileName: string
  sizeBytes: number
  sha256: string
  sha1: string
  md5: string
}

/** Full images of versions. */
const selectImages = (db: Db, workspaceId: string) =>
  db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .innerJoin('firmwareArtifacts as file', (join) =>
      join
        .onRef('file.workspaceId', '=', 'version.workspaceId')
        .onRef('file.firmwareVersionId', '=', 'version.id'),
    )
    .select(['version.id as firmwareVersionId', 'version.name as version'])
    .select(['firmware.slug', 'firmware.name', 'firmware.part'])
    .select(['file.blobId', 'file.fileName', 'file.sizeBytes'])
    .select(['file.sha256', 'file.sha1', 'file.md5'])
    .select(
      sql<boolean>`exists (
        select from firmware_role_artifacts as further
        where further.workspace_id = ${workspaceId} and further.firmware_version_id = version.id)`.as(
        'hasRoles',
      ),
    )
    .where('version.workspaceId', '=', workspaceId)

/** The artifacts of each deployment, in the order of installation. */
export async function listDeployedArtifacts(
  db: Db,
  workspaceId: string,
  deploymentIds: readonly string[],
): Promise<Map<string, DeployedArtifact[]>> {
  const rows = await selectImages(db, workspaceId)
    .innerJoin('deploymentArtifacts as held', (join) =>
      join
        .onRef('held.workspaceId', '=', 'version.workspaceId')
        .onRef('held.firmwareVersionId', '=', 'version.id'),
    )
    .innerJoin('deployments as deployment', (join) =>
      join
        .onRef('deployment.workspaceId', '=', 'held.workspaceId')
        .onRef('deployment.id', '=', 'held.deploymentId'),
    )
    .select(['held.deploymentId', 'held.position', 'held.isMain'])
    .select('deployment.createdAt as deployedAt')
    .where(sql<boolean>`held.deployment_id = any(${deploymentIds}::uuid[])`)
    .orderBy('held.deploymentId')
    .orderBy('held.position')
    .execute()
  return Map.groupBy(rows, ({ deploymentId }) => deploymentId)
}

/** The full image of a version that is perhaps in no deployment. */
export async function findImage(
  db: Db,
  workspaceId: string,
  firmwareVersionId: string,
): Promise<DeployedArtifact | undefined> {
  const image = await selectImages(db, workspaceId)
    .where('version.id', '=', firmwareVersionId)
    .executeTakeFirst()
  return image && { ...image, position: 0, isMain: true, deployedAt: null }
}

/** A further artifact of a version, beside its full image. */
export interface RoleFile {
  artifactId: string
  firmwareVersionId: string
  role: string
  /** Of a delta: the version that a device has to run. */
  baseVersionId: string | null
  baseVersion: string | null
  /** Of a delta that came later: deployments that were made before do not offer it. */
  offeredFrom: Date | null
  blobId: string
  fileName: string
  sizeBytes: number
  sha256: string
  sha1: string
  md5: string
}

/** Further artifacts of the versions: deltas, and parts in the order of their roles. */
export async function listRoleFiles(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<RoleFile[]> {
  return db
    .selectFrom('firmwareRoleArtifacts as file')
    .leftJoin('firmwareVersions as base', (join) =>
      join
        .onRef('base.workspaceId', '=', 'file.workspaceId')
        .onRef('base.id', '=', 'file.baseVersionId'),
    )
    .select(['file.id as artifactId', 'file.firmwareVersionId', 'file.role', 'file.baseVersionId'])
    .select(['base.name as baseVersion', 'file.blobId', 'file.fileName', 'file.sizeBytes'])
    .select(['file.sha256', 'file.sha1', 'file.md5', 'file.offeredFrom'])
    .where('file.workspaceId', '=', workspaceId)
    .where(sql<boolean>`file.firmware_version_id = any(${firmwareVersionIds}::uuid[])`)
    .orderBy('file.role')
    .orderBy('file.id')
    .execute()
}

/** Which of these versions each device runs, as it reported itself. */
export async function listRunningOf(
  db: Db,
  workspaceId: string,
  { deviceIds, versionIds }: { deviceIds: readonly string[]; versionIds: readonly string[] },
): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<{ deviceId: string; versionIds: string[] }>`
    select device_id, array_agg(firmware_version_id)::text[] as version_ids from device_firmwares
    where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[])
      and firmware_version_id = any(${versionIds}::uuid[]) and confirmed
    group by device_id`.execute(db)
  return new Map(rows.map((row) => [row.deviceId, new Set(row.versionIds)]))
}
