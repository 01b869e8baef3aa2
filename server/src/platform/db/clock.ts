/** The clock that all nodes share. Their own clocks differ, so turns, claims and leases are told by this one. */
import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** The instant of the statement, also within a long transaction. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp()::timestamptz(3) as at`.execute(
    db,
  )
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time.')
  return row.at
}

/** How far the clock of this node is ahead of that of the database. The way there and back leaves it uncertain. */
export async function readClockOffset(
  db: Db,
  now: () => Date,
): Promise<{ offsetMs: number; uncertainMs: number }> {
  const asked = now().getTime()
  const at = await readDatabaseTime(db)
  const uncertainMs = (now().getTime() - asked) / 2
  return { offsetMs: asked + uncertainMs - at.getTime(), uncertainMs }
}
