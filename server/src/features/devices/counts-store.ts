/** How many devices report a firmware version, moved with every change of a device. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** A device as the counts see it; one that reports no known version is in none. */
export interface CountedDevice {
  firmwareVersionIds: readonly string[]
  connected: boolean
  lastSeenAt: Date | null
}

const HOUR_MS = 3_600_000

export function hourOf(time: Date): number {
  return Math.floor(time.getTime() / HOUR_MS)
}

/** What one transaction changes of the counts. */
export class CountMoves {
  private readonly moves = new Map<string, number>()

  add(device: CountedDevice, by: 1 | -1 = 1): void {
    if (device.lastSeenAt === null) return
    for (const firmwareVersionId of device.firmwareVersionIds) {
      const key = `${firmwareVersionId} ${device.connected} ${hourOf(device.lastSeenAt)}`
      this.moves.set(key, (this.moves.get(key) ?? 0) + by)
    }
  }

  remove(device: CountedDevice): void {
    this.add(device, -1)
  }

  /** In the order of the keys, as all who write counts take them. */
  rows() {
    return [...this.moves]
      .filter(([, devices]) => devices !== 0)
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
}

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
  if (rows.length === 0) return
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
}
