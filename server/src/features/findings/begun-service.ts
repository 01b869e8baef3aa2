import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { type Begun, type FormerDecision, listCarriedOver } from './carry-over-store.ts'
import { writeLocked } from './decisions-service.ts'

/** What a slice above decides about findings of matches that begin, with their packages locked exclusively. */
export type OnFindingsBegun = (
  ctx: AppContext,
  tx: Tx,
  begun: { packageIds: readonly string[]; vulnerabilityIds: readonly string[] },
) => Promise<unknown>

/** What matching works with. */
export type MatchingContext = AppContext & { onFindingsBegun?: OnFindingsBegun }

/** What was decided before about findings that begin becomes their first decision; the packages are locked. */
export async function decideBegun(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  begun: Begun,
): Promise<void> {
  await writeByWorkspace(ctx, tx, await listCarriedOver(tx, begun))
}

export async function writeByWorkspace(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  decisions: readonly FormerDecision[],
): Promise<void> {
  const workspaces = Map.groupBy(decisions, ({ workspaceId }) => workspaceId)
  for (const [workspaceId, own] of [...workspaces].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await writeLocked(ctx, tx, { workspaceId, decisions: own })
}
