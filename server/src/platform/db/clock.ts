/** The clock that all nodes share is that of the database. Their own differ, and are set while they run. */
import type { Pool } from 'pg'

/** The instant of the statement, also within a long transaction. */
export async function readDatabaseTime(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('select clock_timestamp()::timestamptz(3) as at')
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time.')
  return row.at
}

/**
 * Tells the time of the database without asking it each time: it asks now and then, and counts on from the answer with a
 * clock that nobody sets. Turns, claims, due instants and times of receipt are thus the same on all nodes.
 */
export class SharedClock {
  private offsetMs: number | undefined
  private readonly elapsedMs: () => number

  /** `elapsedMs` counts from any instant. */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.elapsedMs = elapsedMs
  }

  readonly now = (): Date => {
    if (this.offsetMs === undefined) throw new Error('The clock was not set yet.')
    return new Date(Math.floor(this.elapsedMs() + this.offsetMs))
  }

  /** The database read its clock between the question and the answer. The clock moves only as far as that tells. */
  async set(ask: () => Promise<Date>): Promise<void> {
    const asked = this.elapsedMs()
    const at = (await ask()).getTime()
    const [least, most] = [at - this.elapsedMs(), at - asked]
    const known = this.offsetMs ?? (least + most) / 2
    this.offsetMs = Math.min(Math.max(known, least), most)
  }
}

/** How far a clock is ahead of that of the database. The way there and back leaves it uncertain. */
export async function readClockOffset(
  pool: Pool,
  nowMs: () => number,
): Promise<{ offsetMs: number; uncertainMs: number }> {
  const asked = nowMs()
  const at = await readDatabaseTime(pool)
  const uncertainMs = (nowMs() - asked) / 2
  return { offsetMs: asked + uncertainMs - at.getTime(), uncertainMs }
}
