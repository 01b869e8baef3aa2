/**
 * Blind spots: versions and build ids that devices report and no firmware version has, and hashes of images that are not those of the
 * version that they name.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import {
  BLIND_SPOT_KINDS,
  type BlindSpotKind,
  chooseBlindKind,
  matchBlindImages,
  IMAGE_KINDS,
  isBlindImage,
  isHash,
} from '../images/store.ts'
import {
  type ChosenDevice,
  buildConditions,
  type DeviceQuery,
  readDirection,
  seenAt,
} from './store.ts'

export interface BlindSpotFilter {
  kinds?: readonly BlindSpotKind[]
  /** A part of slug, version, build id or hash. */
  text?: string
}

export interface BlindSpotQuery {
  workspaceId: string
  filter: BlindSpotFilter
  limit: number
  /** The last row of the page before: `readPosition`. */
  after: readonly (string | number | boolean | null)[] | undefined
}

export interface BlindSpotRow {
  /** null: an image that is not that of the version. */
  kind: 'UnknownVersion' | 'NotAHash' | null
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

export const readPosition = (row: BlindSpotRow) => [
  row.deviceCount,
  row.firmwareVersionId,
  row.imageHash,
  row.slug,
  row.version,
  row.buildId,
]

/** Devices that were seen last, among which one of a large blind spot is looked for. */
const RECENT = 3_000
/** So few devices are looked up one by one. */
const FEW = 300

/** By the number of devices, descending. Of as many devices, images come before unknown versions. */
export async function listBlindSpots(db: Db, query: BlindSpotQuery): Promise<BlindSpotRow[]> {
  const { workspaceId, limit } = query
  const { rows } = await sql<BlindSpotRow>`
    with image as (${selectImages(query)}), unnamed as (${selectUnnamed(query)}), spot as materialized (
      select * from (
        select case when not ${isHash(sql`image_hash`)} then 'NotAHash' end as kind, firmware_version_id, image_hash,
          null as slug, null as version, null as build_id, device_count
        from image
        union all
        select 'UnknownVersion', null, null, slug, version, build_id, device_count from unnamed
      ) as each
      order by device_count desc, firmware_version_id, image_hash, slug, version, coalesce(build_id, '') limit ${limit}
    ), named as materialized (
      select spot.kind, spot.firmware_version_id, spot.image_hash, spot.build_id, spot.device_count,
        coalesce(firmware.slug, spot.slug) as slug, coalesce(version.name, spot.version) as version
      from spot
      left join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = spot.firmware_version_id
      left join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    )
    select spot.*, device.last_seen_at, device.id as example_device_id,
      case when spot.firmware_version_id is null
        then (select min(running.since) from device_firmwares as running where ${isOfUnnamed(workspaceId)})
        else (select running.since from device_firmwares as running where ${isOfImage(workspaceId)} order by running.since limit 1)
      end as first_reported_at,
      (select json_build_object('id', firmware.id, 'name', firmware.name) from firmwares as firmware
        where firmware.workspace_id = ${workspaceId} and firmware.slug = spot.slug) as firmware
    from named as spot
    join devices as device on device.workspace_id = ${workspaceId} and device.id = coalesce(
      (select recent.id from (
          select device.id, ${seenAt} as seen_at from devices as device
          where device.workspace_id = ${workspaceId} and spot.device_count > ${FEW}
          order by ${seenAt} desc, device.id desc limit ${RECENT}
        ) as recent
        where (select true from device_firmwares as running
          where running.workspace_id = ${workspaceId} and running.device_id = recent.id
            and (${isOfUnnamed(workspaceId)} or ${isOfImage(workspaceId)}) limit 1)
        order by recent.seen_at desc, recent.id desc limit 1),
      (select running.device_id from (
          select running.device_id from device_firmwares as running where ${isOfUnnamed(workspaceId)}
          union all
          select running.device_id from device_firmwares as running where ${isOfImage(workspaceId)}
        ) as running
        order by (select ${seenAt} from devices as device
          where device.workspace_id = ${workspaceId} and device.id = running.device_id) desc, running.device_id desc limit 1))
    order by spot.device_count desc, spot.firmware_version_id, spot.image_hash, spot.slug, spot.version, coalesce(spot.build_id, '')`.execute(
    db,
  )
  return rows
}

/** Whether a row \`running\` is of a device with the blind spot \`spot\`. */
const isOfUnnamed = (workspaceId: string) => sql`(running.workspace_id = ${workspaceId}
  and running.firmware_version_id is null and spot.firmware_version_id is null
  and running.slug = spot.slug and running.version = spot.version and running.build_id is not distinct from spot.build_id)`
const isOfImage = (workspaceId: string) => sql`(running.workspace_id = ${workspaceId}
  and running.firmware_version_id = spot.firmware_version_id and running.image_hash = spot.image_hash)`

/** How many there are, up to `most`. */
export async function countListed(
  db: Db,
  query: Pick<BlindSpotQuery, 'workspaceId' | 'filter'>,
  most: number,
): Promise<number> {
  const asked = { ...query, limit: most, after: undefined, isOrdered: false }
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from (${selectImages(asked)}) as image)
      + (select count(*) from (${selectUnnamed(asked)}) as unnamed))::int as count`.execute(db)
  return rows[0]?.count ?? 0
}

interface RowsQuery extends BlindSpotQuery {
  /** Counting needs no order. */
  isOrdered?: boolean
}

/** Versions and hashes. */
function selectImages({ isOrdered = true, ...query }: RowsQuery): RawBuilder<unknown> {
  const { workspaceId, filter, limit } = query
  const { kinds = BLIND_SPOT_KINDS } = filter
  const ofImages = IMAGE_KINDS.filter((kind) => kinds.includes(kind))
  const isOfKind =
    ofImages.length === IMAGE_KINDS.length
      ? sql``
      : sql`and ${chooseBlindKind(workspaceId, sql`running.image_hash`)} = any(${ofImages}::text[])`
  return sql`
    select firmware_version_id, image_hash, devices as device_count
    from ${matchBlindImages(workspaceId)}
      and ${ofImages.length > 0}::boolean and ${matchesText(query)} ${isOfKind} and ${isAfterImage(query)}
    ${isOrdered ? sql`order by devices desc, firmware_version_id, image_hash` : sql``} limit ${limit}`
}

const contains = (text: string, where: RawBuilder<unknown>) =>
  sql`strpos(lower(${where}), ${text.toLowerCase()}) > 0`

function matchesText({ workspaceId, filter: { text } }: BlindSpotQuery): RawBuilder<unknown> {
  if (text === undefined) return sql`true`
  return sql`(${contains(text, sql`image_hash`)} or firmware_version_id in (
    select version.id from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and ${contains(text, sql`firmware.slug || ' ' || version.name`)}))`
}

function isAfterImage({ after }: BlindSpotQuery): RawBuilder<unknown> {
  if (!after) return sql`true`
  const [deviceCount, firmwareVersionId, imageHash] = after
  return firmwareVersionId === null
    ? sql`devices < ${deviceCount}::integer`
    : sql`devices <= ${deviceCount}::integer
        and (devices < ${deviceCount}::integer or (firmware_version_id, image_hash) > (${firmwareVersionId}::uuid, ${imageHash}::text))`
}

/** Versions and build ids. */
function selectUnnamed({ isOrdered = true, ...query }: RowsQuery): RawBuilder<unknown> {
  const { workspaceId, filter, limit, after } = query
  const { kinds = BLIND_SPOT_KINDS, text } = filter
  const [deviceCount, firmwareVersionId, , slug, version, buildId] = after ?? []
  const isAfter = !after
    ? sql`true`
    : firmwareVersionId !== null
      ? sql`count(*) <= ${deviceCount}::bigint`
      : sql`(-count(*), slug, version, coalesce(build_id, ''))
          > (-${deviceCount}::bigint, ${slug}::text, ${version}::text, ${buildId ?? ''}::text)`
  return sql`
    select slug, version, build_id, count(*)::int as device_count
    from device_firmwares
    where workspace_id = ${workspaceId} and firmware_version_id is null and ${kinds.includes('UnknownVersion')}::boolean
      and ${text === undefined ? sql`true` : contains(text, sql`concat_ws(' ', slug, version, build_id)`)}
    group by slug, version, build_id having ${isAfter}
    ${isOrdered ? sql`order by device_count desc, slug, version, coalesce(build_id, '')` : sql``} limit ${limit}`
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
    select spot.device_id as id, json_build_array(spot.since::text, spot.device_id) as sort_values
    from (
      select * from (
        select device_id, slug, since from device_firmwares
        where workspace_id = ${workspaceId} and firmware_version_id is null
        union all
        select device_id, slug, since from device_firmwares as running
        where workspace_id = ${workspaceId} and ${isBlindImage(workspaceId)}
      ) as spot
      where true
        ${after ? sql`and (spot.since, spot.device_id) ${beyond} (${after[0]}::timestamptz, ${after[1]}::text collate "C")` : sql``}
      -- Sorted before anything is looked up of a device, which the page alone needs.
      order by spot.since ${direction}, spot.device_id ${direction} offset 0
    ) as spot
    where (select true from devices as device
        where device.workspace_id = ${workspaceId} and device.id = spot.device_id ${kept})
      and (select true from device_firmwares as earlier
        where earlier.workspace_id = ${workspaceId} and earlier.device_id = spot.device_id
          and (earlier.since, earlier.slug) < (spot.since, spot.slug)
          and (earlier.firmware_version_id is null or ${isBlindImage(workspaceId, sql`earlier`)})
        limit 1) is null
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
      and not exists (select from device_firmwares as running
        where running.workspace_id = ${workspaceId} and running.device_id = device.id and ${isBlindImage(workspaceId)})
      ${after ? sql`and device.id ${beyond} ${after[1]}::text collate "C"` : sql``}
    order by device.id ${direction} limit ${limit}`.execute(db)
  return rows
}
