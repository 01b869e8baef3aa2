/** Counts of devices per firmware version, per set of versions and per image. Every change of a device moves them. */
import { sql } from 'kysely'
import { HOUR_MS, countHours } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { addDifferences, type DerivedRows } from '../../../platform/doctor/check.ts'

/** What the counts distinguish. A device that reports no known version is not counted. */
export interface CountedDevice {
  firmwareVersionIds: readonly string[]
  connected: boolean
  lastSeenAt: Date | null
}

/** What a device reports of the image of one firmware that it runs. */
export interface ReportedImage {
  firmwareVersionId: string | null
  buildId: string | null
  imageHash: string | null
}

/** In place of a hash: the build id alone tells the image. */
export const NO_HASH = ''

/** The changes of the counts by one transaction. */
export class CountMoves {
  private readonly moves = new Map<string, number>()
  /** By the set of versions that a device runs. Few transactions change these. */
  private readonly sets = new Map<string, number>()
  /** By version and hash. Only reports of another version, build or hash change these. */
  private readonly images = new Map<string, number>()

  /** Adds `devices` that are alike. */
  add({ firmwareVersionIds, connected, lastSeenAt }: CountedDevice, devices = 1): void {
    const ids = [...new Set(firmwareVersionIds)].toSorted()
    if (lastSeenAt === null || ids.length === 0) return
    increase(this.sets, ids.join(' '), devices)
    for (const id of ids)
      increase(this.moves, `${id} ${connected} ${countHours(lastSeenAt)}`, devices)
  }

  remove(device: CountedDevice, devices = 1): void {
    this.add(device, -devices)
  }

  /** Counts an image of a known version, of which the hash or the build is told. */
  addImage({ firmwareVersionId, buildId, imageHash }: ReportedImage, devices = 1): void {
    const hash = imageHash ?? (buildId === null ? undefined : NO_HASH)
    if (firmwareVersionId !== null && hash !== undefined)
      increase(this.images, `${firmwareVersionId} ${hash}`, devices)
  }

  /** Of a device: what it reported, and what it reports now. */
  changeImages(before: readonly ReportedImage[], after: readonly ReportedImage[]): void {
    if (before === after) return
    for (const image of before) this.addImage(image, -1)
    for (const image of after) this.addImage(image)
  }

  /** In the order of the keys, in which all transactions lock them. */
  rows() {
    return changed(this.moves)
      .map(([key, devices]) => {
        const [id = '', connected, hour] = key.split(' ')
        return { id, connected: connected === 'true', hour: Number(hour), devices }
      })
      .toSorted(
        (one, other) =>
          compare(one.id, other.id) ||
          Number(one.connected) - Number(other.connected) ||
          one.hour - other.hour,
      )
  }

  /** In the order of the keys. */
  setRows() {
    return changed(this.sets)
      .toSorted(([one], [other]) => compare(one, other))
      .map(([key, devices]) => ({ ids: key.split(' '), devices }))
  }

  /** In the order of the keys. */
  imageRows() {
    return changed(this.images)
      .toSorted(([one], [other]) => compare(one, other))
      .map(([key, devices]) => {
        const end = key.indexOf(' ')
        return { id: key.slice(0, end), hash: key.slice(end + 1), devices }
      })
  }
}

