/** Versions that people name in a case. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { NewVersion } from './store.ts'

/** In `case_versions`: no component is known, as somebody named the version itself. */
const NO_PACKAGE = '00000000-0000-0000-0000-000000000000'

interface NamedVersion extends NewVersion {
  /** The case has it, with or without a component. */
  isKnown: boolean
}

export async function listNamedVersions(
  db: Db,
  workspaceId: string,
  { caseId, firmwareVersionIds }: { caseId: string; firmwareVersionIds: readonly string[] },
): Promise<NamedVersion[]> {
  const { rows } = await sql<NamedVersion>`
    select version.id as firmware_version_id, ${NO_PACKAGE}::uuid as package_id, version.firmware_id,
      firmware.name as firmware_name, version.name as version_name, '' as component_name, null as component_version,
      exists (select from case_versions as known where known.workspace_id = ${workspaceId} and known.case_id = ${caseId}
        and known.firmware_version_id = version.id) as is_known
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    order by firmware.name, version.created_at, version.id`.execute(db)
  return rows
}
