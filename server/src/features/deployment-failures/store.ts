/** The failed devices of a deployment by reason, and what is known of them and of those that took the versions. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { type DeploymentTarget, selectDeviceStates } from '../deployments/index.ts'
import type { TraitCount } from './traits.ts'

interface FailureGroup {
  reason: string
  count: number
  changedCount: number
  attempts: number
}

/** Most frequent first. */
export async function listFailureGroups(
  db: Db,
  target: DeploymentTarget,
): Promise<{ failedCount: number; groups: FailureGroup[] }> {
  const { rows } = await sql<FailureGroup & { failedCount: number }>`
    select coalesce(reason, '') as reason, count(*)::int as count,
      count(*) filter (where has_changed)::int as changed_count, max(attempt) as attempts,
      (sum(count(*)) over ())::int as failed_count
    from (${selectDeviceStates(target, sql`updates.state = 'failed'`)}) as told
    where device_state = 'failed'
    group by 1 order by count desc, 1 limit 20`.execute(db)
  return {
    failedCount: rows[0]?.failedCount ?? 0,
    groups: rows.map(withoutTotal),
  }
}

function withoutTotal(row: FailureGroup & { failedCount: number }): FailureGroup {
  const { failedCount: _, ...group } = row
  return group
}

/** More devices tell no more, and cost more. */
const MOST_COMPARED = 2_000

interface Compared {
  comparedFailedCount: number
  comparedOtherCount: number
  counts: TraitCount[]
}

/**
 * Of each trait that at least two failed devices share: how many have it, for each reason and for those that took the versions. What
 * a device ran before is what its update before this one brought, or what it still reports.
 */
export async function countTraits(db: Db, target: DeploymentTarget): Promise<Compared> {
  const { rows } = await sql<Compared>`
    with chosen as materialized (
      select device_id, number, coalesce(reason, '') as reason
      from (${selectDeviceStates(target, isDrawn(target, sql`state = 'failed'`))}) as told
      where device_state = 'failed'
      union all
      select device_id, number, null
      from (${selectDeviceStates(target, isDrawn(target, sql`state = 'succeeded'`))}) as told
      where device_state in ('reporting', 'movedOn')),
    traits as materialized (${selectTraits(target)}),
    shared as materialized (
      select kind, name, value from traits where reason is not null and value is not null
      group by kind, name, value having count(*) >= 2),
    counted as (
      select reason, kind, name, value, count(*)::int as count from traits
      where value is not null and (kind, coalesce(name, ''), value) in (select kind, coalesce(name, ''), value from shared)
      group by reason, kind, name, value
      union all
      select reason, kind, name, null, count(distinct device_id)::int from traits group by reason, kind, name)
    select (select count(*)::int from chosen where reason is not null) as compared_failed_count,
      (select count(*)::int from chosen where reason is null) as compared_other_count,
      coalesce((select json_agg(counted) from counted), '[]') as counts`.execute(db)
  return rows[0] ?? { comparedFailedCount: 0, comparedOtherCount: 0, counts: [] }
}

/**
 * Draws by the hash of the ids, before what is known of each device is looked up: for 100,000 that takes a second. The array is drawn
 * once, and the primary key finds its devices. As a subquery it was joined anew for each update where no statistics were there yet.
 */
const isDrawn = (
  { workspaceId, deploymentId }: DeploymentTarget,
  condition: RawBuilder<unknown>,
) => sql`
  updates.device_id = any(array(select device_id from device_updates
    where workspace_id = ${workspaceId} and deployment_id = ${deploymentId} and ${condition}
    order by md5(device_id) limit ${MOST_COMPARED}))`

/** A row for each trait of each chosen device; of tags also one without a value, as they are known of all. */
function selectTraits({ workspaceId, versionIds }: DeploymentTarget) {
  const slugs = sql`
    select firmware.slug from firmware_versions as version
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${versionIds}::uuid[])`
  return sql`
    select chosen.reason, chosen.device_id, trait.kind, trait.name, trait.value from chosen
    join devices as device on device.workspace_id = ${workspaceId} and device.id = chosen.device_id
    left join lateral (
      select earlier.deployment_id from device_updates as earlier
      where earlier.workspace_id = ${workspaceId} and earlier.device_id = chosen.device_id
        and earlier.number < chosen.number and earlier.state = 'succeeded'
      order by earlier.number desc limit 1) as before on true
    cross join lateral (
      select 'Tag' as kind, null as name, tag as value from unnest(device.tags) as tag
      union all select 'Tag', null, null
      union all
      select 'Attribute', attribute.key, attribute.value #>> '{}'
      from jsonb_each(device.attributes) as attribute (key, value)
      union all select 'Client', null, device.client where device.client is not null
      union all select 'Door', null, device.door where device.door is not null
      union all
      select 'OtherFirmware', running.slug, running.version from device_firmwares as running
      where running.workspace_id = ${workspaceId} and running.device_id = chosen.device_id
        and running.slug not in (${slugs})
      union all
      select 'VersionBefore', firmware.slug, version.name
      from deployment_artifacts as artifact
      join firmware_versions as version on version.workspace_id = ${workspaceId}
        and version.id = artifact.firmware_version_id
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = before.deployment_id
        and firmware.slug in (${slugs})
      union all
      select 'VersionBefore', running.slug, running.version from device_firmwares as running
      where running.workspace_id = ${workspaceId} and running.device_id = chosen.device_id
        and before.deployment_id is null and chosen.reason is not null and running.slug in (${slugs})) as trait`
}
