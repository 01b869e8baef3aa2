/**
 * Whose the hashes are that devices report of their images. It is asked each time and kept nowhere, so an image that is uploaded or
 * deleted changes the answer at once (decision 125).
 */
import { type RawBuilder, sql } from 'kysely'
import type { ImageOwner } from '../../../formats/provenance/image-hash.ts'
import type { Db } from '../../../platform/db/connect.ts'

/** No firmware version has the name or build id, or the image is not that of the version. */
export const BLIND_SPOT_KINDS = [
  'UnknownVersion',
  'UnknownImage',
  'OtherImage',
  'NotAHash',
] as const
export type BlindSpotKind = (typeof BLIND_SPOT_KINDS)[number]

/** All hashes by which images of the workspace are known, parts and deltas alike: of the file, and of what it holds. */
const selectKnownHashes = (workspaceId: string) => sql`
  select artifact.firmware_version_id, known.hash
  from (
    select firmware_version_id, blob_id, sha256 from firmware_artifacts where workspace_id = ${workspaceId}
    union all
    select firmware_version_id, blob_id, sha256 from firmware_role_artifacts where workspace_id = ${workspaceId}
  ) as artifact
  left join image_facts as fact on fact.workspace_id = ${workspaceId}
    and fact.firmware_version_id = artifact.firmware_version_id and fact.blob_id = artifact.blob_id
  cross join lateral (
    select artifact.sha256 as hash
    union all
    select stated.value ->> 'value' from jsonb_array_elements(coalesce(fact.facts -> 'hashes', '[]')) as stated (value)
  ) as known`

/** SHA-256, SHA-384 or SHA-512; as `isImageHash` has it. */
const isHash = (hash: RawBuilder<unknown>) =>
  sql`${hash} ~ '^([0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$'`

/** Versions and hashes that devices report of them, which no image of the version has. Whatever runs is not what was judged. */
export const selectBlindImages = (workspaceId: string) => sql`(
  with known as materialized (${selectKnownHashes(workspaceId)})
  select pair.firmware_version_id, pair.image_hash, pair.device_count,
    case when not ${isHash(sql`pair.image_hash`)} then 'NotAHash'
      when other.hash is not null then 'OtherImage' else 'UnknownImage' end as kind
  from (
    select firmware_version_id, image_hash, count(*)::int as device_count
    from device_firmwares
    where workspace_id = ${workspaceId} and image_hash is not null and firmware_version_id is not null
    group by firmware_version_id, image_hash
  ) as pair
  left join (select distinct hash from known) as other on other.hash = pair.image_hash
  where not exists (select from known
    where known.firmware_version_id = pair.firmware_version_id and known.hash = pair.image_hash))`

interface ImageReportCounts {
  running: number
  proved: number
  ofOther: number
  unknown: number
  notAHash: number
  named: number
}

/** Of the devices that say that they run the version: what they say of its image. */
export async function countImageReports(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<ImageReportCounts> {
  const { rows } = await sql<ImageReportCounts>`
    with report as materialized (
      select image_hash as hash, build_id is not null as has_build_id, count(*)::int as devices
      from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
      group by 1, 2
    ), known as materialized (
      select known.hash, bool_or(known.firmware_version_id = ${firmwareVersionId}) as is_own
      from (${selectKnownHashes(workspaceId)}) as known
      group by known.hash
    ), judged as (
      -- Joined: where each device reports a hash of its own, \`in\` compares each with each.
      select report.devices,
        case when report.hash is null then case when report.has_build_id then 'Proved' else 'NotReported' end
          when known.is_own then 'Proved'
          when not ${isHash(sql`report.hash`)} then 'NotAHash'
          when known.hash is not null then 'OtherImage' else 'UnknownImage' end as state
      from report left join known on known.hash = report.hash
    )
    select coalesce(sum(devices), 0)::int as running,
      coalesce(sum(devices) filter (where state = 'Proved'), 0)::int as proved,
      coalesce(sum(devices) filter (where state = 'OtherImage'), 0)::int as of_other,
      coalesce(sum(devices) filter (where state = 'UnknownImage'), 0)::int as unknown,
      coalesce(sum(devices) filter (where state = 'NotAHash'), 0)::int as not_a_hash,
      coalesce(sum(devices) filter (where state = 'NotReported'), 0)::int as named
    from judged`.execute(db)
  return rows[0] ?? { running: 0, proved: 0, ofOther: 0, unknown: 0, notAHash: 0, named: 0 }
}

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
