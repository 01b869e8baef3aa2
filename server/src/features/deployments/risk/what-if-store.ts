/** What the devices of cohorts run, and of which firmwares. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface RunningSet {
  cohortId: string
  /** The known versions, in order; empty where all are unknown. */
  firmwareVersionIds: string[]
  versions: { id: string; firmwareId: string }[]
  /** The firmwares that they report, also in unknown versions. */
  firmwareIds: string[]
  devices: number
}

/** Devices that are alike are one row. Those that never reported a firmware are left out. */
export async function listRunningSets(
  db: Db,
  workspaceId: string,
  cohortIds: readonly string[],
): Promise<RunningSet[]> {
  const { rows } = await sql<RunningSet>`
    select grouped.*, (
      select coalesce(json_agg(json_build_object('id', version.id, 'firmwareId', version.firmware_id)), '[]')
      from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.id = any(grouped.firmware_version_ids)) as versions
    from (select cohort_id, firmware_version_ids, firmware_ids, count(*)::int as devices from (
      select device.cohort_id,
        coalesce(array_agg(distinct version.id) filter (where version.id is not null), '{}') as firmware_version_ids,
        coalesce(array_agg(distinct firmware.id) filter (where firmware.id is not null), '{}') as firmware_ids
      from devices as device
      join device_firmwares as running
        on running.workspace_id = device.workspace_id and running.device_id = device.id
      left join firmware_versions as version
        on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
      left join firmwares as firmware on firmware.workspace_id = running.workspace_id
        and case when version.id is null then firmware.slug = running.slug
          else firmware.id = version.firmware_id end
      where device.workspace_id = ${workspaceId} and device.cohort_id = any(${cohortIds}::uuid[])
      group by device.cohort_id, device.id
    ) as each
    group by cohort_id, firmware_version_ids, firmware_ids) as grouped`.execute(db)
  return rows
}
