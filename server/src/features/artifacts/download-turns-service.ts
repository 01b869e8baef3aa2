/**
 * Downloads of hundreds of devices at once leave room for others: one workspace looks up few files at a time, and each pass of the
 * event loop sends few pieces, workspace by workspace. Then it rests from sending three times as long as the pass took. So downloads take
 * a quarter of the event loop at most, and less where it has other work. A slow device holds no turn while it reads.
 */
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from '../../platform/db/failures.ts'
import { take } from '../../platform/db/fair-pool.ts'
import { Turns } from '../../platform/turns.ts'
import { type DownloadPace, MOST_PIECE_BYTES, UNPACED } from './download-rate.ts'

/**
 * RAUC ends an update after a few refusals, so a request rather waits; with the wait for the rate of its device (`download-rate.ts`) for
 * less than the 60 seconds after which proxies give up.
 */
const LOOK_UP_MS = 25_000
const AGAIN_MS = 250
/** They share the time of a waiting request: a device asks again after a refusal. */
const lookUps = new Turns({ all: 16, each: 4, waitMs: LOOK_UP_MS })

/** So many in a pass of the event loop, and until it has rested. */
const PIECES_AT_ONCE = 4
/** Times the pass. At 1, others waited four times as long as without downloads. */
const REST = 3
const pieces = new Turns({ all: PIECES_AT_ONCE, each: PIECES_AT_ONCE, waitMs: 60_000 })

export async function lookUpInTurn<File>(
  workspaceId: string,
  find: () => Promise<File>,
): Promise<File> {
  const giveUpAt = performance.now() + LOOK_UP_MS
  const end = await take(lookUps, { workspaceId })
  try {
    return await findUntil(find, giveUpAt)
  } finally {
    end()
  }
}

function endAfterRest(end: () => void): void {
  const begun = performance.now()
  // The second one comes a whole pass later.
  setImmediate(() => setImmediate(() => setTimeout(end, REST * (performance.now() - begun))))
}

/** A look-up only reads, so it is repeated: while the pool has no connection for it, or the database begins anew. */
async function findUntil<File>(find: () => Promise<File>, giveUpAt: number): Promise<File> {
  for (;;) {
    try {
      return await find()
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() >= giveUpAt) throw error
      await delay(AGAIN_MS)
    }
  }
}

/** The same content, in turns and at the pace of its device. */
export function sendInTurns(
  content: Readable,
  { workspaceId, pace = UNPACED }: { workspaceId: string; pace: DownloadPace | undefined },
): Readable {
  // Whoever reads it gets the error; it may come before anybody does.
  content.on('error', () => undefined)
  const chunks = content.iterator() as AsyncIterator<Buffer, undefined>
  const closed = new AbortController()
  let rest: Buffer = Buffer.alloc(0)
  let untilTurn = 0
  const next = async () => {
    if (rest.length === 0) {
      const { value } = await chunks.next()
      if (value === undefined) return null
      rest = value
    }
    const piece = rest.subarray(0, pace.pieceBytes)
    rest = rest.subarray(piece.length)
    await pace.wait(piece.length, closed.signal)
    if (untilTurn <= 0) {
      endAfterRest(await pieces.take(workspaceId, closed.signal))
      untilTurn = MOST_PIECE_BYTES
    }
    untilTurn -= piece.length
    return piece
  }
  return new Readable({
    read() {
      next().then(
        (chunk) => this.push(chunk),
        (error: unknown) => this.destroy(error instanceof Error ? error : undefined),
      )
    },
    destroy(error, done) {
      closed.abort()
      content.destroy()
      done(error)
    },
  })
}
