/** Ends or opens proposals again: many by one command, or those whose decision was taken back. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { isUuid } from '../../platform/ids.ts'
import type { AuditAction } from '../audit/index.ts'
import type { DecisionsUndone } from '../triage/index.ts'
import { auditProposal } from './service.ts'
import * as store from './store.ts'

interface Many {
  workspaceId: string
  proposalIds: readonly string[]
  actor: Actor
}

export async function refuseProposals(ctx: AppContext, input: Many & { reason: string }) {
  const decidedByEmail = input.actor.email ?? null
  return changeMany(ctx, input, {
    from: 'Open',
    action: 'vulnerability-finding.refuse-proposal',
    outcome: {
      state: 'Refused',
      refusal: input.reason,
      decidedByEmail,
      decidedAt: ctx.now(),
    },
  })
}

/** Whoever refused was wrong: the proposals wait again. */
export async function reopenProposals(ctx: AppContext, input: Many) {
  return changeMany(ctx, input, {
    from: 'Refused',
    action: 'vulnerability-finding.reopen-proposal',
    outcome: { state: 'Open', refusal: null, decidedByEmail: null, decidedAt: null },
  })
}

/** Those of another state stay as they are. */
async function changeMany(
  ctx: AppContext,
  { workspaceId, proposalIds, actor }: Many,
  {
    from,
    action,
    outcome,
  }: {
    from: store.ProposalState
    action: AuditAction
    outcome: Omit<Parameters<typeof store.endProposal>[1], 'workspaceId' | 'id'>
  },
) {
  const ids = [...new Set(proposalIds)].filter(isUuid)
  return ctx.db.transaction().execute(async (tx) => {
    const rows = await store.lockProposals(tx, workspaceId, { ids, state: from })
    for (const row of rows) {
      await store.endProposal(tx, { workspaceId, id: row.id, ...outcome })
      const { state, refusal } = outcome
      await auditProposal(ctx, tx, { workspaceId, actor, row, action, state, refusal })
    }
    return { changed: rows.length, left: new Set(proposalIds).size - rows.length }
  })
}

/** The decision was taken back, so the proposals that led to it wait again. */
export async function reopenUndone(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, batchId, actor }: DecisionsUndone,
): Promise<void> {
  for (const { isReplaced, ...row } of await store.listUndone(tx, workspaceId, batchId)) {
    const state = isReplaced ? ('Replaced' as const) : ('Open' as const)
    const end = isReplaced ? { decidedAt: ctx.now() } : { decidedAt: null }
    const outcome = { state, refusal: null, decidedByEmail: null, decisionBatchId: null, ...end }
    await store.endProposal(tx, { workspaceId, id: row.id, ...outcome })
    const action = 'vulnerability-finding.reopen-proposal'
    await auditProposal(ctx, tx, { workspaceId, actor, row, action, state })
  }
}
