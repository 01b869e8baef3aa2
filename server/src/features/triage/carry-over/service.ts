import type { AppContext, NewFindings } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { recordLockedDecisions } from '../../findings/index.ts'
import type { ChangedMatch } from '../../matching/index.ts'
import { describeRecheckCause } from './recheck-cause.ts'
import { type FormerDecision, listCarriedOver, takeUpReidentified, takeUpUnited } from './store.ts'

/**
 * Makes earlier decisions the first decisions of new findings. The packages are locked exclusively, or the firmware
 * version is locked and its packages are shared.
 */
export async function carryOverDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  findings: NewFindings,
): Promise<void> {
  if ('workspaceId' in findings)
    await writeByWorkspace(ctx, tx, await takeUpReidentified(tx, findings))
  await writeByWorkspace(ctx, tx, await listCarriedOver(tx, findings))
}

/** Carries decisions over to vulnerabilities that were united or split. The packages are locked exclusively. */
export async function takeUpDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  changes: readonly ChangedMatch[],
): Promise<void> {
  const changed = {
    packageIds: [...new Set(changes.map(({ packageId }) => packageId))],
    vulnerabilityIds: [...new Set(changes.map(({ vulnerabilityId }) => vulnerabilityId))],
  }
  await writeByWorkspace(ctx, tx, await takeUpUnited(tx, changed))
}

async function writeByWorkspace(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  decisions: readonly FormerDecision[],
): Promise<void> {
  const workspaces = Map.groupBy(decisions, ({ workspaceId }) => workspaceId)
  for (const [workspaceId, own] of [...workspaces].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await recordLockedDecisions(ctx, tx, { workspaceId, decisions: own.map(asDecision) })
}

function asDecision({ recheckCause, recheckReason, ...decision }: FormerDecision) {
  return {
    ...decision,
    recheckReason: recheckCause ? describeRecheckCause(recheckCause) : recheckReason,
  }
}
