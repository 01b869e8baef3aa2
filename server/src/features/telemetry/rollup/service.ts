/** Rolls up metrics: workers pack the points of hours that are over and add them up. */
import { addMs, HOUR_MS, MINUTE_MS, startOfHour } from '../../../formats/instants.ts'
import {
  joinPoints,
  packPoints,
  unpackPoints,
} from '../../../formats/metric-points/packed-points.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { startPauses } from '../../../platform/pauses.ts'
import { packDays, placeHours } from './days-service.ts'
import { sumHour } from '../../../formats/metric-points/hour-sums.ts'
import * as store from './store.ts'
import { sortTakenPoints } from './taken-points.ts'

type RollupContext = Pick<AppContext, 'db' | 'log' | 'now'>

/** An hour stays open for this long, as the last points of it arrive late. Points that arrive later are merged into it. */
const GRACE_MS = 5 * MINUTE_MS

/** Hours before it are over. */
export const findPackableEnd = (now: Date): Date => startOfHour(addMs(now, -GRACE_MS))

/** Several workers may do it at once. */
export async function rollUpMetrics(ctx: RollupContext): Promise<void> {
  const until = findPackableEnd(ctx.now())
  const workspaceIds = await store.listWorkspacesWithMetrics(ctx.db)
  for (const workspaceId of workspaceIds) await rollUpWorkspace(ctx, workspaceId, until)
  await packDays(ctx, workspaceIds, until)
}

/** A failure is logged, so that it does not keep other workspaces from being rolled up. */
async function rollUpWorkspace(ctx: RollupContext, workspaceId: string, until: Date) {
  try {
    await store.insertPacking(ctx.db, workspaceId, until)
    let next: Position | undefined = { hour: undefined, from: undefined, after: 0 }
    while (next) next = await packNext(ctx, { workspaceId, until }, next)
  } catch (error) {
    ctx.log.error({ err: error, workspaceId }, 'rolling up metrics failed')
  }
}

/** How far a run has come. It begins with the oldest point again after an interruption. */
interface Position {
  /** undefined: the first hour from `from` on that has points. */
  hour: Date | undefined
  from: Date | undefined
  /** Series of the hour up to this one are packed. */
  after: number
}

/** So that a transaction takes a fraction of a second. A series is packed as a whole. */
const POINTS_AT_ONCE = 50_000

/** Packs a batch of series of one hour. undefined: nothing is left, or another worker packs. */
async function packNext(
  { db }: RollupContext,
  { workspaceId, until }: { workspaceId: string; until: Date },
  { hour: begun, from, after }: Position,
): Promise<Position | undefined> {
  return db.transaction().execute(async (tx) => {
    if (!(await store.lockPacking(tx, workspaceId))) return undefined
    const hour = begun ?? (await store.findHourToPack(tx, workspaceId, { from, until }))
    if (!hour) {
      await store.updatePackedUntil(tx, workspaceId, until)
      return undefined
    }
    const last = await store.findLastSeries(tx, workspaceId, {
      hour,
      after,
      points: POINTS_AT_ONCE,
    })
    await pack(tx, workspaceId, { hour, after, last })
    return last === undefined
      ? { hour: undefined, from: addMs(hour, HOUR_MS), after: 0 }
      : { hour, from, after: last }
  })
}

async function pack(tx: Tx, workspaceId: string, range: store.SeriesRange): Promise<void> {
  const { hour } = range
  const origin = hour.getTime()
  const taken = await store.takePoints(tx, workspaceId, range)
  if (taken.length === 0) return
  const seriesIds = taken.map(({ seriesId }) => seriesId)
  const rows = await store.listPackedHours(tx, workspaceId, { hour, seriesIds })
  const packed = new Map(rows.map(({ seriesId, points }) => [seriesId, points]))
  const hours: store.PackedHour[] = []
  const summed: store.SummedHour[] = []
  const pause = startPauses()
  for (const one of taken) {
    const { seriesId } = one
    const before = packed.get(seriesId)
    const points = joinPoints([
      ...(before ? [unpackPoints(before, origin)] : []),
      sortTakenPoints(one),
    ])
    const sums = sumHour(points)
    hours.push({ seriesId, points: packPoints(points, origin) })
    if (sums) summed.push({ seriesId, sums })
    const rest = pause()
    if (rest) await rest
  }
  await store.writePackedHours(tx, workspaceId, { hour, hours })
  await placeHours(tx, workspaceId, { hour, hours: summed })
}
