/** The register of devices. */
import { sql } from 'kysely'
import { listMarks, type Mark, type MarkReader, UNKNOWN_MARK } from '../firmware/index.ts'
import type { Db } from '../../platform/db/connect.ts'
import { findImageOwners } from './images/store.ts'
import { findAlternation, findUnnamedVersion } from './intake/running.ts'
import type { Alternations } from './intake/store.ts'
import {
  type ImageOwner,
  type ImageReport,
  isBlindSpot,
  judgeImageReport,
} from '../../formats/provenance/image-hash.ts'
import { describeRotation, type KeyRotation } from '../../formats/key-rotation.ts'
import { readRotation, type RotationRow, selectOldestKeyAt, selectRotation } from './keys/store.ts'
import { isDeviceExploited, type Worst, worstOfDevice } from './list/store.ts'

export interface DeviceFields {
  description: string | null
  tags: readonly string[]
  attributes: Readonly<Record<string, unknown>>
}

export interface NewDevice {
  workspaceId: string
  id: string
  description: string | null
  tags: readonly string[]
  attributes: Readonly<Record<string, unknown>>
  createdAt: Date
}

/** Answers the ids of the new devices; existing ones stay as they are. New ones begin with the workspace's default log severity. */
export async function insertDevices(
  db: Db,
  workspaceId: string,
  devices: readonly NewDevice[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into devices (workspace_id, id, description, tags, attributes, created_at, effective_log_severity)
    select workspace.id, device.id, device.description, array(select json_array_elements_text(device.tags)),
      device.attributes, device."createdAt", workspace.default_log_severity
    from workspaces as workspace,
      json_to_recordset(${JSON.stringify(devices)}::json)
        as device (id text, description text, tags json, attributes jsonb, "createdAt" timestamptz)
    where workspace.id = ${workspaceId}
    order by device.id collate "C"
    on conflict (workspace_id, id) do nothing
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Locks the row before it is changed or deleted. Rows that refer to it may be written meanwhile: a deployment to its cohort
 * writes some, while this transaction may wait for the cohort.
 */
export async function lockDevice(
  tx: Db,
  workspaceId: string,
  id: string,
): Promise<DeviceFields | undefined> {
  return tx
    .selectFrom('devices')
    .select(['description', 'tags'])
    .select(sql<DeviceFields['attributes']>`attributes`.as('attributes'))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function updateDevice(
  tx: Db,
  {
    workspaceId,
    id,
    description,
    tags,
    attributes,
  }: DeviceFields & { workspaceId: string; id: string },
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ description, tags: [...tags], attributes: JSON.stringify(attributes) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** With the changes of their presence, whose rows refer to no device. */
export async function deleteDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('devices')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${[...deviceIds]}::text[])`)
    .execute()
  await tx
    .deleteFrom('devicePresenceChanges')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${[...deviceIds]}::text[])`)
    .execute()
}

/** Deletes the keys of these devices. Keys of the fleet stay. */
export async function deleteKeysOfDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('deviceKeys')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${[...deviceIds]}::text[])`)
    .execute()
}

interface DeviceRow {
  id: string
  description: string | null
  tags: string[]
  attributes: Record<string, unknown>
  alternation: { name: string; values: string[]; returns: number; lastAt: string } | null
  unnamedVersion: { attribute: string; version: string } | null
  cohort: { id: string; name: string } | null
  connected: boolean
  door: 'Mqtt' | 'Http' | 'Ddi' | null
  client: string | null
  createdAt: Date
  firstSeenAt: Date | null
  lastSeenAt: Date | null
  reportedAt: Date | null
  worst: Worst | null
  exploited: boolean
  firmware: {
    slug: string
    version: string
    buildId: string | null
    since: Date | string
    confirmed: boolean
    isBlindSpot: boolean
    image: ImageReport
    firmwareVersion: {
      id: string
      name: string
      mark: Mark
      firmware: { id: string; name: string }
    } | null
  }[]
  configuration: {
    desiredVersion: number
    desiredLogSeverity: 'Debug' | 'Info' | 'Warning' | 'Error' | 'Critical'
    acknowledgedVersion: number | null
  }
  currentUpdate: {
    deploymentId: string
    deploymentName: string
    state: string
    progress: number | null
    reason: string | null
  } | null
  lastUpdatedAt: Date | null
  keyRotation: (Omit<KeyRotation, 'refusedAt' | 'isHawkbit'> & { standing: string }) | null
  oldestKeyAt: Date | null
}

const desiredLogSeverity = (workspaceId: string) => sql`coalesce(device.desired_log_severity, (
  select cohort.log_severity from deployment_cohorts as cohort
  where cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id), workspace.default_log_severity)`

// A changed default, or another cohort, makes a new version, which is stored when it is next offered (`issueDesiredConfigurations`).
const configuration = (workspaceId: string) => sql`json_build_object(
  'desiredVersion', device.desired_version + (device.effective_log_severity <> ${desiredLogSeverity(workspaceId)})::int,
  'desiredLogSeverity', ${desiredLogSeverity(workspaceId)},
  'acknowledgedVersion', device.reported_configuration -> 'acknowledgedDesiredConfigurationVersion')`

type FirmwareRow = Omit<DeviceRow['firmware'][number], 'isBlindSpot' | 'image'> & {
  imageHash: string | null
}

/** PostgreSQL's JSON has a format of its own for instants. */
function asAnswer(
  { imageHash, ...firmware }: FirmwareRow,
  {
    marks,
    owners,
  }: { marks: ReadonlyMap<string, Mark>; owners: ReadonlyMap<string, ImageOwner[]> },
) {
  const { since, buildId, firmwareVersion: version } = firmware
  const mark = marks.get(version?.id ?? '') ?? UNKNOWN_MARK
  const firmwareVersion = version && { ...version, mark }
  const firmwareVersionId = version?.id ?? null
  const image = judgeImageReport({ imageHash, buildId, firmwareVersionId }, owners)
  const judged = { image, isBlindSpot: isBlindSpot(firmwareVersionId, image) }
  return { ...firmware, ...judged, since: new Date(since), firmwareVersion }
}

function asRotation(row: RotationRow | null, device: { lastSeenAt: Date | null }) {
  if (!row) return null
  const { refusedAt, isHawkbit, ...rotation } = readRotation(row)
  const standing = describeRotation({ ...rotation, refusedAt, isHawkbit, ...device })
  return { ...rotation, standing }
}

/** The devices that exist, in the order of the given ids. */
export async function describeDevices(
  ctx: MarkReader,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<DeviceRow[]> {
  const { rows } = await sql<
    Omit<DeviceRow, 'alternation' | 'unnamedVersion' | 'keyRotation' | 'firmware'> & {
      firmware: FirmwareRow[]
      keyRotation: RotationRow | null
      alternations: Alternations
      versionAttribute: string | null
    }
  >`
    select device.id, device.description, device.tags, device.attributes, device.connected, device.door,
      device.alternations, device.client, device.created_at, device.first_seen_at, device.last_seen_at, device.reported_at,
      workspace.device_version_attribute as version_attribute,
      (select json_build_object('id', cohort.id, 'name', cohort.name) from deployment_cohorts as cohort
        where cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id) as cohort,
      ${configuration(workspaceId)} as configuration, ${worstOfDevice(workspaceId)} as worst,
      ${isDeviceExploited(workspaceId)} as exploited, ${selectRotation(workspaceId)} as key_rotation, ${selectOldestKeyAt(workspaceId)} as oldest_key_at,
      (select json_build_object('deploymentId', deployment.id, 'deploymentName', deployment.name,
          'state', device_update.state, 'progress', device_update.progress, 'reason', device_update.reason)
        from deployments as deployment
        join device_updates as device_update on device_update.workspace_id = deployment.workspace_id
          and device_update.deployment_id = deployment.id and device_update.device_id = device.id
        where deployment.workspace_id = ${workspaceId} and deployment.cohort_id = device.cohort_id
          and deployment.is_active) as current_update,
      (select max(past.finished_at) from device_updates as past
        where past.workspace_id = ${workspaceId} and past.device_id = device.id and past.state = 'succeeded') as last_updated_at,
      (select coalesce(json_agg(json_build_object('slug', running.slug, 'version', running.version,
          'buildId', running.build_id, 'since', running.since, 'confirmed', running.confirmed,
          'imageHash', running.image_hash,
          'firmwareVersion', case when version.id is not null then json_build_object('id', version.id,
            'name', version.name, 'firmware', json_build_object('id', firmware.id, 'name', firmware.name)) end)
          order by running.slug), '[]')
        from device_firmwares as running
        left join firmware_versions as version
          on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
        left join firmwares as firmware
          on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
        where running.workspace_id = ${workspaceId} and running.device_id = device.id) as firmware
    from unnest(${deviceIds}::text[]) with ordinality as asked (id, place)
    join devices as device on device.workspace_id = ${workspaceId} and device.id = asked.id
    join workspaces as workspace on workspace.id = ${workspaceId}
    order by asked.place`.execute(ctx.db)
  const running = rows.flatMap(({ firmware }) => firmware)
  const versionIds = running.flatMap(({ firmwareVersion }) => firmwareVersion?.id ?? [])
  const hashes = running.flatMap(({ imageHash }) => imageHash ?? [])
  const known = {
    marks: await listMarks(ctx, workspaceId, versionIds),
    owners: await findImageOwners(ctx.db, workspaceId, hashes),
  }
  return rows.map(({ alternations, versionAttribute, ...row }) => ({
    ...row,
    alternation: findAlternation(alternations, { ...row, running: row.firmware }) ?? null,
    unnamedVersion: findUnnamedVersion({ ...row, running: row.firmware, versionAttribute }) ?? null,
    firmware: row.firmware.map((one) => asAnswer(one, known)),
    keyRotation: asRotation(row.keyRotation, row),
  }))
}
