/** What standing addresses are about. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

interface Target {
  firmwareId: string
  lineId: string | null
  firmwareVersionId: string | null
}

/** undefined: there is no such firmware. */
export async function findTarget(
  db: Db,
  workspaceId: string,
  { firmwareId, lineId, firmwareVersionId }: Target,
): Promise<{ hasLine: boolean; hasVersion: boolean } | undefined> {
  const { rows } = await sql<{ hasLine: boolean; hasVersion: boolean }>`
    select exists (select from firmware_lines as line where line.workspace_id = ${workspaceId}
        and line.firmware_id = firmware.id and line.id = ${lineId}::uuid) as has_line,
      exists (select from firmware_versions as version where version.workspace_id = ${workspaceId}
        and version.firmware_id = firmware.id and version.id = ${firmwareVersionId}::uuid) as has_version
    from firmwares as firmware
    where firmware.workspace_id = ${workspaceId} and firmware.id = ${firmwareId}`.execute(db)
  return rows[0]
}

export interface CurrentVersion {
  id: string
  name: string
  firmware: string
  slug: string
  supportEndsOn: string | null
  /** Of the product line: YYYY-MM. */
  supportEndsIn: string | null
  createdAt: Date
}

/** The version that the address is about now: the one it names, or the newest of its line or firmware. */
export async function findCurrentVersion(
  db: Db,
  workspaceId: string,
  { firmwareId, lineId, firmwareVersionId }: Target,
): Promise<CurrentVersion | undefined> {
  const { rows } = await sql<CurrentVersion>`
    select version.id, version.name, firmware.name as firmware, firmware.slug, version.created_at,
      coalesce(line.support_ends_on, firmware.support_ends_on)::text as support_ends_on, product.support_ends_in
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
    left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = firmware.id
    left join product_lines as product on product.workspace_id = ${workspaceId} and product.id = part.product_line_id
    where version.workspace_id = ${workspaceId} and version.firmware_id = ${firmwareId}
      and (${firmwareVersionId}::uuid is null or version.id = ${firmwareVersionId}::uuid)
      and (${lineId}::uuid is null or version.line_id = ${lineId}::uuid)
    order by version.created_at desc, version.id desc limit 1`.execute(db)
  return rows[0]
}
