/** Until when product lines, release lines and firmware are supported, as people have said. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface SupportEnd {
  kind: 'product-line' | 'release-line' | 'firmware'
  id: string
  /** That of the product line, or of the firmware. */
  name: string
  /** Of a release line: its own name, beside that of its firmware. */
  lineName: string | null
  /** The page that tells of it: a release line is told of on that of its firmware. */
  firmwareId: string | null
  /** The first day (UTC) without support. */
  endsOn: string
  /** Those that run a version of it now, each once. 0 for what ends after the day. */
  deviceCount: number
}

/** All that people have stated, the earliest first. Devices are counted of what ends until the day. */
export async function listSupportEnds(
  db: Db,
  { workspaceId, until }: { workspaceId: string; until: string },
): Promise<SupportEnd[]> {
  const { rows } = await sql<SupportEnd>`
    with ends as (
      select 'product-line' as kind, line.id, line.name, null as line_name, null::uuid as firmware_id,
        (to_date(line.support_ends_in, 'YYYY-MM') + interval '1 month')::date as ends_on,
        array(select part.firmware_id from product_line_firmwares as part
          where part.workspace_id = ${workspaceId} and part.product_line_id = line.id) as firmware_ids
      from product_lines as line
      where line.workspace_id = ${workspaceId} and line.support_ends_in is not null
      union all
      select 'release-line', line.id, firmware.name, line.name, firmware.id, line.support_ends_on, array[firmware.id]
      from firmware_lines as line
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = line.firmware_id
      where line.workspace_id = ${workspaceId} and line.support_ends_on is not null
      union all
      select 'firmware', firmware.id, firmware.name, null, firmware.id, firmware.support_ends_on, array[firmware.id]
      from firmwares as firmware
      where firmware.workspace_id = ${workspaceId} and firmware.support_ends_on is not null
    )
    select ends.kind, ends.id, ends.name, ends.line_name, ends.firmware_id, ends.ends_on::text as ends_on,
      devices.count as device_count
    from ends
    cross join lateral (
      select count(distinct running.device_id)::int as count
      from firmware_versions as version
      join device_firmwares as running on running.workspace_id = ${workspaceId} and running.firmware_version_id = version.id
      where version.workspace_id = ${workspaceId} and version.firmware_id = any(ends.firmware_ids) and ends.ends_on <= ${until}::date
        and (ends.kind <> 'release-line' or version.line_id = ends.id)
    ) as devices
    order by ends.ends_on, ends.kind, ends.id`.execute(db)
  return rows
}

/** Whether anybody has stated one. */
export async function hasSupportEnds(db: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ isStated: boolean }>`
    select exists (select from product_lines where workspace_id = ${workspaceId} and support_ends_in is not null)
      or exists (select from firmware_lines where workspace_id = ${workspaceId} and support_ends_on is not null)
      or exists (select from firmwares where workspace_id = ${workspaceId} and support_ends_on is not null) as is_stated`.execute(
    db,
  )
  return rows[0]?.isStated ?? false
}
