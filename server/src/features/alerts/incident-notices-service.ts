/** Tells those a rule names of its incidents. */
import type { Tx } from '../../platform/db/connect.ts'
import type { EngineContext } from './engine-service.ts'

interface Announcing {
  workspaceId: string
  incidentIds: readonly string[]
}

export async function announceBegun(_ctx: EngineContext, _tx: Tx, _of: Announcing): Promise<void> {
  return Promise.resolve()
}

export async function announceEnded(_ctx: EngineContext, _tx: Tx, _of: Announcing): Promise<void> {
  return Promise.resolve()
}
