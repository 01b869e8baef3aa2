/**
 * Whose the hashes are that devices report of their images. It is asked each time and kept nowhere, so an image that is uploaded or
 * deleted changes the answer at once (decision 125).
 */
import { type RawBuilder, sql } from 'kysely'
import type { ImageOwner } from '../../../formats/provenance/image-hash.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { NO_HASH } from '../counts/store.ts'

/** No firmware version has the name or build id, or the image is not that of the version. */
export const BLIND_SPOT_KINDS = [
  'UnknownVersion',
  'UnknownImage',
  'OtherImage',
  'NotAHash',
] as const
export type BlindSpotKind = (typeof BLIND_SPOT_KINDS)[number]

export const IMAGE_KINDS = BLIND_SPOT_KINDS.filter((kind) => kind !== 'UnknownVersion')

/** All hashes by which images of the workspace are known, parts and deltas alike: of the file, and of what it holds. */
const selectKnownHashes = (workspaceId: string, condition = sql``) => sql`
  select artifact.firmware_version_id, known.hash
  from (
    select firmware_version_id, blob_id, sha256 from firmware_artifacts as artifact where workspace_id = ${workspaceId} ${condition}
    union all
    select firmware_version_id, blob_id, sha256 from firmware_role_artifacts as artifact where workspace_id = ${workspaceId} ${condition}
  ) as artifact
  left join image_facts as fact on fact.workspace_id = ${workspaceId}
    and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
  cross join lateral (
    select artifact.sha256 as hash
    union all
    select stated.value ->> 'value' from jsonb_array_elements(coalesce(fact.facts -> 'hashes', '[]')) as stated (value)
  ) as known`

/** As `isImageHash` has it. One expression with all three lengths takes PostgreSQL 0.2 ms a text. */
export const isHash = (hash: RawBuilder<unknown>) =>
  sql`(length(${hash}) in (64, 96, 128) and ${hash} !~ '[^0-9a-f]')`

/** Whether devices report a hash `known` of the version: the key is looked up whatever the planner believes. */
const isReportedOf = (workspaceId: string, firmwareVersionId: RawBuilder<unknown>) => sql<boolean>`
  known.hash = (select counted.image_hash from device_image_counts as counted
    where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = ${firmwareVersionId}
      and counted.image_hash = known.hash collate "C")`

/**
 * The same, whatever version they name. The first that follows in the order of an index is compared: where the planner takes all
 * devices for alike, it would read all of them in search of one.
 */
const isReported = (workspaceId: string) => sql<boolean>`known.hash = (
  select next.image_hash from device_firmwares as next
  where next.workspace_id = ${workspaceId} and next.image_hash >= known.hash collate "C"
  order by next.image_hash limit 1)`

/** The same of any hash, for a row `artifact`. */
const isAnyReportedOf = (workspaceId: string) => sql<boolean>`artifact.firmware_version_id = (
  select next.firmware_version_id from device_image_counts as next
  where next.workspace_id = ${workspaceId} and next.firmware_version_id >= artifact.firmware_version_id
  order by next.firmware_version_id, next.image_hash limit 1)`

/**
 * Whether the image that `row` reports is not that of the version: whatever runs is not what was judged. Nothing is joined: the
 * few pairs of version and hash that are right are looked up from the images of versions that run, and all others are wrong. Where each
 * device reports a hash of its own, a join of what is reported with what is known takes minutes by a plan that looks up one after the
 * other.
 */
export const isBlindImage = (workspaceId: string, row = sql`running`) => sql<boolean>`(
  ${row}.image_hash is not null and ${row}.firmware_version_id is not null
  and ${isNotRight(workspaceId, row)})`

const isNotRight = (workspaceId: string, row: RawBuilder<unknown>) => sql<boolean>`
  (${row}.firmware_version_id, ${row}.image_hash) not in (
    select known.firmware_version_id, known.hash collate "C"
    from (${selectKnownHashes(workspaceId, sql`and ${isAnyReportedOf(workspaceId)}`)}) as known
    where ${isReportedOf(workspaceId, sql`known.firmware_version_id`)})`

