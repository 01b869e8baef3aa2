/** Watches the clock of the database: when it is set, what is due stays due, and the operator learns of it. */
import { MINUTE_MS, SECOND_MS } from '../formats/instants.ts'
import type { AppContext } from '../platform/context.ts'
import { type Ticker, startTicker } from '../platform/ticker.ts'
import { findRecentJump, markSeen, recordJump } from './clock-store.ts'
import { advanceDueInstants } from './due-instants-store.ts'

const LOOK_MS = 15 * SECOND_MS
/** Clocks are corrected by less all the time. */
const LEAST_JUMP_MS = 5 * SECOND_MS

export interface Look {
  at: Date
  /** By a clock that nobody sets. */
  elapsedMs: number
}

type WatchContext = Pick<AppContext, 'config' | 'db' | 'log' | 'now'>

export function startClockWatch(ctx: WatchContext): Ticker {
  let last: Look | undefined
  const look = async () => {
    last = await lookAtClock(ctx, { last, elapsedMs: performance.now() })
  }
  const failure = 'looking at the clock of the database failed'
  const ticker = startTicker({ everyMs: LOOK_MS, work: look, log: ctx.log, failure })
  ticker.runNow()
  return ticker
}

/** `last`: of this process; undefined: it has not looked yet. */
export async function lookAtClock(
  ctx: WatchContext,
  { last, elapsedMs }: { last: Look | undefined; elapsedMs: number },
): Promise<Look> {
  const at = ctx.now()
  const seenAt = await markSeen(ctx.db, at)
  const jumpMs = last ? measureJump(last, { at, elapsedMs }) : measureSetBack(seenAt, at)
  if (Math.abs(jumpMs) > LEAST_JUMP_MS) {
    const jump = { at, seconds: Math.round(jumpMs / SECOND_MS) }
    ctx.log.warn(jump, 'the clock of the database was set')
    await recordJump(ctx.db, jump)
  }
  const moved = await advanceDueInstants(ctx.db, { now: at, sourceIntervalsMs: listIntervals(ctx) })
  if (Object.keys(moved).length > 0)
    ctx.log.warn({ moved }, 'brought forward what waited for an instant that the clock has left')
  return { at, elapsedMs }
}

function measureJump(before: Look, after: Look): number {
  return after.at.getTime() - before.at.getTime() - (after.elapsedMs - before.elapsedMs)
}

/** How long a stopped service did not look is not known: the clock was set only where it is behind. */
function measureSetBack(seenAt: Date | undefined, at: Date): number {
  return seenAt === undefined ? 0 : Math.min(0, at.getTime() - seenAt.getTime())
}

function listIntervals({ config }: WatchContext): Map<string, number> {
  const minutes = Object.entries(config.feeds.intervalMinutes)
  return new Map(minutes.map(([source, count]) => [source, count * MINUTE_MS]))
}

/** "The clock of the database went back by 3600 s at 2026-08-22T10:20:30Z: …" undefined: it has not jumped for a day. */
export async function describeRecentJump({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<string | undefined> {
  const jump = await findRecentJump(db, now())
  if (!jump) return undefined
  const way = jump.seconds < 0 ? 'back' : 'forward'
  return `the clock of the database went ${way} by ${Math.abs(jump.seconds)} s at ${jump.at.toISOString()}: what happened around then may have the wrong time; look at the time service of that machine`
}
