/** Puts counted refusals into the audit logs: an entry for each minute, actor and node. */
import type { AppContext } from '../../platform/context.ts'
import { startTicker } from '../../platform/ticker.ts'
import { getRefusalCounts, type WorkspaceRefusals } from './refusals.ts'
import { recordAudit } from './service.ts'
import { hasWorkspace } from './store.ts'

const RECORDED_EVERY_MS = 60_000

/** A process that is killed loses the counts of its last minute; one that stops records them. */
export function startRefusalRecords(ctx: AppContext): () => Promise<void> {
  const ticker = startTicker({
    everyMs: RECORDED_EVERY_MS,
    work: () => recordRefusals(ctx),
    log: ctx.log,
    failure: 'recording refused requests failed',
  })
  return async () => {
    await ticker.stop()
    await recordRefusals(ctx)
  }
}

/** What cannot be recorded, as the database is away, waits for the next call. */
export async function recordRefusals(ctx: AppContext): Promise<void> {
  const counts = getRefusalCounts(ctx.memory)
  counts.close()
  for (let refusals = counts.next(); refusals; refusals = counts.next()) {
    await recordWorkspace(ctx, refusals)
    counts.forget()
  }
}

async function recordWorkspace(
  ctx: AppContext,
  { workspaceId, counts }: WorkspaceRefusals,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    // It may have been deleted since. If it is deleted right now, its entry is refused, and the next call finds nothing.
    if (!(await hasWorkspace(tx, workspaceId))) return
    for (const { actor, count, since, until, kinds } of counts)
      await recordAudit(ctx, tx, {
        workspaceId,
        actor,
        action: 'request.refuse',
        resourceType: 'workspace',
        resourceId: workspaceId,
        after: {
          count,
          since,
          until,
          refused: [...kinds.values()].map((kind) => ({ ...kind.what, count: kind.count })),
        },
      })
  })
}
