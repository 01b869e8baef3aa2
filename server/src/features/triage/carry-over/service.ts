import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { NewFindings } from '../../findings/index.ts'
import { recordDecisionsOrEnds } from '../acceptances/ends-service.ts'
import type { ChangedMatch } from '../../matching/index.ts'
import { describeRecheckCause } from './recheck-cause.ts'
import { type FormerDecision, listCarriedOver } from './store.ts'
import { takeUpReidentified, takeUpUnited } from './taken-up-store.ts'

/**
 * Makes earlier decisions the first decisions of new findings. The packages are locked exclusively, or the firmware
 * version is locked and its packages are shared.
 */
export async function carryOverDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  findings: NewFindings,
): Promise<void> {
  const { workspaceId } = findings
  if ('firmwareVersionId' in findings)
    await write(ctx, tx, workspaceId, await takeUpReidentified(tx, findings))
  await write(ctx, tx, workspaceId, await listCarriedOver(tx, findings))
}

/** Carries decisions over to vulnerabilities that were united or split. The packages are locked exclusively. */
export async function takeUpDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, changes }: { workspaceId: string; changes: readonly ChangedMatch[] },
): Promise<void> {
  const changed = {
    workspaceId,
    packageIds: [...new Set(changes.map(({ packageId }) => packageId))],
    vulnerabilityIds: [...new Set(changes.map(({ vulnerabilityId }) => vulnerabilityId))],
  }
  await write(ctx, tx, workspaceId, await takeUpUnited(tx, changed))
}

async function write(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  workspaceId: string,
  decisions: readonly FormerDecision[],
): Promise<void> {
  await recordDecisionsOrEnds(ctx, tx, { workspaceId, decisions: decisions.map(asDecision) })
}

function asDecision({ recheckCause, recheckReason, ...decision }: FormerDecision) {
  return {
    ...decision,
    recheckReason: recheckCause ? describeRecheckCause(recheckCause) : recheckReason,
  }
}
