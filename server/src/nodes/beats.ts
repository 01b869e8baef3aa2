/** The beats by which an operator sees which nodes live and what they run. */
import { hostname } from 'node:os'
import type { Role } from '../config/config.ts'
import type { AppContext } from '../platform/context.ts'
import { newId } from '../platform/ids.ts'
import { startTicker } from '../platform/ticker.ts'
import { VERSION } from '../version.ts'
import { beatNode, deleteNode, deleteOldNodes, type Node } from './nodes-store.ts'

/** A node counts as ended after three missed beats. */
const BEAT_MS = 10_000

/** Says that this node runs these roles. The result says that it ends. */
export async function startBeats(
  ctx: Pick<AppContext, 'db' | 'log' | 'now' | 'config'>,
  roles: readonly Role[],
): Promise<() => Promise<void>> {
  const { db, log } = ctx
  const node: Node = {
    id: newId(),
    host: hostname(),
    roles: [...roles],
    version: VERSION,
    startedAt: ctx.now(),
    encryptionKeyId: ctx.config.encryptionKeys.currentId ?? null,
  }
  await deleteOldNodes(db)
  await beatNode(db, node)
  const failure = 'the beat of this node failed'
  const ticker = startTicker({ everyMs: BEAT_MS, work: () => beatNode(db, node), log, failure })
  return async () => {
    await ticker.stop()
    // A database that is away must not hold up the end; the node counts as ended soon anyway.
    await deleteNode(db, node.id).catch((error: unknown) => log.warn({ err: error }, failure))
  }
}
