/** What `admin doctor` examines of rolled-up hours: that they are the sums of their packed points. */
import { addMs, countDays, HOUR_MS, startOfDay } from '../../../formats/instants.ts'
import { unpackPoints } from '../../../formats/metric-points/packed-points.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  type CheckFaults,
  type ExamineOptions,
  summariseFaults,
  readSnapshot,
  type WorkspaceCheck,
  withoutTimeLimit,
} from '../../../platform/doctor/check.ts'
import * as checks from './checks-store.ts'
import { type HourSums, sumHour } from '../../../formats/metric-points/hour-sums.ts'
import { listHoursOfDays, placeHours, removeHours } from './days-service.ts'
import { lockPacking } from './store.ts'

const SAMPLED_SERIES = 100
const SAMPLED_HOURS = 24
const HOURS_OF_A_DAY = 24
const SERIES_AT_ONCE = 10_000

/** A packed hour whose sums are others. */
interface DifferingHour {
  seriesId: number
  time: Date
  /** undefined: there are no points. */
  sums: HourSums | undefined
}

/** The hours that may be rolled up and whose points are kept. */
function keptHours({ now }: AppContext, rolledUp: checks.RolledUp): { from: Date; until: Date } {
  const { packedUntil: until, metricRetentionDays } = rolledUp
  return { from: startOfDay(countDays(now()) - metricRetentionDays + 1), until }
}

const describeHour = ({ seriesId, time }: DifferingHour) =>
  `series ${seriesId}: the hour ${time.toISOString()} is not the sum of its points`

/** The addition of floating-point numbers in another order may differ in the last digits. */
const TOLERANCE = 1e-9

function areEqual(stored: HourSums | null, made: HourSums | undefined): boolean {
  if (!stored || !made) return !stored && !made
  const isNear =
    stored.sum === made.sum ||
    Math.abs((stored.sum ?? Infinity) - (made.sum ?? Infinity)) <=
      TOLERANCE * made.count * Math.max(Math.abs(made.min), Math.abs(made.max))
  return (
    isNear &&
    (['count', 'min', 'max', 'last', 'lastAt'] as const).every(
      (name) => stored[name] === made[name],
    )
  )
}

function differing(rows: readonly checks.HourWithSums[]): DifferingHour[] {
  return rows.flatMap(({ seriesId, time, points, stored }) => {
    const sums = points ? sumHour(unpackPoints(points, time.getTime())) : undefined
    return areEqual(stored, sums) ? [] : [{ seriesId, time, sums }]
  })
}

/** Packed hours beside their sums, which are rows of their own, or of a packed day. */
async function listHoursWithSums(
  db: Db,
  workspaceId: string,
  hours: checks.Hours,
): Promise<checks.HourWithSums[]> {
  const rows = await checks.listHoursWithSums(db, workspaceId, hours)
  const ofDays = await listHoursOfDays(db, workspaceId, hours)
  const keyOf = (row: { seriesId: number; time: Date }) => `${row.seriesId} ${row.time.getTime()}`
  const byKey = new Map(ofDays.map((hour) => [keyOf(hour), hour]))
  const known = new Set(rows.map(keyOf))
  return [
    ...rows.map((row) => {
      const packed = byKey.get(keyOf(row))
      // An hour must not have sums in both places, as readers would count it twice: no count equals NaN, so it is told as a fault.
      if (packed && row.stored) return { ...row, stored: { ...row.stored, count: NaN } }
      return packed ? { ...row, stored: packed.sums } : row
    }),
    ...ofDays
      .filter((hour) => !known.has(keyOf(hour)))
      .map(({ seriesId, time, sums }) => ({ seriesId, time, points: null, stored: sums })),
  ]
}

