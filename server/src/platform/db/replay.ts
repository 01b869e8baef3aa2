/** How far a streaming replica has come. */
import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresPool } from 'kysely'

/** As long as a request waits for the replica to replay what was committed before. */
const REPLAY_WAIT_MS = 100
const ASK_EVERY_MS = 5

/** A commit is visible only after its record is flushed, unless synchronous_commit is off. */
export async function readPosition(primary: PostgresPool): Promise<string> {
  const rows = await ask<{ position: string }>(
    primary,
    'select pg_current_wal_flush_lsn()::text as position',
  )
  return rows[0]?.position ?? ''
}

export async function hasReplayed(replica: PostgresPool, position: string): Promise<boolean> {
  const until = Date.now() + REPLAY_WAIT_MS
  for (;;) {
    const rows = await ask<{ isThere: boolean | null }>(
      replica,
      'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "isThere"',
      [position],
    )
    if (rows[0]?.isThere === true) return true
    if (Date.now() >= until) return false
    await delay(ASK_EVERY_MS)
  }
}

async function ask<Row>(
  pool: PostgresPool,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const client = await pool.connect()
  let isBroken = true
  try {
    const { rows } = await client.query<Row>(statement, parameters)
    isBroken = false
    return rows
  } finally {
    client.release(isBroken)
  }
}
