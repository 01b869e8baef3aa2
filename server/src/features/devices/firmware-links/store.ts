/** Links what devices run to firmware versions by name or build id. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** The version with the reported build id, or else with the reported slug and name. */
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

/** A row of a build id holds slug and version of the version found; of an unknown one, empty texts. */
const differs = sql`(running.firmware_version_id is distinct from found.id
  or (running.build_id is not null and (running.slug <> coalesce(found.slug, '')
    or running.version <> coalesce(found.name, ''))))`

/** Rows that are linked to the versions, and unlinked rows with their names or build ids. */
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

export interface MislinkedFirmware {
  deviceId: string
  slug: string
  /** Its slug from now on. */
  newSlug: string
  newVersion: string
  firmwareVersionId: string | null
}

/** Rows that are not linked to the version they name, by device. They do not change while names are locked. */
export async function listMislinkedFirmwares(
  tx: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<MislinkedFirmware[]> {
  const { rows } = await sql<MislinkedFirmware>`
    select running.device_id, running.slug, found.id as firmware_version_id,
      case when running.build_id is null then running.slug else coalesce(found.slug, '') end as new_slug,
      case when running.build_id is null then running.version else coalesce(found.name, '') end as new_version
    from (${concerned(workspaceId, firmwareVersionIds)}) as running ${found(workspaceId)}
    where ${differs}
    order by running.device_id, running.slug`.execute(tx)
  return rows
}

/** The rows of the devices have to be locked. */
export async function relinkFirmwares(
  tx: Db,
  workspaceId: string,
  mislinked: readonly MislinkedFirmware[],
): Promise<void> {
  await deleteOverruledBuilds(
    tx,
    workspaceId,
    mislinked.filter(({ slug, newSlug }) => slug !== newSlug),
  )
  await sql`
    update device_firmwares as running set slug = wrong.new_slug, version = wrong.new_version,
      firmware_version_id = wrong.firmware_version_id
    from unnest(${mislinked.map(({ deviceId }) => deviceId)}::text[], ${mislinked.map(({ slug }) => slug)}::text[],
      ${mislinked.map(({ newSlug }) => newSlug)}::text[], ${mislinked.map(({ newVersion }) => newVersion)}::text[],
      ${mislinked.map(({ firmwareVersionId }) => firmwareVersionId)}::uuid[])
      as wrong (device_id, slug, new_slug, new_version, firmware_version_id)
    where running.workspace_id = ${workspaceId} and running.device_id = wrong.device_id and running.slug = wrong.slug`.execute(
    tx,
  )
}

/** Deletes rows of builds whose version the device also reports by name: the name was reported last. */
async function deleteOverruledBuilds(
  tx: Db,
  workspaceId: string,
  moved: readonly MislinkedFirmware[],
): Promise<void> {
  if (moved.length === 0) return
  await sql`
    delete from device_firmwares as running
    using unnest(${moved.map(({ deviceId }) => deviceId)}::text[], ${moved.map(({ slug }) => slug)}::text[],
      ${moved.map(({ newSlug }) => newSlug)}::text[]) as wrong (device_id, slug, new_slug)
    where running.workspace_id = ${workspaceId} and running.device_id = wrong.device_id and running.slug = wrong.slug
      and exists (
        select from device_firmwares as other
        where other.workspace_id = ${workspaceId} and other.device_id = running.device_id
          and other.slug = wrong.new_slug)`.execute(tx)
}
