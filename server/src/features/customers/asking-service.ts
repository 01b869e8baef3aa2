/** Requests of others take turns by workspace, as those of its members do. */
import { asking } from '../../platform/asking.ts'
import type { AppContext } from '../../platform/context.ts'
import { take } from '../../platform/db/fair-pool.ts'
import { Turns } from '../../platform/turns.ts'

/** Reads of others at once: few, so that those who work with the service come first. */
const makeTurns = () => new Turns({ all: 4, each: 2, waitMs: 10_000 })

export async function readInTurn<Answer>(
  ctx: Pick<AppContext, 'memory' | 'config'>,
  workspaceId: string,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const statementMs = ctx.config.readSeconds * 1000
  const requester = { workspaceId, read: { statementMs, hungUp: new AbortController().signal } }
  const end = await take(ctx.memory.of(makeTurns), requester)
  try {
    return await asking.run(requester, read)
  } finally {
    end()
  }
}