/** Versions and hashes that devices report and that are not the version's, with the number of devices, as rows `running`. */
export const matchBlindImages = (workspaceId: string) => sql`
  device_image_counts as running
  where running.workspace_id = ${workspaceId} and running.devices > 0 and running.image_hash <> ${NO_HASH}::text
    and ${isNotRight(workspaceId, sql`running`)}`

/** Of a hash that is not that of the version. */
export const chooseBlindKind = (workspaceId: string, hash: RawBuilder<unknown>) => sql<string>`
  case when not ${isHash(hash)} then 'NotAHash'
    when ${hash} in (
      select known.hash collate "C" from (${selectKnownHashes(workspaceId)}) as known where ${isReported(workspaceId)})
    then 'OtherImage' else 'UnknownImage' end`

interface ImageReportCounts {
  running: number
  proved: number
  ofOther: number
  unknown: number
  notAHash: number
  named: number
}

export const NO_DEVICES: ImageReportCounts = {
  running: 0,
  proved: 0,
  ofOther: 0,
  unknown: 0,
  notAHash: 0,
  named: 0,
}

/** Of the devices that say that they run the versions: what they say of their images. Versions that none runs are left out. */
export async function countImageReports(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<Map<string, ImageReportCounts>> {
  const { rows } = await sql<{ id: string; running: number }>`
    select firmware_version_id as id, sum(devices)::int as running from firmware_version_device_counts
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
    group by 1 having sum(devices) > 0`.execute(db)
  const counts = new Map<string, ImageReportCounts>()
  for (const { id, running } of rows)
    counts.set(id, await countOfVersion(db, { workspaceId, firmwareVersionId: id, running }))
  return counts
}

/** What is neither found among known hashes nor no hash is unknown. Hashes of other versions are read only where some are left. */
async function countOfVersion(
  db: Db,
  {
    workspaceId,
    firmwareVersionId,
    running,
  }: { workspaceId: string; firmwareVersionId: string; running: number },
): Promise<ImageReportCounts> {
  const of = sql`where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = ${firmwareVersionId}`
  const { rows } = await sql<{ built: number; hashed: number; own: number; notAHash: number }>`
    with known as materialized (${selectDistinctHashes(workspaceId, sql`and artifact.firmware_version_id = ${firmwareVersionId}`)})
    select coalesce(sum(devices) filter (where image_hash = ${NO_HASH}::text), 0)::int as built,
      coalesce(sum(devices) filter (where image_hash <> ${NO_HASH}::text), 0)::int as hashed,
      coalesce(sum(devices) filter (where is_hash and image_hash in (select hash from known)), 0)::int as own,
      coalesce(sum(devices) filter (where image_hash <> ${NO_HASH}::text and not is_hash), 0)::int as not_a_hash
    from device_image_counts as counted ${of}`.execute(db)
  const { built, hashed, own, notAHash } = rows[0] ?? { built: 0, hashed: 0, own: 0, notAHash: 0 }
  const left = hashed - own - notAHash
  const ofOther = left === 0 ? 0 : (await countKnown(db, workspaceId, of)) - own
  return {
    running,
    proved: own + built,
    ofOther,
    unknown: left - ofOther,
    notAHash,
    named: running - hashed - built,
  }
}

/** In a filter, so that it is no join: each reported hash is looked up in a table of those that are known. */
async function countKnown(db: Db, workspaceId: string, of: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    with known as materialized (${selectDistinctHashes(workspaceId)})
    select coalesce(sum(devices) filter (where image_hash in (select hash from known)), 0)::int as devices
    from device_image_counts as counted ${of} and is_hash`.execute(db)
  return rows[0]?.devices ?? 0
}

/** Whether they are hashes is not asked, as that takes longer than all else: those of devices are. */
const selectDistinctHashes = (workspaceId: string, condition = sql``) => sql`
  select distinct hash collate "C" as hash from (${selectKnownHashes(workspaceId, condition)}) as each`

/** The versions whose images have these hashes, by hash; those of no image are left out. */
export async function findImageOwners(
  db: Db,
  workspaceId: string,
  hashes: readonly string[],
): Promise<Map<string, ImageOwner[]>> {
  if (hashes.length === 0) return new Map()
  const { rows } = await sql<{ hash: string; owners: ImageOwner[] }>`
    select owner.hash, json_agg(json_build_object('id', version.id, 'name', version.name,
      'firmware', json_build_object('id', firmware.id, 'name', firmware.name, 'slug', firmware.slug)) order by firmware.slug, version.name) as owners
    from (
      select distinct known.hash, known.firmware_version_id
      from (${selectKnownHashes(workspaceId)}) as known
      where known.hash = any(${[...new Set(hashes)]}::text[])
    ) as owner
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = owner.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    group by owner.hash`.execute(db)
  return new Map(rows.map(({ hash, owners }) => [hash, owners]))
}

interface BlindSpotCounts {
  /** Each device once. */
  blindSpotDevices: number
  blindSpots: number
  unknownVersionDevices: number
  /** Devices that report a hash which no image of their version has. */
  otherImageDevices: number
}

/**
 * Devices are counted by what is kept of versions and images. Only those that may have two blind spots are looked at, as they count
 * once: with an unknown version, or where a set of versions that run together has two with other images.
 */
export async function countBlindSpots(db: Db, workspaceId: string): Promise<BlindSpotCounts> {
  const images = await countByVersion(db, workspaceId)
  const versionIds = images.map(({ firmwareVersionId }) => firmwareVersionId)
  const otherImageDevices = (await runTogether(db, workspaceId, versionIds))
    ? await countOtherImages(db, workspaceId)
    : sum(images.map(({ devices }) => devices))
  const unnamed = await countUnnamed(db, workspaceId, otherImageDevices > 0)
  return {
    blindSpotDevices: otherImageDevices + unnamed.devices - unnamed.withOtherImage,
    blindSpots: sum(images.map(({ spots }) => spots)) + unnamed.spots,
    unknownVersionDevices: unnamed.devices,
    otherImageDevices,
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

interface ImagesOfVersion {
  firmwareVersionId: string
  spots: number
  devices: number
}

async function countByVersion(db: Db, workspaceId: string): Promise<ImagesOfVersion[]> {
  const { rows } = await sql<ImagesOfVersion>`
    select firmware_version_id, count(*)::int as spots, sum(devices)::int as devices
    from ${matchBlindImages(workspaceId)} group by firmware_version_id`.execute(db)
  return rows
}

/** Whether a device runs two of the versions. */
async function runTogether(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<boolean> {
  if (versionIds.length < 2) return false
  const { rows } = await sql<object>`
    select from firmware_set_device_counts
    where workspace_id = ${workspaceId} and devices > 0 and (
      select count(*) from unnest(firmware_version_ids) as running (id) where id = any(${versionIds}::uuid[])) > 1
    limit 1`.execute(db)
  return rows.length > 0
}

async function countOtherImages(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    select count(distinct device_id)::int as devices from device_firmwares as running
    where workspace_id = ${workspaceId} and ${isBlindImage(workspaceId)}`.execute(db)
  return rows[0]?.devices ?? 0
}

async function countUnnamed(db: Db, workspaceId: string, hasOtherImages: boolean) {
  const { rows } = await sql<{ devices: number; spots: number; withOtherImage: number }>`
    with unnamed as materialized (
      select device_id, slug, version, build_id from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id is null
    ), device as (
      select device_id, case when ${hasOtherImages}::boolean then (
        select true from device_firmwares as running
        where running.workspace_id = ${workspaceId} and running.device_id = unnamed.device_id and ${isBlindImage(workspaceId)}
        limit 1) end as has_other_image
      from unnamed group by device_id
    )
    select count(*)::int as devices, (count(*) filter (where has_other_image))::int as with_other_image,
      (select count(*)::int from (select from unnamed group by slug, version, build_id) as spot) as spots
    from device`.execute(db)
  return rows[0] ?? { devices: 0, spots: 0, withOtherImage: 0 }
}
