/** What a customer sees of its devices. Names of cohorts, lines and roll-outs, tags and descriptions are the team's: they are not read. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

interface OfCustomer {
  workspaceId: string
  customerId: string
}

export interface DeviceTotals {
  total: number
  /** They never said what they run. */
  silent: number
}

/** `offset 0`: each device is looked up by its key. Statistics of a new customer are missing, and all devices of the workspace would be joined. */
export async function countDevices(
  db: Db,
  { workspaceId, customerId }: OfCustomer,
): Promise<DeviceTotals> {
  const { rows } = await sql<DeviceTotals>`
    select count(*)::int as total, (count(*) filter (where quiet.is_silent))::int as silent
    from customer_devices as held
    left join lateral (
      select running.device_id from device_firmwares as running
      where running.workspace_id = ${workspaceId} and running.device_id = held.device_id limit 1
    ) as running on true
    left join lateral (
      select device.reported_at is null as is_silent from devices as device
      where device.workspace_id = ${workspaceId} and device.id = held.device_id and running.device_id is null offset 0
    ) as quiet on true
    where held.workspace_id = ${workspaceId} and held.customer_id = ${customerId}`.execute(db)
  return rows[0] ?? { total: 0, silent: 0 }
}

export interface RunningVersion {
  /** null: the service knows no such version. */
  firmwareVersionId: string | null
  firmware: string
  slug: string
  version: string
  deviceCount: number
  hasSbom: boolean
  supportEndsOn: string | null
  /** Of the product line: YYYY-MM. */
  supportEndsIn: string | null
}

/**
 * What the devices run, on most of them first. A device runs a slug once, so rows are devices; they are counted before anything is joined,
 * as many devices run few versions.
 */
export async function listRunningVersions(
  db: Db,
  { workspaceId, customerId }: OfCustomer,
  { limit, named }: { limit: number; named?: { slug: string; version: string } },
): Promise<RunningVersion[]> {
  const isNamed = named
    ? sql`running.firmware_version_id = (
        select version.id from firmwares as firmware
        join firmware_versions as version on version.workspace_id = ${workspaceId} and version.firmware_id = firmware.id
          and version.name = ${named.version}
        where firmware.workspace_id = ${workspaceId} and firmware.slug = ${named.slug})`
    : sql`true`
  const { rows } = await sql<RunningVersion>`
    with running as materialized (
      select running.firmware_version_id, running.slug, running.version, count(*)::int as device_count
      from customer_devices as held
      cross join lateral (
        select running.firmware_version_id, running.slug, running.version from device_firmwares as running
        where running.workspace_id = ${workspaceId} and running.device_id = held.device_id offset 0
      ) as running
      where held.workspace_id = ${workspaceId} and held.customer_id = ${customerId} and ${isNamed}
      group by running.firmware_version_id, running.slug, running.version
    )
    select running.firmware_version_id, coalesce(firmware.name, running.slug) as firmware,
      coalesce(firmware.slug, running.slug) as slug, coalesce(version.name, running.version) as version, running.device_count,
      coalesce(line.support_ends_on, firmware.support_ends_on)::text as support_ends_on, product.support_ends_in,
      exists (select from sboms where sboms.workspace_id = ${workspaceId}
        and sboms.firmware_version_id = running.firmware_version_id and sboms.parsing_state = 'Succeeded') as has_sbom
    from running
    left join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = running.firmware_version_id
    left join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
    left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = firmware.id
    left join product_lines as product on product.workspace_id = ${workspaceId} and product.id = part.product_line_id
    order by running.device_count desc, firmware, version, slug limit ${limit}`.execute(db)
  return rows
}

export interface ComingUpdate {
  firmware: string
  version: string
  waiting: number
  inProgress: number
}

