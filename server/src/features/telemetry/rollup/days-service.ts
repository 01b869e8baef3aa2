/** Workers pack the sums of hours by day, once the day is over. */
import { addMs, countDays, HOUR_MS, MINUTE_MS, startOfDay } from '../../../formats/instants.ts'
import {
  type DaySums,
  joinDaySums,
  packDaySums,
  type SumColumn,
  unpackDaySums,
} from '../../../formats/metric-points/packed-sums.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { isLockBusy } from '../../../platform/db/failures.ts'
import { runHalfTheTime, startPauses } from '../../../platform/pauses.ts'
import { VERSION } from '../../../version.ts'
import { createPartition, findHolder, listPartitionDays } from '../retention/partitions-store.ts'
import * as store from './days-store.ts'
import type { HourSums } from '../../../formats/metric-points/hour-sums.ts'
import { deleteHours, lockPacking, type SummedHour, writeHours } from './store.ts'
import { readTakenHours } from './taken-points.ts'

type PackingContext = Pick<AppContext, 'db' | 'log'>

/** Late points of the last hour of a day come before it is packed, so that few days are packed twice. */
const GRACE_MS = HOUR_MS

/** So that hours are rolled up on time, however many days are left, as after an upgrade. The next run goes on. */
const LONGEST_RUN_MS = 20 * MINUTE_MS

/** `rolledUntil`: hours before it are rolled up. The newest days come first, as points of them still come. */
export async function packDays(
  ctx: PackingContext,
  workspaceIds: readonly string[],
  rolledUntil: Date,
): Promise<void> {
  if (await store.hasOtherReleases(ctx.db, VERSION)) return
  const end = performance.now() + LONGEST_RUN_MS
  const open = countDays(addMs(rolledUntil, -GRACE_MS))
  const days = (await listPartitionDays(ctx.db, 'metric_hours')).filter((day) => day < open)
  for (const day of days.toSorted((a, b) => b - a)) await packDay(ctx, { day, workspaceIds, end })
}

interface DayToPack {
  day: number
  workspaceIds: readonly string[]
  /** By performance.now(). */
  end: number
}

async function packDay(ctx: PackingContext, { day, workspaceIds, end }: DayToPack): Promise<void> {
  for (let left = workspaceIds; left.length > 0 && performance.now() < end;) {
    const holder = await findHolder(ctx.db, { table: 'metric_hours', day }, left)
    if (holder === undefined) return
    await packDayOfWorkspace(ctx, holder, { day, end })
    left = left.slice(left.indexOf(holder) + 1)
  }
}

/** A failure is logged, so that it does not keep other workspaces from being packed. */
async function packDayOfWorkspace(
  ctx: PackingContext,
  workspaceId: string,
  { day, end }: { day: number; end: number },
): Promise<void> {
  try {
    await ctx.db.transaction().execute((tx) => createPartition(tx, 'metric_packed_days', day))
    const packAfter = (after: number) => packNext(ctx, workspaceId, { day: startOfDay(day), after })
    let after: number | undefined = 0
    while (after !== undefined && performance.now() < end)
      after = await runHalfTheTime(packAfter, after)
  } catch (error) {
    if (isLockBusy(error))
      ctx.log.info({ workspaceId }, 'days of metrics are in use and are packed later')
    else ctx.log.error({ err: error, workspaceId }, 'packing days of metrics failed')
  }
}

/** So that a transaction takes some ten milliseconds: what the database answers of it is read without a pause. */
const HOURS_AT_ONCE = 2_000

/** Packs a batch of series, and answers the last of them. undefined: nothing is left, or another worker packs. */
async function packNext(
  { db }: PackingContext,
  workspaceId: string,
  { day, after }: { day: Date; after: number },
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockPacking(tx, workspaceId))) return undefined
    const hours = HOURS_AT_ONCE
    const last = await store.findLastSeriesOfDay(tx, workspaceId, { day, after, hours })
    const taken = await store.takeHours(tx, workspaceId, { day, after, last })
    const parts = taken.map((one) => ({
      seriesId: one.seriesId,
      sums: readTakenHours(one.hours, day),
    }))
    const seriesIds = taken.map(({ seriesId }) => seriesId)
    const known = await readPackedDays(tx, workspaceId, { day, seriesIds })
    await writeDays(tx, workspaceId, { day, parts, known })
    return last
  })
}

interface DayPart {
  seriesId: number
  sums: DaySums
}

async function readPackedDays(
  db: Db,
  workspaceId: string,
  { day, seriesIds }: { day: Date; seriesIds: readonly number[] },
): Promise<Map<number, DaySums>> {
  const rows =
    seriesIds.length > 0 ? await store.listPackedDays(db, workspaceId, { day, seriesIds }) : []
  return new Map(rows.map(({ seriesId, sums }) => [seriesId, unpackDaySums(sums, day.getTime())]))
}