function increase(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

const changed = (counts: ReadonlyMap<string, number>) =>
  [...counts].filter(([, devices]) => devices !== 0)

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Call this last in a transaction, as many devices share a row. */
export async function moveDeviceCounts(
  tx: Db,
  workspaceId: string,
  moves: CountMoves,
): Promise<void> {
  const rows = moves.rows()
  if (rows.length > 0)
    await sql`
      insert into firmware_version_device_counts as counts
        (workspace_id, firmware_version_id, connected, seen_hour, devices)
      select ${workspaceId}, move.* from unnest(
        ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ connected }) => connected)}::boolean[],
        ${rows.map(({ hour }) => hour)}::integer[],
        ${rows.map(({ devices }) => devices)}::integer[]
      ) as move
      on conflict (workspace_id, firmware_version_id, connected, seen_hour)
      do update set devices = counts.devices + excluded.devices`.execute(tx)
  await moveSetCounts(tx, workspaceId, moves)
  await moveImageCounts(tx, workspaceId, moves)
}

/** Rows of images that no device runs any more stay until `deleteEmptyCounts`, so that reports need no second statement. */
async function moveImageCounts(tx: Db, workspaceId: string, moves: CountMoves): Promise<void> {
  const rows = moves.imageRows()
  if (rows.length === 0) return
  await sql`
    insert into device_image_counts as counts (workspace_id, firmware_version_id, image_hash, devices)
    select ${workspaceId}, move.* from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ hash }) => hash)}::text[],
      ${rows.map(({ devices }) => devices)}::integer[]
    ) as move
    on conflict (workspace_id, firmware_version_id, image_hash)
    do update set devices = counts.devices + excluded.devices`.execute(tx)
}

/** Deletes sets that no device runs at once, as every list of findings reads all sets. */
async function moveSetCounts(tx: Db, workspaceId: string, moves: CountMoves): Promise<void> {
  const rows = moves.setRows()
  if (rows.length === 0) return
  const sets = JSON.stringify(rows)
  await sql`
    insert into firmware_set_device_counts as counts (workspace_id, firmware_version_ids, devices)
    select ${workspaceId}, array(select json_array_elements_text(move.ids)::uuid), move.devices
    from rows from (json_to_recordset(${sets}::json) as (ids json, devices integer)) with ordinality
      as move (ids, devices, place)
    order by move.place
    on conflict (workspace_id, firmware_version_ids)
    do update set devices = counts.devices + excluded.devices`.execute(tx)
  if (rows.some(({ devices }) => devices < 0))
    await sql`
      delete from firmware_set_device_counts
      where workspace_id = ${workspaceId} and devices = 0 and firmware_version_ids in (
        select array(select json_array_elements_text(move.ids)::uuid)
        from json_to_recordset(${sets}::json) as move (ids json))`.execute(tx)
}

type AlikeDevices = CountedDevice & { devices: number }

/** Groups devices whose rows are locked by what the counts distinguish. Devices without a known version are left out. */
async function listAlikeDevices(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<AlikeDevices[]> {
  const { rows } = await sql<{
    firmwareVersionIds: string[]
    connected: boolean
    hour: number | null
    devices: number
  }>`
    select firmware_version_ids, connected, hour, count(*)::int as devices
    from (
      select device.connected, floor(extract(epoch from device.last_seen_at) / 3600)::int as hour,
        array_agg(running.firmware_version_id order by running.firmware_version_id) as firmware_version_ids
      from devices as device
      join device_firmwares as running
        on running.workspace_id = device.workspace_id and running.device_id = device.id
      where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
        and running.firmware_version_id is not null
      group by device.id, device.connected, device.last_seen_at
    ) as each
    group by 1, 2, 3`.execute(tx)
  return rows.map(({ hour, ...alike }) => ({
    ...alike,
    lastSeenAt: hour === null ? null : new Date(hour * HOUR_MS),
  }))
}

/** Groups what devices whose rows are locked report of their images. */
async function listReportedImages(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<(ReportedImage & { devices: number })[]> {
  const { rows } = await sql<ReportedImage & { devices: number }>`
    select running.firmware_version_id, running.build_id, running.image_hash, count(*)::int as devices
    from device_firmwares as running
    where running.workspace_id = ${workspaceId} and running.device_id = any(${deviceIds}::text[])
      and running.firmware_version_id is not null and (running.image_hash is not null or running.build_id is not null)
    group by 1, 2, 3`.execute(tx)
  return rows
}

/** Moves all counts by what `change` does to devices. Their rows are locked. Call this last in a transaction. */
export async function moveCountsAround(
  tx: Db,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
  change: () => Promise<void>,
): Promise<void> {
  const moves = new CountMoves()
  const addAll = async (sign: 1 | -1) => {
    for (const alike of await listAlikeDevices(tx, workspaceId, deviceIds))
      moves.add(alike, sign * alike.devices)
    for (const image of await listReportedImages(tx, workspaceId, deviceIds))
      moves.addImage(image, sign * image.devices)
  }
  await addAll(-1)
  await change()
  await addAll(1)
  await moveDeviceCounts(tx, workspaceId, moves)
}

/** Devices that are seen again, or report another image, leave rows behind that count no device. */
export async function deleteEmptyCounts(db: Db, workspaceId: string): Promise<void> {
  for (const table of ['firmwareVersionDeviceCounts', 'deviceImageCounts'] as const)
    await db
      .deleteFrom(table)
      .where('workspaceId', '=', workspaceId)
      .where('devices', '=', 0)
      .execute()
}

export const IMAGE_COUNTS: DerivedRows = {
  table: 'device_image_counts',
  keys: ['firmware_version_id', 'image_hash'],
  values: ['devices'],
  states: sql`devices <> 0`,
  expected: (workspaceId) => sql`
    select firmware_version_id, coalesce(image_hash, ${NO_HASH}::text) collate "C" as image_hash, count(*)::int as devices
    from device_firmwares
    where workspace_id = ${workspaceId} and firmware_version_id is not null and (image_hash is not null or build_id is not null)
    group by 1, 2`,
}

/** While an upgrade rolls, nodes of the release before change what devices report and count no images. */
export const repairImageCounts = (db: Db, workspaceId: string): Promise<void> =>
  addDifferences(db, IMAGE_COUNTS, workspaceId)
