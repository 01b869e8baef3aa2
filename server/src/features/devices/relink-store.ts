/** What devices run, linked anew to the firmware versions that are called so. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** The version that is called what the device says: by its build id, where it told one. */
const found = (workspaceId: string) => sql`
  left join lateral (
    select version.id, firmware.slug, version.name
    from firmware_versions as version
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and running.build_id is not null
      and version.build_id = running.build_id
    union all
    select version.id, firmware.slug, version.name
    from firmwares as firmware
    join firmware_versions as version
      on version.workspace_id = firmware.workspace_id and version.firmware_id = firmware.id
    where firmware.workspace_id = ${workspaceId} and running.build_id is null
      and firmware.slug = running.slug and version.name = running.version
  ) as found on true`

/** A build is told under the slug and version it was found by; unknown, under none. */
const differs = sql`(running.firmware_version_id is distinct from found.id
  or (running.build_id is not null and (running.slug <> coalesce(found.slug, '')
    or running.version <> coalesce(found.name, ''))))`

/** Rows that are linked to the versions, and those in the blind that are called like them. */
const concerned = (workspaceId: string, firmwareVersionIds: readonly string[]) => sql`
  select running.device_id, running.slug, running.version, running.build_id, running.firmware_version_id
  from device_firmwares as running
  where running.workspace_id = ${workspaceId} and running.firmware_version_id = any(${firmwareVersionIds}::uuid[])
  union all
  select running.device_id, running.slug, running.version, running.build_id, running.firmware_version_id
  from firmware_versions as version
  join firmwares as firmware
    on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
  join device_firmwares as running on running.workspace_id = version.workspace_id
    and running.slug = firmware.slug and running.version = version.name
  where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    and running.firmware_version_id is null
  union all
  select running.device_id, running.slug, running.version, running.build_id, running.firmware_version_id
  from firmware_versions as version
  join device_firmwares as running on running.workspace_id = version.workspace_id
    and running.slug = '' and running.version = '' and running.build_id = version.build_id
  where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    and running.firmware_version_id is null`

/** Devices a row of which names another version than it is linked to. */
export async function listMislinkedDevices(
  tx: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ deviceId: string }>`
    select distinct running.device_id
    from (${concerned(workspaceId, firmwareVersionIds)}) as running ${found(workspaceId)}
    where ${differs}
    order by running.device_id`.execute(tx)
  return rows.map(({ deviceId }) => deviceId)
}

/** Of devices whose rows are locked, while nobody else changes names. */
export async function relinkFirmwares(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  const wrong = (columns: RawBuilder<unknown>) => sql`
    select running.device_id, running.slug, ${columns}
    from device_firmwares as running ${found(workspaceId)}
    where running.workspace_id = ${workspaceId} and running.device_id = any(${deviceIds}::text[])
      and ${differs}`
  // A build that is called now what the device also runs by that very name: the name was told last.
  await sql`
    delete from device_firmwares as told
    using (${wrong(sql`coalesce(found.slug, '') as new_slug`)}) as wrong
    where told.workspace_id = ${workspaceId} and told.device_id = wrong.device_id and told.slug = wrong.slug
      and told.build_id is not null and exists (
        select from device_firmwares as other
        where other.workspace_id = ${workspaceId} and other.device_id = told.device_id
          and other.slug = wrong.new_slug and other.slug <> told.slug)`.execute(tx)
  await sql`
    update device_firmwares as told set firmware_version_id = wrong.found_id,
      slug = case when told.build_id is null then told.slug else coalesce(wrong.found_slug, '') end,
      version = case when told.build_id is null then told.version else coalesce(wrong.found_name, '') end
    from (${wrong(sql`found.id as found_id, found.slug as found_slug, found.name as found_name`)}) as wrong
    where told.workspace_id = ${workspaceId} and told.device_id = wrong.device_id and told.slug = wrong.slug`.execute(
    tx,
  )
}
