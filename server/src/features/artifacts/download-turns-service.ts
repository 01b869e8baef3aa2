/**
 * Downloads of hundreds of devices at once leave room for others: one workspace looks up few files at a time, and each pass of the
 * event loop sends few pieces, workspace by workspace. Then it rests from sending three times as long as the pass took. So downloads take
 * a quarter of the event loop at most, and less where it has other work. A slow device holds no turn while it reads.
 */
import { Readable } from 'node:stream'
import { take } from '../../platform/db/fair-pool.ts'
import { Turns } from '../../platform/turns.ts'
import type { CountBytes } from './download-rate.ts'

/** They share the time of a waiting request: a device asks again after a refusal. */
const lookUps = new Turns({ all: 16, each: 4, waitMs: 10_000 })

/** So many in a pass of the event loop, and until it has rested. */
const PIECES_AT_ONCE = 4
const PIECE_BYTES = 64 * 1024
/** Times the pass. At 1, others waited four times as long as without downloads. */
const REST = 3
const pieces = new Turns({ all: PIECES_AT_ONCE, each: PIECES_AT_ONCE, waitMs: 60_000 })

export async function lookUpInTurn<File>(
  workspaceId: string,
  find: () => Promise<File>,
): Promise<File> {
  const end = await take(lookUps, { workspaceId })
  try {
    return await find()
  } finally {
    end()
  }
}

function endAfterRest(end: () => void): void {
  const begun = performance.now()
  // The second one comes a whole pass later.
  setImmediate(() => setImmediate(() => setTimeout(end, REST * (performance.now() - begun))))
}

/** The same content, in turns. `count` is told what was sent. */
export function sendInTurns(
  content: Readable,
  { workspaceId, count }: { workspaceId: string; count: CountBytes | undefined },
): Readable {
  // Whoever reads it gets the error; it may come before anybody does.
  content.on('error', () => undefined)
  const chunks = content.iterator() as AsyncIterator<Buffer, undefined>
  const closed = new AbortController()
  let untilTurn = 0
  const next = async () => {
    const { value } = await chunks.next()
    if (value === undefined) return null
    if (untilTurn <= 0) {
      endAfterRest(await pieces.take(workspaceId, closed.signal))
      untilTurn = PIECE_BYTES
    }
    untilTurn -= value.length
    count?.(value.length)
    return value
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
