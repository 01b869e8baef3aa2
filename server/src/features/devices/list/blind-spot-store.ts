/**
 * Blind spots: versions and build ids that devices report and no firmware version has, and hashes of images that are not those of the
 * version that they name.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { BLIND_SPOT_KINDS, type BlindSpotKind, selectBlindImages } from '../images/store.ts'
import { type ChosenDevice, buildConditions, type DeviceQuery, readDirection } from './store.ts'

export interface BlindSpotFilter {
  kinds?: readonly BlindSpotKind[]
  /** A part of slug, version, build id or hash. */
  text?: string
}

export interface BlindSpotQuery {
  workspaceId: string
  filter: BlindSpotFilter
  limit: number
  /** Device count, slug, version, build id and hash of the last row of the page before. */
  after: readonly (string | number | boolean | null)[] | undefined
}

export interface BlindSpotRow {
  kind: BlindSpotKind
  slug: string
  version: string
  buildId: string | null
  imageHash: string | null
  firmwareVersionId: string | null
  deviceCount: number
  firstReportedAt: Date
  lastSeenAt: Date | null
  exampleDeviceId: string
  firmware: { id: string; name: string } | null
}

/** By the number of devices, descending, then by name. */
export async function listBlindSpots(
  db: Db,
  { workspaceId, filter, limit, after }: BlindSpotQuery,
): Promise<BlindSpotRow[]> {
  const { kinds = BLIND_SPOT_KINDS, text } = filter
  const { rows } = await sql<BlindSpotRow>`
    with named as (
      select 'UnknownVersion' as kind, slug, version, build_id, null::text as image_hash, null::uuid as firmware_version_id,
        count(*)::int as device_count
      from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id is null
      group by slug, version, build_id
      union all
      select image.kind, firmware.slug, version.name, null, image.image_hash, image.firmware_version_id, image.device_count
      from ${selectBlindImages(workspaceId)} as image
      join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = image.firmware_version_id
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    ), spot as materialized (
      select * from named
      where kind = any(${[...kinds]}::text[])
      ${
        text === undefined
          ? sql``
          : sql`and strpos(lower(concat_ws(' ', slug, version, build_id, image_hash)), ${text.toLowerCase()}) > 0`
      }
      ${
        after
          ? sql`and (-device_count, slug, version, coalesce(build_id, ''), coalesce(image_hash, ''))
              > (-${after[0]}::bigint, ${after[1]}::text, ${after[2]}::text, ${after[3]}::text, ${after[4]}::text)`
          : sql``
      }
      order by device_count desc, slug, version, coalesce(build_id, ''), coalesce(image_hash, '') limit ${limit}
    )
    select spot.*, seen.first_reported_at, seen.last_seen_at, seen.example_device_id,
      (select json_build_object('id', firmware.id, 'name', firmware.name) from firmwares as firmware
        where firmware.workspace_id = ${workspaceId} and firmware.slug = spot.slug) as firmware
    from spot
    cross join lateral (
      select min(running.since) as first_reported_at, max(device.last_seen_at) as last_seen_at,
        (array_agg(device.id order by device.last_seen_at desc nulls last, device.id))[1] as example_device_id
      from (
        select device_id, since from device_firmwares as unnamed
        where unnamed.workspace_id = ${workspaceId} and unnamed.firmware_version_id is null and spot.firmware_version_id is null
          and unnamed.slug = spot.slug and unnamed.version = spot.version
          and unnamed.build_id is not distinct from spot.build_id
        union all
        select device_id, since from device_firmwares as named
        where named.workspace_id = ${workspaceId} and named.firmware_version_id = spot.firmware_version_id
          and named.image_hash = spot.image_hash
      ) as running
      join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
    ) as seen
    order by spot.device_count desc, spot.slug, spot.version, coalesce(spot.build_id, ''), coalesce(spot.image_hash, '')`.execute(
    db,
  )
  return rows
}

interface BlindSpotCounts {
  /** Each device once. */
  blindSpotDevices: number
  blindSpots: number
  unknownVersionDevices: number
  /** Devices that report a hash which no image of their version has. */
  otherImageDevices: number
}

export async function countBlindSpots(db: Db, workspaceId: string): Promise<BlindSpotCounts> {
  const { rows } = await sql<BlindSpotCounts>`
    with image as materialized (
      select firmware_version_id, image_hash from ${selectBlindImages(workspaceId)} as image
    ), unnamed as materialized (
      select device_id, slug, version, build_id from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id is null
    ), other as materialized (
      select running.device_id from image
      join device_firmwares as running on running.workspace_id = ${workspaceId}
        and running.firmware_version_id = image.firmware_version_id and running.image_hash = image.image_hash
    )
    select
      (select count(*)::int from (select device_id from unnamed union select device_id from other) as each) as blind_spot_devices,
      ((select count(distinct (slug, version, build_id)) from unnamed) + (select count(*) from image))::int as blind_spots,
      (select count(distinct device_id)::int from unnamed) as unknown_version_devices,
      (select count(distinct device_id)::int from other) as other_image_devices`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('A statement of counts answers one row.')
  return counts
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
    with image as materialized (
      select firmware_version_id, image_hash from ${selectBlindImages(workspaceId)} as image
    )
    select device.id, json_build_array(spot.since::text, device.id) as sort_values
    from (
      select device_id, slug, since from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id is null
      union all
      select running.device_id, running.slug, running.since from image
      join device_firmwares as running on running.workspace_id = ${workspaceId}
        and running.firmware_version_id = image.firmware_version_id and running.image_hash = image.image_hash
    ) as spot
    join devices as device on device.workspace_id = ${workspaceId} and device.id = spot.device_id
    where true ${kept}
      and (select true from device_firmwares as earlier
        where earlier.workspace_id = ${workspaceId} and earlier.device_id = spot.device_id
          and (earlier.since, earlier.slug) < (spot.since, spot.slug)
          and (earlier.firmware_version_id is null
            or (earlier.firmware_version_id, earlier.image_hash) in (select firmware_version_id, image_hash from image))
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
    with image as materialized (
      select firmware_version_id, image_hash from ${selectBlindImages(workspaceId)} as image
    )
    select device.id, json_build_array(${NEVER}::text, device.id) as sort_values
    from devices as device
    where device.workspace_id = ${workspaceId} ${kept}
      and not exists (select from device_firmwares as running
        where running.workspace_id = ${workspaceId} and running.device_id = device.id
          and running.firmware_version_id is null)
      and not exists (select from image
        join device_firmwares as running on running.workspace_id = ${workspaceId}
          and running.firmware_version_id = image.firmware_version_id and running.image_hash = image.image_hash
        where running.device_id = device.id)
      ${after ? sql`and device.id ${beyond} ${after[1]}::text collate "C"` : sql``}
    order by device.id ${direction} limit ${limit}`.execute(db)
  return rows
}
