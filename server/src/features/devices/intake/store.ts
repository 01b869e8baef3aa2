import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { selectVersions } from '../../firmware/index.ts'
import type { Door } from '../reactions.ts'

export interface RunningFirmware {
  slug: string
  version: string
  buildId: string | null
  firmwareVersionId: string | null
  confirmed: boolean
  /** In normal form; null: it reports none. */
  imageHash: string | null
}

/** A value that a device reported before the present one. */
export interface Alternation {
  before: string
  /** How often the value went back to the one before. */
  returns: number
  /** When the value changed last. */
  at: string
}

export type Alternations = Readonly<Record<string, Alternation>>

export interface DeviceState {
  id: string
  connected: boolean
  connectionId: string | null
  gatewayId: string | null
  firstSeenAt: Date | null
  lastSeenAt: Date | null
  reportedAt: Date | null
  door: Door | null
  client: string | null
  runIds: string[]
  attributes: Record<string, unknown>
  alternations: Alternations
}

/** Batches of all workspaces share a few slots, so a batch must not wait long for a lock. */
export async function limitWaiting(tx: Db): Promise<void> {
  await sql`set local lock_timeout = '15s'`.execute(tx)
}

/** Locks the rows of the devices that exist, in the order of their ids. */
export async function lockDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<DeviceState[]> {
  const { rows } = await sql<DeviceState>`
    select device.id, connected, connection_id, gateway_id, first_seen_at, last_seen_at, reported_at, door, client,
      run_ids, attributes, alternations
    -- Joined: planning \`= any\` of some hundred ids takes longer than reading them.
    from unnest(${deviceIds}::text[]) as named (id)
    join devices as device on device.workspace_id = ${workspaceId} and device.id = named.id
    order by device.id
    for no key update of device`.execute(tx)
  return rows
}

/** What the devices run. These rows are only changed by the holder of the device's row. */
export async function listRunningFirmwares(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, RunningFirmware[]>> {
  const rows = await tx
    .selectFrom('deviceFirmwares')
    .select([
      'deviceId',
      'slug',
      'version',
      'buildId',
      'firmwareVersionId',
      'confirmed',
      'imageHash',
    ])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .orderBy('deviceId')
    .orderBy('slug')
    .execute()
  const running = new Map<string, RunningFirmware[]>(deviceIds.map((id) => [id, []]))
  for (const { deviceId, ...firmware } of rows) running.get(deviceId)?.push(firmware)
  return running
}

export interface NamedVersion {
  id: string
  slug: string
  name: string
  buildId: string | null
}

export async function findVersionsByName(
  tx: Db,
  workspaceId: string,
  named: readonly { slug: string; version: string }[],
): Promise<NamedVersion[]> {
  const { rows } = await sql<NamedVersion>`
    select version.id, firmware.slug, version.name, version.build_id
    from unnest(${named.map(({ slug }) => slug)}::text[], ${named.map(({ version }) => version)}::text[])
      as named (slug, name)
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.slug = named.slug
    join firmware_versions as version
      on version.workspace_id = firmware.workspace_id and version.firmware_id = firmware.id
      and version.name = named.name`.execute(tx)
  return rows
}

export async function findVersionsByBuildId(
  tx: Db,
  workspaceId: string,
  buildIds: readonly string[],
): Promise<NamedVersion[]> {
  return selectVersions(tx, workspaceId)
    .select(['version.id', 'firmware.slug', 'version.name', 'version.buildId'])
    .where(sql<boolean>`version.build_id = any(${buildIds}::text[])`)
    .execute()
}

/** The rows have to be locked. */
export async function updateDeviceStates(
  tx: Db,
  workspaceId: string,
  states: readonly DeviceState[],
): Promise<void> {
  if (states.length === 0) return
  const rows = JSON.stringify(states)
  await sql`
    update devices set
      connected = state.connected, connection_id = state."connectionId", gateway_id = state."gatewayId",
      first_seen_at = state."firstSeenAt", last_seen_at = state."lastSeenAt", reported_at = state."reportedAt",
      door = state.door, client = state.client,
      run_ids = array(select json_array_elements_text(state."runIds")), attributes = state.attributes,
      alternations = state.alternations
    from json_to_recordset(${rows}::json) as state (
      id text, connected boolean, "connectionId" uuid, "gatewayId" uuid, "firstSeenAt" timestamptz,
      "lastSeenAt" timestamptz, "reportedAt" timestamptz, door text, client text, "runIds" json, attributes jsonb,
      alternations jsonb
    )
    where devices.workspace_id = ${workspaceId} and devices.id = state.id`.execute(tx)
}

export interface FirmwareChange extends RunningFirmware {
  deviceId: string
  since: Date
}

export async function replaceRunningFirmwares(
  tx: Db,
  workspaceId: string,
  {
    gone,
    changed,
  }: {
    gone: readonly { deviceId: string; slug: string }[]
    changed: readonly FirmwareChange[]
  },
): Promise<void> {
  if (gone.length > 0)
    await sql`
      delete from device_firmwares as running
      using unnest(${gone.map(({ deviceId }) => deviceId)}::text[], ${gone.map(({ slug }) => slug)}::text[])
        as gone (device_id, slug)
      where running.workspace_id = ${workspaceId} and running.device_id = gone.device_id
        and running.slug = gone.slug`.execute(tx)
  if (changed.length === 0) return
  // One parameter for all rows: a statement has at most 65,535 parameters, which a large fleet exceeds.
  await sql`
    insert into device_firmwares as running
      (workspace_id, device_id, slug, version, build_id, firmware_version_id, confirmed, image_hash, since)
    select ${workspaceId}, said."deviceId", said.slug, said.version, said."buildId", said."firmwareVersionId",
      said.confirmed, said."imageHash", said.since
    from json_to_recordset(${JSON.stringify(changed)}::json) as said (
      "deviceId" text, slug text, version text, "buildId" text, "firmwareVersionId" uuid, confirmed boolean,
      "imageHash" text, since timestamptz)
    on conflict (workspace_id, device_id, slug) do update set
      version = excluded.version, build_id = excluded.build_id,
      firmware_version_id = excluded.firmware_version_id, confirmed = excluded.confirmed,
      image_hash = excluded.image_hash,
      -- A version that is only named anew, confirmed, or whose hash is told for the first time, has been running since before.
      since = case when running.version = excluded.version and running.build_id is not distinct from excluded.build_id
          and (running.image_hash is null or excluded.image_hash is null or running.image_hash = excluded.image_hash)
        then running.since else excluded.since end`.execute(tx)
}

/** Of what the devices run, by their attributes as they are now. The rows of the devices have to be locked. */
export async function updateImageHashes(
  tx: Db,
  workspaceId: string,
  changed: readonly { deviceId: string; slug: string; imageHash: string | null }[],
): Promise<void> {
  if (changed.length === 0) return
  await sql`
    update device_firmwares as running set image_hash = said."imageHash"
    from json_to_recordset(${JSON.stringify(changed)}::json) as said ("deviceId" text, slug text, "imageHash" text)
    where running.workspace_id = ${workspaceId} and running.device_id = said."deviceId" and running.slug = said.slug`.execute(
    tx,
  )
}
