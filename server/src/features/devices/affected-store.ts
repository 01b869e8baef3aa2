/** Devices by what the counts see of them; a device is here with all the known versions it runs. */
import { sql } from 'kysely'
import { HOUR_MS } from '../../formats/instants.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { CountedDevice } from './counts/store.ts'

export type AlikeDevices = CountedDevice & { devices: number }

/** Of devices whose rows are locked: how many are alike. */
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