/** Counted by roll-out before anything is joined. A device has one open update at most. */
export async function listComingUpdates(
  db: Db,
  { workspaceId, customerId }: OfCustomer,
  limit: number,
): Promise<ComingUpdate[]> {
  const { rows } = await sql<ComingUpdate>`
    with planned as materialized (
      select planned.deployment_id, count(*) filter (where planned.state = 'pending') as waiting,
        count(*) filter (where planned.state = 'inProgress') as in_progress
      from customer_devices as held
      cross join lateral (
        select planned.deployment_id, planned.state from device_updates as planned
        where planned.workspace_id = ${workspaceId} and planned.device_id = held.device_id
          and planned.state in ('pending', 'inProgress') offset 0
      ) as planned
      cross join lateral (
        select from deployments as deployment
        join devices as device on device.workspace_id = ${workspaceId} and device.id = held.device_id
          and device.cohort_id = deployment.cohort_id
        where deployment.workspace_id = ${workspaceId} and deployment.id = planned.deployment_id and deployment.is_active offset 0
      ) as active
      where held.workspace_id = ${workspaceId} and held.customer_id = ${customerId}
      group by planned.deployment_id
    )
    select firmware.name as firmware, version.name as version, sum(planned.waiting)::int as waiting,
      sum(planned.in_progress)::int as in_progress
    from planned
    join deployment_artifacts as artifact on artifact.workspace_id = ${workspaceId} and artifact.deployment_id = planned.deployment_id
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    group by firmware.name, version.name
    order by sum(planned.waiting + planned.in_progress) desc, firmware, version limit ${limit}`.execute(
    db,
  )
  return rows
}

interface Running {
  firmware: string
  slug: string
  version: string
  since: string
  isKnown: boolean
}

export interface HeldDevice {
  id: string
  /** Since when it is this customer's. */
  since: Date
  lastSeenAt: Date | null
  connected: boolean
  runs: Running[]
  update: { state: 'pending' | 'inProgress'; versions: string[] } | null
}

/**
 * By id. What was before a device was this customer's is the business of whoever had it: no instant is earlier.
 * The page is chosen first, by the primary key: statistics of a new customer are missing, and all devices would be joined.
 */
export async function listHeldDevices(
  db: Db,
  { workspaceId, customerId }: OfCustomer,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<HeldDevice[]> {
  const { rows } = await sql<HeldDevice>`
    with held as materialized (
      select device_id, since from customer_devices
      where workspace_id = ${workspaceId} and customer_id = ${customerId}
        and ${after === undefined ? sql`true` : sql`device_id > ${after}::text collate "C"`}
      order by device_id limit ${limit}
    )
    select held.device_id as id, held.since, case when device.last_seen_at >= held.since then device.last_seen_at end as last_seen_at,
      device.connected,
      coalesce((
        select json_agg(json_build_object('firmware', coalesce(firmware.name, running.slug), 'slug', coalesce(firmware.slug, running.slug),
            'version', coalesce(version.name, running.version), 'since', greatest(running.since, held.since), 'isKnown', version.id is not null)
          order by running.slug)
        from device_firmwares as running
        left join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = running.firmware_version_id
        left join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
        where running.workspace_id = ${workspaceId} and running.device_id = held.device_id), '[]') as runs,
      (select json_build_object('state', planned.state, 'versions', (
          select coalesce(json_agg(firmware.name || ' ' || version.name order by artifact.position), '[]')
          from deployment_artifacts as artifact
          join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = artifact.firmware_version_id
          join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
          where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id))
        from deployments as deployment
        join device_updates as planned on planned.workspace_id = ${workspaceId} and planned.deployment_id = deployment.id
          and planned.device_id = device.id and planned.state in ('pending', 'inProgress')
        where deployment.workspace_id = ${workspaceId} and deployment.cohort_id = device.cohort_id and deployment.is_active) as update
    from held
    join devices as device on device.workspace_id = ${workspaceId} and device.id = held.device_id
    order by held.device_id`.execute(db)
  return rows
}
