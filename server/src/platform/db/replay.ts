/** How far a streaming replica has come. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'

/** As long as a request waits for the replica to replay what was committed before. */
const REPLAY_WAIT_MS = 100
const ASK_EVERY_MS = 2

export interface Servers {
  primary: Pool
  replica: Pool
}

/** Bytes of the primary's log. */
interface Positions {
  /** undefined: the primary does not answer. */
  flushed: number | undefined
  /** undefined: the server is no replica. */
  replayed: number | undefined
}

const NONE: Positions = { flushed: undefined, replayed: undefined }

/** Its connections are for its questions only, so that none of them waits for a statement of a request. */
export class Replay {
  readonly #readReplayed: () => Promise<number | undefined>
  readonly #readBoth: () => Promise<Positions>

  constructor({ primary, replica }: Servers) {
    this.#readReplayed = together(() => readReplayed(replica))
    this.#readBoth = together(async () => {
      const [flushed, replayed] = await Promise.all([
        readFlushed(primary).catch(() => undefined),
        readReplayed(replica),
      ])
      return { flushed, replayed }
    })
  }

  /** Why the replica lacks something that was committed before; undefined: it has all. Throws when it does not answer. */
  async whyNotCurrent(): Promise<string | undefined> {
    const until = Date.now() + REPLAY_WAIT_MS
    const { flushed, replayed } = await this.#readBoth()
    if (flushed === undefined) return 'the primary does not tell its position'
    for (let reached = replayed; ; reached = await this.#readReplayed()) {
      if (reached === undefined) return 'it is not a replica'
      if (reached >= flushed) return undefined
      if (Date.now() >= until) return 'it is behind'
      await delay(ASK_EVERY_MS)
    }
  }

  /** How much of the primary's log the replica has not replayed; undefined: that cannot be told. */
  async bytesBehind(): Promise<number | undefined> {
    const { flushed, replayed } = await this.#readBoth().catch(() => NONE)
    if (flushed === undefined || replayed === undefined) return undefined
    return Math.max(0, flushed - replayed)
  }
}

/**
 * A commit is visible only after its record is flushed, unless synchronous_commit is off. PostgreSQL flushes whole pages in the
 * background: the page may end within a record, which the replica replays when the rest of it comes. A record of our own brings
 * the rest at once.
 */
async function readFlushed(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ position: number }>({
    name: 'flushed-position',
    text: `
      select (case
          when (flushed - '0/0') % current_setting('wal_block_size')::numeric = 0
          then pg_logical_emit_message(true, 'plimsoll', ''::text)
          else flushed
        end - '0/0')::float8 as position
      from (select pg_current_wal_flush_lsn() as flushed) as log`,
  })
  return rows[0]?.position
}

async function readReplayed(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ position: number | null }>({
    name: 'replayed-position',
    text: `select (pg_last_wal_replay_lsn() - '0/0')::float8 as position where pg_is_in_recovery()`,
  })
  return rows[0]?.position ?? undefined
}

/** One question at a time: who comes while one is under way shares the next, which is asked after they came. */
function together<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<Answer> | undefined
  return () => {
    next ??= last.then(() => {
      next = undefined
      const answer = ask()
      last = answer.catch(() => undefined)
      return answer
    })
    return next
  }
}
