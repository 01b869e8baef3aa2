/** Many proposals dismissed at once, such as those that were listed before reports were due. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { readCode } from '../../platform/errors.ts'
import { dismissCase } from './ends-service.ts'
import { listAllCases } from './list-service.ts'
import { findRow } from './service.ts'

interface DismissCases {
  workspaceId: string
  caseIds: readonly string[]
  reason: string
  actor: Actor
}

/** A case whose clocks run is left: whoever dismisses it looks at it. */
export async function dismissCases(
  ctx: AppContext,
  { workspaceId, caseIds, reason, actor }: DismissCases,
): Promise<{ dismissed: number; left: number }> {
  for (const caseId of caseIds) await findRow(ctx.db, { workspaceId, caseId })
  const cases = await listAllCases(ctx, ctx.db, workspaceId)
  const waiting = new Set(
    cases.flatMap(({ id, state }) => (state === 'Proposed' || state === 'Watching' ? [id] : [])),
  )
  let dismissed = 0
  for (const caseId of caseIds.filter((id) => waiting.has(id))) {
    try {
      await dismissCase(ctx, { workspaceId, caseId, reason, actor })
      dismissed += 1
    } catch (error) {
      // Somebody else ended it meanwhile.
      if (!(error instanceof Error) || readCode(error) !== 'case-ended') throw error
    }
  }
  return { dismissed, left: caseIds.length - dismissed }
}
