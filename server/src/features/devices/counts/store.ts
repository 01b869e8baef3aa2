/** Counts of devices per firmware version and per set of versions. Every change of a device moves them. */
import { sql } from 'kysely'
import { HOUR_MS, countHours } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'

/** What the counts distinguish. A device that reports no known version is not counted. */
export interface CountedDevice {
  firmwareVersionIds: readonly string[]
  connected: boolean
  lastSeenAt: Date | null
}

/** The changes of the counts by one transaction. */
export class CountMoves {
  private readonly moves = new Map<string, number>()
  /** By the set of versions that a device runs. Few transactions change these. */
  private readonly sets = new Map<string, number>()

  /** Adds `devices` that are alike. */
  add({ firmwareVersionIds, connected, lastSeenAt }: CountedDevice, devices = 1): void {
    const ids = [...new Set(firmwareVersionIds)].toSorted()
    if (lastSeenAt === null || ids.length === 0) return
    increase(this.sets, ids.join(' '), devices)
    for (const id of ids)
      increase(this.moves, `${id} ${connected} ${countHours(lastSeenAt)}`, devices)
  }

  remove(device: CountedDevice, devices = 1): void {
    this.add(device, -devices)
  }

  /** In the order of the keys, in which all transactions lock them. */
  rows() {
    return changed(this.moves)
      .map(([key, devices]) => {
        const [id = '', connected, hour] = key.split(' ')
        return { id, connected: connected === 'true', hour: Number(hour), devices }
      })
      .toSorted(
        (one, other) =>
          compare(one.id, other.id) ||
          Number(one.connected) - Number(other.connected) ||
          one.hour - other.hour,
      )
  }

  /** In the order of the keys. */
  setRows() {
    return changed(this.sets)
      .toSorted(([one], [other]) => compare(one, other))
      .map(([key, devices]) => ({ ids: key.split(' '), devices }))
  }
}

function increase(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

const changed = (counts: ReadonlyMap<string, number>) =>
  [...counts].filter(([, devices]) => devices !== 0)

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Call this last in a transaction, as many devices share a row. */
export async function moveDeviceCounts(
  tx: Db,
  workspaceId: string,
  moves: CountMoves,
): Promise<void> {
  const rows = moves.rows()
  if (rows.length > 0)
    await sql`
      insert into firmware_version_device_counts as counts
        (workspace_id, firmware_version_id, connected, seen_hour, devices)
      select ${workspaceId}, move.* from unnest(
        ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ connected }) => connected)}::boolean[],
        ${rows.map(({ hour }) => hour)}::integer[],
        ${rows.map(({ devices }) => devices)}::integer[]
      ) as move
      on conflict (workspace_id, firmware_version_id, connected, seen_hour)
      do update set devices = counts.devices + excluded.devices`.execute(tx)
  await moveSetCounts(tx, workspaceId, moves)
}

/** Deletes sets that no device runs at once, as every list of findings reads all sets. */
async function moveSetCounts(tx: Db, workspaceId: string, moves: CountMoves): Promise<void> {
  const rows = moves.setRows()
  if (rows.length === 0) return
  const sets = JSON.stringify(rows)
  await sql`
    insert into firmware_set_device_counts as counts (workspace_id, firmware_version_ids, devices)
    select ${workspaceId}, array(select json_array_elements_text(move.ids)::uuid), move.devices
    from rows from (json_to_recordset(${sets}::json) as (ids json, devices integer)) with ordinality
      as move (ids, devices, place)
    order by move.place
    on conflict (workspace_id, firmware_version_ids)
    do update set devices = counts.devices + excluded.devices`.execute(tx)
  if (rows.some(({ devices }) => devices < 0))
    await sql`
      delete from firmware_set_device_counts
      where workspace_id = ${workspaceId} and devices = 0 and firmware_version_ids in (
        select array(select json_array_elements_text(move.ids)::uuid)
        from json_to_recordset(${sets}::json) as move (ids json))`.execute(tx)
}

export type AlikeDevices = CountedDevice & { devices: number }

/** Groups devices whose rows are locked by what the counts distinguish. Devices without a known version are left out. */
export async function listAlikeDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<AlikeDevices[]> {
  const { rows } = await sql<{
    firmwareVersionIds: string[]
    connected: boolean
    hour: number | null
    devices: number
  }>`
    select firmware_version_ids, connected, hour, count(*)::int as devices
    from (
      select device.connected, floor(extract(epoch from device.last_seen_at) / 3600)::int as hour,
        array_agg(running.firmware_version_id order by running.firmware_version_id) as firmware_version_ids
      from devices as device
      join device_firmwares as running
        on running.workspace_id = device.workspace_id and running.device_id = device.id
      where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
        and running.firmware_version_id is not null
      group by device.id, device.connected, device.last_seen_at
    ) as each
    group by 1, 2, 3`.execute(tx)
  return rows.map(({ hour, ...alike }) => ({
    ...alike,
    lastSeenAt: hour === null ? null : new Date(hour * HOUR_MS),
  }))
}

/** Devices that are seen again leave rows behind that count no device. */
export async function deleteEmptyCounts(db: Db, workspaceId: string): Promise<void> {
  await db
    .deleteFrom('firmwareVersionDeviceCounts')
    .where('workspaceId', '=', workspaceId)
    .where('devices', '=', 0)
    .execute()
}
