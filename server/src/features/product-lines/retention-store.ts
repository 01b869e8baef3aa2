/** Until when versions of a product line that were rolled out are kept, with what belongs to them. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface RetainedVersion {
  firmwareVersionId: string
  firmware: string
  version: string
  productLineId: string
  productLine: string
  /** False: its firmware left the line since, or the line was deleted. */
  isInLine: boolean
  firstDeployedAt: Date
  /** It may be deleted from then on. */
  until: Date
}

interface Asked {
  workspaceId: string
  now: Date
  /** Of these firmwares, or these versions; undefined: of all. */
  firmwareIds?: readonly string[]
  firmwareVersionIds?: readonly string[]
}

/**
 * Ten years from the first roll-out of the version (13(9)) or from when the product was placed on the market (13(13)), or the end of the
 * support period: the latest counts. A line that the firmware left keeps what it kept then. One row a version, the latest first.
 */
export async function listRetained(
  db: Db,
  { workspaceId, now, firmwareIds, firmwareVersionIds }: Asked,
): Promise<RetainedVersion[]> {
  const { rows } = await sql<RetainedVersion>`
    select * from (
      select distinct on (version.id) version.id as firmware_version_id, firmware.name as firmware, version.name as version,
        line.id as product_line_id, line.name as product_line, line.is_in_line, deployed.first_at as first_deployed_at, kept.until
      from firmwares as firmware
      join firmware_versions as version on version.workspace_id = ${workspaceId} and version.firmware_id = firmware.id
      cross join lateral (
        select line.id, line.name, line.first_placed_on, line.support_ends_in, null::timestamptz as until, true as is_in_line
        from product_line_firmwares as part
        join product_lines as line on line.workspace_id = ${workspaceId} and line.id = part.product_line_id
        where part.workspace_id = ${workspaceId} and part.firmware_id = firmware.id
        union all
        select version.retained_by_line, version.retained_by_name, null, null, version.retained_until, false
        where version.retained_until is not null
      ) as line
      cross join lateral (
        select least(version.first_deployed_at, (
          select min(deployment.created_at) from deployment_artifacts as rolled
          join deployments as deployment on deployment.workspace_id = ${workspaceId} and deployment.id = rolled.deployment_id
          where rolled.workspace_id = ${workspaceId} and rolled.firmware_version_id = version.id)) as first_at
      ) as deployed
      cross join lateral (
        select coalesce(line.until, greatest(
          (deployed.first_at at time zone 'UTC' + interval '10 years') at time zone 'UTC',
          (line.first_placed_on + interval '10 years') at time zone 'UTC',
          (to_date(line.support_ends_in, 'YYYY-MM') + interval '1 month') at time zone 'UTC')) as until
      ) as kept
      where firmware.workspace_id = ${workspaceId} and deployed.first_at is not null and kept.until > ${now}
        and ${firmwareIds === undefined ? sql`true` : sql`firmware.id = any(${firmwareIds}::uuid[])`}
        and ${firmwareVersionIds === undefined ? sql`true` : sql`version.id = any(${firmwareVersionIds}::uuid[])`}
      order by version.id, kept.until desc
    ) as held
    order by until desc, firmware_version_id`.execute(db)
  return rows
}

interface OfLine {
  workspaceId: string
  productLineId: string
  firmwareIds: readonly string[]
}

/** Before firmwares leave the line, or it is deleted: what it keeps stays kept as long. */
export async function keepRetention(
  tx: Tx,
  { workspaceId, productLineId, firmwareIds, now }: OfLine & { now: Date },
): Promise<void> {
  if (firmwareIds.length === 0) return
  const retained = await listRetained(tx, { workspaceId, now, firmwareIds })
  const ofLine = retained.filter((one) => one.isInLine && one.productLineId === productLineId)
  await sql`
    update firmware_versions as version
    set retained_until = kept.until, retained_by_line = ${productLineId}, retained_by_name = kept.name
    from unnest(${ofLine.map((one) => one.firmwareVersionId)}::uuid[], ${ofLine.map((one) => one.until)}::timestamptz[],
      ${ofLine.map((one) => one.productLine)}::text[]) as kept (id, until, name)
    where version.workspace_id = ${workspaceId} and version.id = kept.id`.execute(tx)
}

/** Of firmwares that are in the line again: its own dates count, so that a mistake can be mended. */
export async function releaseRetention(
  tx: Tx,
  { workspaceId, productLineId, firmwareIds }: OfLine,
): Promise<void> {
  await sql`
    update firmware_versions set retained_until = null, retained_by_line = null, retained_by_name = null
    where workspace_id = ${workspaceId} and firmware_id = any(${firmwareIds}::uuid[])
      and retained_until is not null and retained_by_line = ${productLineId}`.execute(tx)
}

/** Before deployments of the cohort are deleted: their versions stay versions that were rolled out. */
export async function keepFirstDeployments(
  tx: Tx,
  { workspaceId, cohortId }: { workspaceId: string; cohortId: string },
): Promise<void> {
  await sql`
    update firmware_versions as version set first_deployed_at = least(version.first_deployed_at, rolled.first_at)
    from (
      select part.firmware_version_id as id, min(deployment.created_at) as first_at
      from deployments as deployment
      join deployment_artifacts as part on part.workspace_id = ${workspaceId} and part.deployment_id = deployment.id
      where deployment.workspace_id = ${workspaceId} and deployment.cohort_id = ${cohortId}
      group by part.firmware_version_id
    ) as rolled
    where version.workspace_id = ${workspaceId} and version.id = rolled.id`.execute(tx)
}
