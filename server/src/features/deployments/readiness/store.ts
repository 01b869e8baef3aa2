import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { selectVersions } from '../../firmware/index.ts'

/** Counts the clients of the cohort's devices that were last seen at the hawkBit door. */
export async function countHawkbitClients(
  db: Db,
  { workspaceId, cohortId }: OfCohort,
): Promise<{ client: string | null; devices: number }[]> {
  return db
    .selectFrom('devices')
    .select(['client', sql<number>`count(*)::int`.as('devices')])
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .where('door', '=', 'Ddi')
    .groupBy('client')
    .orderBy(sql`count(*)`, 'desc')
    .execute()
}

interface OfCohort {
  workspaceId: string
  cohortId: string
}

interface Sample {
  deviceCount: number
  /** The first 20. */
  deviceIds: string[]
}

/** Counts the devices of a cohort that meet a condition on `device`, and names some. */
async function readSample(
  db: Db,
  { workspaceId, cohortId }: OfCohort,
  condition: RawBuilder<unknown>,
): Promise<Sample> {
  const { rows } = await sql<Sample>`
    with meant as materialized (
      select device.id from devices as device
      where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId} and ${condition})
    select count(*)::int as device_count,
      array(select id from meant order by id limit 20) as device_ids
    from meant`.execute(db)
  return rows[0] ?? { deviceCount: 0, deviceIds: [] }
}

export function sampleOfClient(
  db: Db,
  { client, ...cohort }: OfCohort & { client: string | null },
): Promise<Sample> {
  return readSample(
    db,
    cohort,
    sql`device.door = 'Ddi' and device.client is not distinct from ${client}::text`,
  )
}

export function sampleOfUnseen(db: Db, cohort: OfCohort): Promise<Sample> {
  return readSample(db, cohort, sql`device.last_seen_at is null`)
}

/** Devices that report firmware, but none of these. */
export function sampleOfOtherFirmware(
  db: Db,
  { slugs, ...cohort }: OfCohort & { slugs: readonly string[] },
): Promise<Sample> {
  const reported = sql`select from device_firmwares as running
    where running.workspace_id = ${cohort.workspaceId} and running.device_id = device.id`
  return readSample(
    db,
    cohort,
    sql`exists (${reported}) and not exists (${reported} and running.slug = any(${slugs}::text[]))`,
  )
}

export async function listWithoutArtifact(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('firmwareVersions as version')
    .leftJoin('firmwareArtifacts as artifact', (join) =>
      join
        .onRef('artifact.workspaceId', '=', 'version.workspaceId')
        .onRef('artifact.firmwareVersionId', '=', 'version.id'),
    )
    .select('version.id')
    .where('version.workspaceId', '=', workspaceId)
    .where(sql<boolean>`version.id = any(${firmwareVersionIds}::uuid[])`)
    .where('artifact.firmwareVersionId', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

export async function listParts(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<{ id: string; part: string }[]> {
  return selectVersions(db, workspaceId)
    .select(['version.id', 'firmware.part'])
    .where(sql<boolean>`version.id = any(${firmwareVersionIds}::uuid[])`)
    .execute()
}

export interface DeployableVersion {
  id: string
  firmwareId: string
  slug: string
  name: string
}

export async function listVersions(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<DeployableVersion[]> {
  return selectVersions(db, workspaceId)
    .select(['version.id', 'version.firmwareId', 'firmware.slug', 'version.name'])
    .where(sql<boolean>`version.id = any(${ids}::uuid[])`)
    .execute()
}

/** Locks the artifacts of the versions against changes. Answers the ids of the versions that have one. */
export async function lockArtifactsShared(
  tx: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<string[]> {
  // Lock versions before their artifacts, in the same order as the deletion of a version does.
  await tx
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${firmwareVersionIds}::uuid[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const rows = await tx
    .selectFrom('firmwareArtifacts')
    .select('firmwareVersionId as id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`firmware_version_id = any(${firmwareVersionIds}::uuid[])`)
    .orderBy('firmwareVersionId')
    .forShare()
    .execute()
  return rows.map(({ id }) => id)
}
