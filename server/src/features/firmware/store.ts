import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'
import { describeLineOf, isNewestOfLine } from './lines/store.ts'

export interface FirmwareFields {
  slug: string
  name: string
  description: string | null
  part: string
  supportEndsOn: string | null
}

function selectFirmwares(db: Db, workspaceId: string) {
  return (
    db
      .selectFrom('firmwares')
      .select(['id', 'slug', 'name', 'description', 'part', 'createdAt'])
      .select(sql<string | null>`support_ends_on::text`.as('supportEndsOn'))
      // A new version changes its firmware.
      .select(
        sql<Date>`greatest(firmwares.updated_at, (
        select max(version.created_at) from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.firmware_id = firmwares.id
      ))`.as('updatedAt'),
      )
      .select(
        sql<number>`(
        select count(*)::int from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.firmware_id = firmwares.id
      )`.as('versionCount'),
      )
      .where('workspaceId', '=', workspaceId)
  )
}

export async function listFirmwares(db: Db, workspaceId: string) {
  return selectFirmwares(db, workspaceId).orderBy('slug').execute()
}

export async function findFirmware(db: Db, workspaceId: string, firmwareId: string) {
  return selectFirmwares(db, workspaceId).where('id', '=', firmwareId).executeTakeFirst()
}

export async function insertFirmware(
  db: Db,
  row: FirmwareFields & { workspaceId: string; id: string; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('firmwares')
    .values({ ...row, updatedAt: row.createdAt })
    .execute()
}

export async function updateFirmware(
  db: Db,
  row: FirmwareFields & { workspaceId: string; id: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, ...fields } = row
  await db
    .updateTable('firmwares')
    .set(fields)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Locks the row of a firmware: changes of it and of its versions run one after another. */
export async function lockFirmware(db: Db, workspaceId: string, id: string): Promise<void> {
  await db
    .selectFrom('firmwares')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute()
}

export async function deleteFirmware(db: Db, workspaceId: string, id: string): Promise<void> {
  await db
    .deleteFrom('firmwares')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The versions of the workspace with their firmware. */
export const selectVersions = (db: Db, workspaceId: string) =>
  db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .where('version.workspaceId', '=', workspaceId)

function selectFirmwareVersions(db: Db, workspaceId: string) {
  return selectVersions(db, workspaceId)
    .select(['version.id', 'version.name', 'version.createdAt'])
    .select(['version.buildId', 'version.purl', 'version.cpe', 'version.predecessorId'])
    .select(['version.statedLineId', 'version.securityOnly'])
    .select(describeLineOf(workspaceId).as('line'))
    .select(isNewestOfLine(workspaceId).as('isNewestOfLine'))
    .select([
      'firmware.id as firmwareId',
      'firmware.slug as firmwareSlug',
      'firmware.name as firmwareName',
    ])
    .select(
      sql<number>`(
        select count(*)::int from sboms
        where sboms.workspace_id = ${workspaceId} and sboms.firmware_version_id = version.id
      )`.as('sbomCount'),
    )
}

export interface FirmwareVersionFields {
  name: string
  buildId: string | null
  purl: string | null
  cpe: string | null
  predecessorId: string | null
  statedLineId: string | null
  /** null: nobody has said. */
  securityOnly: boolean | null
}

interface FirmwareVersionRow extends FirmwareVersionFields {
  id: string
  createdAt: Date
  line: { id: string; name: string } | null
  isNewestOfLine: boolean
  firmwareId: string
  firmwareSlug: string
  firmwareName: string
  sbomCount: number
}

function asFirmwareVersion(row: FirmwareVersionRow) {
  const { firmwareId, firmwareSlug, firmwareName, ...version } = row
  return { ...version, firmware: { id: firmwareId, slug: firmwareSlug, name: firmwareName } }
}

export async function listFirmwareVersions(db: Db, workspaceId: string, firmwareId: string) {
  const rows = await selectFirmwareVersions(db, workspaceId)
    .where('version.firmwareId', '=', firmwareId)
    .orderBy('version.createdAt', 'desc')
    .orderBy('version.id', 'desc')
    .execute()
  return rows.map(asFirmwareVersion)
}

export async function findFirmwareVersion(db: Db, workspaceId: string, id: string) {
  const row = await selectFirmwareVersions(db, workspaceId)
    .where('version.id', '=', id)
    .executeTakeFirst()
  return row && asFirmwareVersion(row)
}

export async function insertFirmwareVersion(
  db: Db,
  row: FirmwareVersionFields & {
    workspaceId: string
    id: string
    firmwareId: string
    lineId: string | null
    createdAt: Date
  },
): Promise<void> {
  await db.insertInto('firmwareVersions').values(row).execute()
}

export async function updateFirmwareVersion(
  db: Db,
  row: FirmwareVersionFields & { workspaceId: string; id: string; lineId: string | null },
): Promise<void> {
  const { workspaceId, id, ...fields } = row
  await db
    .updateTable('firmwareVersions')
    .set(fields)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteFirmwareVersion(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<void> {
  await db
    .deleteFrom('firmwareVersions')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/**
 * Locks the row of a firmware version: changes of its inventory run one after another. Answers false if there is no such
 * version. The lock lets others write rows that refer to the version. Otherwise there would be a deadlock: matching
 * locks packages and then writes decisions, and a change of the inventory takes this lock and then locks packages.
 */
export async function lockFirmwareVersion(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps the version from being deleted until the transaction ends. Answers false if there is no such version. */
export async function holdFirmwareVersion(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Locks those that exist, in the order of their ids. */
export async function lockFirmwareVersions(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await db
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * Locks the row of a firmware version that is about to be deleted, and those of its successors, which have no predecessor
 * from now on. Call it with the names of versions locked, as successors are not added then.
 */
export async function lockAndLeaveSuccessors(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<void> {
  await db
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where((is) => is.or([is('id', '=', id), is('predecessorId', '=', id)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await db
    .updateTable('firmwareVersions')
    .set({ predecessorId: null })
    .where('workspaceId', '=', workspaceId)
    .where('predecessorId', '=', id)
    .execute()
}

/**
 * Taken before any row lock by what changes slugs, version names or build ids: a report of a device then cannot link to
 * a version that is being renamed or deleted.
 */
export async function lockVersionNames(db: Db, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('devices'), hashtext(${workspaceId}))`.execute(db)
}

/** Taken before any row lock by what looks up versions by the names that devices report. */
export async function shareVersionNames(db: Db, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtext('devices'), hashtext(${workspaceId}))`.execute(
    db,
  )
}

/**
 * Locks what goes with the versions that are about to be deleted: all packages that they ever held, shared, as matching
 * locks packages first and then writes counters and decisions of the versions that hold them; then the versions against
 * rows that refer to them, as an upload would otherwise add an SBOM that the deletion has not counted.
 */
export async function lockForDeletion(
  tx: Tx,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<void> {
  const rows = await tx
    .selectFrom('firmwareVersionPackages')
    .select('packageId')
    .distinct()
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`firmware_version_id = any(${versionIds}::uuid[])`)
    .execute()
  await lockPackages(
    tx,
    rows.map(({ packageId }) => packageId),
    'shared',
  )
  await tx
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${versionIds}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
}
