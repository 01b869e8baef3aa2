/** Blind spots: versions and build ids that devices report and no firmware version has. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { type ChosenDevice, buildConditions, type DeviceQuery, readDirection } from './store.ts'

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

/** Sorts devices without a blind spot after all others. */
const NEVER = 'infinity'

/** Up to so many devices that a text finds are looked up one by one: on the way through a million, one that finds none takes 20 s. */
const FEW_FOUND = 2_000

/**
 * By the time since when a device has a blind spot, in two statements that each follow an index: one that sorts all devices takes
 * seconds for a million.
 */
export async function listByUnknownSince(db: Db, query: DeviceQuery): Promise<ChosenDevice[]> {
  const { ascending, limit, after } = query
  const kept = await keepFew(db, query)
  const first = ascending ? listUnknown : listJudged
  const second = ascending ? listJudged : listUnknown
  if (after !== undefined && (after[0] === NEVER) === ascending) return second(db, query, kept)
  const rows = await first(db, query, kept)
  if (rows.length === limit) return rows
  const rest = await second(db, { ...query, limit: limit - rows.length, after: undefined }, kept)
  return [...rows, ...rest]
}

/** What the filter asks of `device`; where a text finds few, these by their ids. */
async function keepFew(db: Db, query: DeviceQuery): Promise<RawBuilder<unknown>> {
  const { workspaceId, filter } = query
  const conditions = await buildConditions(db, query)
  if (filter.text === undefined) return conditions
  const { rows } = await sql<{ id: string }>`
    select device.id from devices as device
    where device.workspace_id = ${workspaceId} ${conditions} limit ${FEW_FOUND + 1}`.execute(db)
  if (rows.length > FEW_FOUND) return conditions
  return sql`and device.id = any(${rows.map(({ id }) => id)}::text[])`
}

/** Devices with a blind spot, each at its oldest. */
async function listUnknown(
  db: Db,
  query: DeviceQuery,
  kept: RawBuilder<unknown>,
): Promise<ChosenDevice[]> {
  const { workspaceId, filter, ascending, limit, after } = query
  if (filter.blindSpot === false) return []
  const { direction, beyond } = readDirection(ascending)
  const { rows } = await sql<ChosenDevice>`
    select device.id, json_build_array(spot.since::text, device.id) as sort_values
    from device_firmwares as spot
    join devices as device on device.workspace_id = ${workspaceId} and device.id = spot.device_id
    where spot.workspace_id = ${workspaceId} and spot.firmware_version_id is null ${kept}
      and (select true from device_firmwares as earlier
        where earlier.workspace_id = ${workspaceId} and earlier.device_id = spot.device_id
          and earlier.firmware_version_id is null and (earlier.since, earlier.slug) < (spot.since, spot.slug)
        limit 1) is null
      ${after ? sql`and (spot.since, spot.device_id) ${beyond} (${after[0]}::timestamptz, ${after[1]}::text collate "C")` : sql``}
    order by spot.since ${direction}, spot.device_id ${direction} limit ${limit}`.execute(db)
  return rows
}

/**
 * Devices without a blind spot. Where all of a million have one, the last page takes 2 s: `not exists` lets the planner compare them
 * all at once, where looking up each took 7.
 */
async function listJudged(
  db: Db,
  query: DeviceQuery,
  kept: RawBuilder<unknown>,
): Promise<ChosenDevice[]> {
  const { workspaceId, filter, ascending, limit, after } = query
  if (filter.blindSpot === true) return []
  const { direction, beyond } = readDirection(ascending)
  const { rows } = await sql<ChosenDevice>`
    select device.id, json_build_array(${NEVER}::text, device.id) as sort_values
    from devices as device
    where device.workspace_id = ${workspaceId} ${kept}
      and not exists (select from device_firmwares as running
        where running.workspace_id = ${workspaceId} and running.device_id = device.id
          and running.firmware_version_id is null)
      ${after ? sql`and device.id ${beyond} ${after[1]}::text collate "C"` : sql``}
    order by device.id ${direction} limit ${limit}`.execute(db)
  return rows
}