/** Adds hours to packed days, in place of those that they have. */
async function writeDays(
  tx: Tx,
  workspaceId: string,
  {
    day,
    parts,
    known,
  }: { day: Date; parts: readonly DayPart[]; known: ReadonlyMap<number, DaySums> },
): Promise<void> {
  if (parts.length === 0) return
  const days: store.PackedDay[] = []
  const pause = startPauses()
  for (const { seriesId, sums } of parts) {
    const before = known.get(seriesId)
    const joined = joinDaySums([...(before ? [before] : []), sums])
    days.push({ seriesId, sums: packDaySums(joined, day.getTime()) })
    const rest = pause()
    if (rest) await rest
  }
  await store.writePackedDays(tx, workspaceId, { day, days })
}

/** The begin of the day, and the hour of it. */
function splitHour(hour: Date): { day: Date; ofDay: number } {
  const day = startOfDay(countDays(hour))
  return { day, ofDay: (hour.getTime() - day.getTime()) / HOUR_MS }
}

function asDaySums(hour: number, { sum, count, min, max, last, lastAt }: HourSums): DaySums {
  const column = (value: number | null) => Float64Array.of(value ?? NaN)
  return {
    hours: [hour],
    sum: column(sum),
    count: column(count),
    min: column(min),
    max: column(max),
    last: column(last),
    lastAt: column(lastAt),
  }
}

/** Writes the sums of an hour to where its day is: into packed days, where there are such, else beside the other hours. */
export async function placeHours(
  tx: Tx,
  workspaceId: string,
  { hour, hours }: { hour: Date; hours: readonly SummedHour[] },
): Promise<void> {
  const { day, ofDay } = splitHour(hour)
  const seriesIds = hours.map(({ seriesId }) => seriesId)
  const known = await readPackedDays(tx, workspaceId, { day, seriesIds })
  const single = hours.filter(({ seriesId }) => !known.has(seriesId))
  await writeHours(tx, workspaceId, { hour, hours: single })
  const parts = hours
    .filter(({ seriesId }) => known.has(seriesId))
    .map(({ seriesId, sums }) => ({ seriesId, sums: asDaySums(ofDay, sums) }))
  await writeDays(tx, workspaceId, { day, parts, known })
}

/** Deletes the sums of an hour, wherever they are. */
export async function removeHours(
  tx: Tx,
  workspaceId: string,
  { hour, seriesIds }: { hour: Date; seriesIds: readonly number[] },
): Promise<void> {
  await deleteHours(tx, workspaceId, { hour, seriesIds })
  const { day, ofDay } = splitHour(hour)
  const known = await readPackedDays(tx, workspaceId, { day, seriesIds })
  await store.deletePackedDays(tx, workspaceId, { day, seriesIds: [...known.keys()] })
  const parts = Array.from(known, ([seriesId, sums]) => ({ seriesId, sums: without(sums, ofDay) }))
  const left = parts.filter(({ sums }) => sums.hours.length > 0)
  await writeDays(tx, workspaceId, { day, parts: left, known: new Map() })
}

/** The sums of the hours of a span that packed days have. */
export async function listHoursOfDays(
  db: Db,
  workspaceId: string,
  { from, until, seriesIds }: { from: Date; until: Date; seriesIds: readonly number[] },
): Promise<{ seriesId: number; time: Date; sums: HourSums }[]> {
  const found: { seriesId: number; time: Date; sums: HourSums }[] = []
  for (let at = countDays(from); startOfDay(at) < until; at++) {
    const day = startOfDay(at)
    for (const [seriesId, sums] of await readPackedDays(db, workspaceId, { day, seriesIds }))
      for (const [place, hour] of sums.hours.entries())
        found.push({
          seriesId,
          time: addMs(day, hour * HOUR_MS),
          sums: readHourSums(sums, place),
        })
  }
  return found.filter(({ time }) => time >= from && time < until)
}

function readHourSums(sums: DaySums, place: number): HourSums {
  const read = (column: SumColumn) => sums[column][place] ?? NaN
  const orNull = (value: number) => (Number.isNaN(value) ? null : value)
  return {
    sum: orNull(read('sum')),
    count: read('count'),
    min: read('min'),
    max: read('max'),
    last: orNull(read('last')),
    lastAt: read('lastAt'),
  }
}

function without(sums: DaySums, hour: number): DaySums {
  const keep = (column: Float64Array) => column.filter((_, at) => sums.hours[at] !== hour)
  return {
    hours: sums.hours.filter((one) => one !== hour),
    sum: keep(sums.sum),
    count: keep(sums.count),
    min: keep(sums.min),
    max: keep(sums.max),
    last: keep(sums.last),
    lastAt: keep(sums.lastAt),
  }
}
