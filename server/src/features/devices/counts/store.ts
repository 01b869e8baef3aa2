/** How many devices report a firmware version, moved with every change of a device. */
import { sql } from 'kysely'
import { hourNumber } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'

/** A device as the counts see it; one that reports no known version is in none. */
export interface CountedDevice {
  firmwareVersionIds: readonly string[]
  connected: boolean
  lastSeenAt: Date | null
}

/** What one transaction changes of the counts. */
export class CountMoves {
  private readonly moves = new Map<string, number>()
  /** By the versions a device runs, however often it is seen: few transactions change these. */
  private readonly sets = new Map<string, number>()

  /** So many devices that are alike. */
  add({ firmwareVersionIds, connected, lastSeenAt }: CountedDevice, devices = 1): void {
    const ids = [...new Set(firmwareVersionIds)].toSorted()
    if (lastSeenAt === null || ids.length === 0) return
    increase(this.sets, ids.join(' '), devices)
    for (const id of ids)
      increase(this.moves, `${id} ${connected} ${hourNumber(lastSeenAt)}`, devices)
  }

  remove(device: CountedDevice, devices = 1): void {
    this.add(device, -devices)
  }

  /** In the order of the keys, as all who write counts take them. */
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

/** Last in its transaction: many devices share a row. */
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

/** Sets that no device runs any more are deleted at once: every list of findings reads all there are. */
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