async function findWrongHours(
  ctx: AppContext,
  workspaceId: string,
  options: ExamineOptions,
): Promise<CheckFaults> {
  const rolledUp = await checks.findRolledUp(ctx.db, workspaceId)
  if (!rolledUp) return summariseFaults([])
  const kept = keptHours(ctx, rolledUp)
  if (options.isDeep) return findInAll(ctx, { workspaceId, ...kept }, options)
  const begin = addMs(kept.until, -SAMPLED_HOURS * HOUR_MS)
  const from = kept.from > begin ? kept.from : begin
  const wrong = await readSnapshot(ctx, async (db) => {
    const seriesIds = await checks.sampleSeries(db, workspaceId, SAMPLED_SERIES)
    const hours = { from, until: kept.until, seriesIds }
    return differing(await listHoursWithSums(db, workspaceId, hours))
  })
  const isAll = rolledUp.seriesCount <= SAMPLED_SERIES && from <= kept.from
  return summariseFaults(
    wrong.map(describeHour),
    isAll
      ? []
      : [`hours of ${rolledUp.seriesCount} series: a sample was added up; --deep adds up all`],
  )
}

interface Span {
  workspaceId: string
  from: Date
  until: Date
}

/** Each hour by itself, and its series in batches: an hour of a large fleet has many points. */
async function* differingHours(
  ctx: AppContext,
  { workspaceId, from, until }: Span,
  { onProgress }: ExamineOptions,
): AsyncGenerator<{ hour: Date; wrong: DifferingHour[] }> {
  let done = 0
  for (const hour of checks.listHours(from, until)) {
    for await (const seriesIds of seriesBatches(ctx, workspaceId)) {
      const hours = { from: hour, until: addMs(hour, HOUR_MS), seriesIds }
      const rows = await readSnapshot(ctx, (db) => listHoursWithSums(db, workspaceId, hours))
      yield { hour, wrong: differing(rows) }
    }
    done += 1
    if (done % HOURS_OF_A_DAY === 0) onProgress(`  hours until ${hour.toISOString()}`)
  }
}

async function* seriesBatches({ db }: AppContext, workspaceId: string): AsyncGenerator<number[]> {
  let after = 0
  for (;;) {
    const ids = await checks.listSeriesAfter(db, workspaceId, { after, limit: SERIES_AT_ONCE })
    if (ids.length > 0) yield ids
    if (ids.length < SERIES_AT_ONCE) return
    after = ids.at(-1) ?? after
  }
}

async function findInAll(
  ctx: AppContext,
  span: Span,
  options: ExamineOptions,
): Promise<CheckFaults> {
  const faults: string[] = []
  for await (const { wrong } of differingHours(ctx, span, options))
    for (const one of wrong) faults.push(describeHour(one))
  return summariseFaults(faults)
}

/** A fault in the sample is seldom the only one: all hours are added up. */
async function repairHours(
  ctx: AppContext,
  workspaceId: string,
  options: ExamineOptions,
): Promise<void> {
  const rolledUp = await checks.findRolledUp(ctx.db, workspaceId)
  if (!rolledUp) return
  const span = { workspaceId, ...keptHours(ctx, rolledUp) }
  for await (const { hour, wrong } of differingHours(ctx, span, options))
    if (wrong.length > 0) await repairHour(ctx, workspaceId, { hour, wrong })
}

async function repairHour(
  ctx: AppContext,
  workspaceId: string,
  { hour, wrong }: { hour: Date; wrong: readonly DifferingHour[] },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await withoutTimeLimit(tx)
    // While another worker packs, nothing is repaired.
    if (!(await lockPacking(tx, workspaceId))) return
    const seriesIds = wrong.map(({ seriesId }) => seriesId)
    const hours = { from: hour, until: addMs(hour, HOUR_MS), seriesIds }
    const still = differing(await listHoursWithSums(tx, workspaceId, hours))
    const summed = still.flatMap(({ seriesId, sums }) => (sums ? [{ seriesId, sums }] : []))
    await removeHours(tx, workspaceId, { hour, seriesIds: still.map(({ seriesId }) => seriesId) })
    await placeHours(tx, workspaceId, { hour, hours: summed })
  })
}

export const rollupChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'metric-hours',
    meaning: 'rolled-up hours of metrics are the sums of their points',
    find: findWrongHours,
    repair: repairHours,
  },
]
