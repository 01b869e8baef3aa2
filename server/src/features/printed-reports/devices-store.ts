import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { RunningDevice } from './sheet/devices.ts'

interface Running {
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

/** Devices that report one of the firmware versions, by their ids; one that runs several is listed once. */
export async function listRunningDevices(
  db: Db,
  { workspaceId, firmwareVersionIds }: Running,
  limit: number,
): Promise<RunningDevice[]> {
  const { rows } = await sql<RunningDevice>`
    with running as materialized (
      select link.device_id, string_agg(firmware.name || ' ' || version.name, ', ' order by firmware.name, version.name) as firmware
      from device_firmwares as link
      join firmware_versions as version
        on version.workspace_id = ${workspaceId} and version.id = link.firmware_version_id
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      where link.workspace_id = ${workspaceId} and link.firmware_version_id = any(${[...firmwareVersionIds]}::uuid[])
      group by link.device_id order by link.device_id limit ${limit}
    )
    select device.id, device.description, cohort.name as cohort_name, device.last_seen_at, running.firmware
    from running
    join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
    left join deployment_cohorts as cohort on cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id
    order by device.id`.execute(db)
  return rows
}
