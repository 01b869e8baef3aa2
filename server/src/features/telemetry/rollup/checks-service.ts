/** What `admin doctor` examines of rolled-up hours: that they are the sums of their points. */
import { addMs, dayNumber, HOUR_MS, startOfDay } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import {
  type Examined,
  type ExamineOptions,
  examined,
  inSnapshot,
  type WorkspaceCheck,
  withoutTimeLimit,
} from '../../../platform/doctor/check.ts'
import * as checks from './checks-store.ts'
import { lockRollup, rollUpLateHours, type SeriesHour } from './store.ts'

const SAMPLED_SERIES = 100
const SAMPLED_HOURS = 24
const HOURS_OF_A_DAY = 24

/** The rolled-up hours whose points are kept. */
function keptHours({ now }: AppContext, rolledUp: checks.RolledUp): { from: Date; until: Date } {
  const { begunAt, rolledUntil: until, metricRetentionDays } = rolledUp
  const kept = startOfDay(dayNumber(now()) - metricRetentionDays + 1)
  return { from: begunAt > kept ? begunAt : kept, until }
}

const textOf = ({ seriesId, time }: SeriesHour) =>
  `series ${seriesId}: the hour ${new Date(time).toISOString()} is not the sum of its points`

async function findWrongHours(
  ctx: AppContext,
  workspaceId: string,
  options: ExamineOptions,
): Promise<Examined> {
  const rolledUp = await checks.findRolledUp(ctx.db, workspaceId)
  if (!rolledUp) return examined([])
  const kept = keptHours(ctx, rolledUp)
  if (options.isDeep) return findInAll(ctx, { workspaceId, ...kept }, options)
  const begin = addMs(kept.until, -SAMPLED_HOURS * HOUR_MS)
  const from = kept.from > begin ? kept.from : begin
  const differing = await inSnapshot(ctx, async (db) => {
    const seriesIds = await checks.sampleSeries(db, workspaceId, SAMPLED_SERIES)
    return checks.listDifferingHours(db, workspaceId, { from, until: kept.until, seriesIds })
  })
  const isAll = rolledUp.seriesCount <= SAMPLED_SERIES && from <= kept.from
  return examined(
    differing.map(textOf),
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

/** Each hour by itself: an hour of a large fleet has many points. */
async function* differingHours(
  ctx: AppContext,
  { workspaceId, from, until }: Span,
  { onProgress }: ExamineOptions,
): AsyncGenerator<SeriesHour[]> {
  let done = 0
  for (const hour of checks.hoursOf(from, until)) {
    const hours = { from: hour, until: addMs(hour, HOUR_MS), seriesIds: undefined }
    yield await inSnapshot(ctx, (db) => checks.listDifferingHours(db, workspaceId, hours))
    done += 1
    if (done % HOURS_OF_A_DAY === 0) onProgress(`  hours until ${hour.toISOString()}`)
  }
}

async function findInAll(ctx: AppContext, span: Span, options: ExamineOptions): Promise<Examined> {
  const faults: string[] = []
  for await (const differing of differingHours(ctx, span, options))
    for (const one of differing) faults.push(textOf(one))
  return examined(faults)
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
  for await (const differing of differingHours(ctx, span, options))
    if (differing.length > 0)
      await ctx.db.transaction().execute(async (tx) => {
        await withoutTimeLimit(tx)
        // While another worker rolls up, nothing is repaired.
        if (await lockRollup(tx, workspaceId)) await rollUpLateHours(tx, workspaceId, differing)
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
