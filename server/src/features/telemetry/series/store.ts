import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export interface ReportingDevice {
  id: string
  createdAt: Date
  runIds: string[]
  metricRetentionDays: number
  logRetentionDays: number
}

export async function listReportingDevices(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<ReportingDevice[]> {
  // A join, as planning `= any` of hundreds of ids takes longer than reading the rows.
  const { rows } = await sql<ReportingDevice>`
    select device.id, device.created_at, device.run_ids[1:2] as run_ids,
      workspace.metric_retention_days, workspace.log_retention_days
    from unnest(${deviceIds}::text[]) as asked (id)
    join devices as device on device.workspace_id = ${workspaceId} and device.id = asked.id
    join workspaces as workspace on workspace.id = device.workspace_id`.execute(db)
  return rows
}

export interface SeriesName {
  deviceId: string
  /** Hexadecimal. */
  digest: string
}

export interface NewSeries extends SeriesName {
  name: string
  labels: string
  labelNames: readonly string[]
}

export interface FoundSeries extends SeriesName {
  id: number
}

export async function findSeries(
  db: Db,
  { workspaceId, seenAt }: { workspaceId: string; seenAt: Date },
  names: readonly SeriesName[],
): Promise<FoundSeries[]> {
  const { rows } = await sql<FoundSeries & { isOld: boolean }>`
    select series.device_id, encode(series.digest, 'hex') as digest, series.id,
      series.seen_at < ${seenAt}::timestamptz - interval '1 day' as is_old
    from ${asked(names)}
    join metric_series as series on series.workspace_id = ${workspaceId}
      and series.device_id = asked.device_id and series.digest = decode(asked.digest, 'hex')`.execute(
    db,
  )
  const old = rows.filter(({ isOld }) => isOld).map(({ id }) => id)
  if (old.length > 0) await markSeen(db, { workspaceId, seenAt }, old)
  return rows
}

const asked = (names: readonly SeriesName[]) => sql`unnest(
    ${names.map(({ deviceId }) => deviceId)}::text[], ${names.map(({ digest }) => digest)}::text[])
  as asked (device_id, digest)`

/** Skips locked rows: the transaction that locks a row marks it as seen too, or deletes it with its device. */
async function markSeen(
  db: Db,
  { workspaceId, seenAt }: { workspaceId: string; seenAt: Date },
  ids: readonly number[],
): Promise<void> {
  await sql`
    update metric_series as series set seen_at = ${seenAt}
    from (
      select id from metric_series where workspace_id = ${workspaceId} and id = any(${ids}::bigint[])
      order by id for no key update skip locked
    ) as free
    where series.workspace_id = ${workspaceId} and series.id = free.id`.execute(db)
}

/**
 * Keeps the devices from being deleted before the transaction ends. Leaves out devices that are being deleted: waiting for
 * them could be a deadlock.
 */
export async function holdDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .orderBy('id')
    .forKeyShare()
    .skipLocked()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function countSeriesOfDevices(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('metricSeries')
    .select(['deviceId', sql<number>`count(*)::int`.as('count')])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .groupBy('deviceId')
    .execute()
  return new Map(rows.map(({ deviceId, count }) => [deviceId, count]))
}

/** Locks the devices as their deletion does, so that no series of them begin any more. Answers which there were. */
export async function deleteSeriesOfDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<{ deviceId: string; id: number }[]> {
  await tx
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return tx
    .deleteFrom('metricSeries')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .returning(['deviceId', 'id'])
    .execute()
}

/** Skips series that another transaction has inserted; the caller finds them afterwards. Answers how many are new. */
export async function insertSeries(
  tx: Tx,
  { workspaceId, seenAt }: { workspaceId: string; seenAt: Date },
  series: readonly NewSeries[],
): Promise<number> {
  const column = (of: (one: NewSeries) => string) => sql`${series.map(of)}::text[]`
  const { numAffectedRows } = await sql`
    insert into metric_series
      (workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at)
    select ${workspaceId}, given.device_id, given.name, given.labels::jsonb,
      array(select jsonb_array_elements_text(given.label_names::jsonb)), decode(given.digest, 'hex'),
      ${seenAt}, ${seenAt}
    from unnest(
      ${column(({ deviceId }) => deviceId)}, ${column(({ digest }) => digest)}, ${column(({ name }) => name)},
      ${column(({ labels }) => labels)}, ${column(({ labelNames }) => JSON.stringify(labelNames))}
    ) as given (device_id, digest, name, labels, label_names)
    order by given.device_id collate "C", given.digest collate "C"
    on conflict (workspace_id, device_id, digest) do nothing`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

export interface Overflow {
  deviceId: string
  points: number
  lastName: string
  lastAt: Date
}

export async function addOverflows(
  tx: Tx,
  workspaceId: string,
  overflows: readonly Overflow[],
): Promise<void> {
  const rows = overflows.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1))
  await tx
    .insertInto('metricOverflows')
    .values(rows.map((row) => ({ workspaceId, ...row })))
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'deviceId']).doUpdateSet((eb) => ({
        points: sql`metric_overflows.points + excluded.points`,
        lastName: eb.ref('excluded.lastName'),
        lastAt: eb.ref('excluded.lastAt'),
      })),
    )
    .execute()
}
