/** Blind spots: versions and build ids that devices report and no firmware version has. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface BlindSpotQuery {
  workspaceId: string
  limit: number
  /** Device count, slug, version and build id of the last row of the page before. */
  after: readonly (string | number | boolean | null)[] | undefined
}

export interface BlindSpotRow {
  slug: string
  version: string
  buildId: string | null
  deviceCount: number
  firstReportedAt: Date
  lastSeenAt: Date | null
  exampleDeviceId: string
  firmware: { id: string; name: string } | null
}

/** By the number of devices, descending, then by name. */
export async function listBlindSpots(
  db: Db,
  { workspaceId, limit, after }: BlindSpotQuery,
): Promise<BlindSpotRow[]> {
  const { rows } = await sql<BlindSpotRow>`
    with spot as materialized (
      select slug, version, build_id, count(*)::int as device_count
      from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id is null
      group by slug, version, build_id
      ${
        after
          ? sql`having (-count(*), slug, version, coalesce(build_id, ''))
              > (-${after[0]}::bigint, ${after[1]}::text, ${after[2]}::text, ${after[3]}::text)`
          : sql``
      }
      order by count(*) desc, slug, version, coalesce(build_id, '') limit ${limit}
    )
    select spot.*, seen.first_reported_at, seen.last_seen_at, seen.example_device_id,
      (select json_build_object('id', firmware.id, 'name', firmware.name) from firmwares as firmware
        where firmware.workspace_id = ${workspaceId} and firmware.slug = spot.slug) as firmware
    from spot
    cross join lateral (
      select min(running.since) as first_reported_at, max(device.last_seen_at) as last_seen_at,
        (array_agg(device.id order by device.last_seen_at desc nulls last, device.id))[1] as example_device_id
      from device_firmwares as running
      join devices as device on device.workspace_id = running.workspace_id and device.id = running.device_id
      where running.workspace_id = ${workspaceId} and running.firmware_version_id is null
        and running.slug = spot.slug and running.version = spot.version
        and running.build_id is not distinct from spot.build_id
    ) as seen
    order by spot.device_count desc, spot.slug, spot.version, coalesce(spot.build_id, '')`.execute(
    db,
  )
  return rows
}

export async function countBlindSpots(
  db: Db,
  workspaceId: string,
): Promise<{ blindSpotDevices: number; blindSpots: number }> {
  return db
    .selectFrom('deviceFirmwares')
    .select([
      sql<number>`count(distinct device_id)::int`.as('blindSpotDevices'),
      sql<number>`count(distinct (slug, version, build_id))::int`.as('blindSpots'),
    ])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', 'is', null)
    .executeTakeFirstOrThrow()
}
