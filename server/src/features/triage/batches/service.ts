/** What one command decided is one batch, which can be taken back as a whole. */
import { encodeFindingId, type FindingKey } from '../../../formats/finding-id.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { lockPackages } from '../../../platform/db/package-locks.ts'
import { addMs } from '../../../formats/instants.ts'
import { refuseUndone } from '../../../platform/db/undone-store.ts'
import { notFound } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { isUuid } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import {
  countRestorable,
  listRestorableAcceptances,
  restoreDecisions,
} from '../../findings/index.ts'
import { lockFirmwareVersions } from '../../firmware/index.ts'
import { countEnds, endRestored } from '../acceptances/ends-service.ts'
import { restoreStandingDecision } from '../standing/store.ts'
import { runTold } from './runs-service.ts'
import type { RunRow } from './runs-store.ts'
import {
  type BatchRow,
  type DecidedFinding,
  findBatch,
  insertBatch,
  listBatches,
  listBatchSides,
  listDecidedFindings,
  lockBatch,
  updateUndone,
} from './store.ts'
import type { StoredBatch } from './store.ts'

const MOST_NAMED = 5

interface Batch extends Pick<BatchRow, 'id' | 'act' | 'assessment' | 'standing'> {
  workspaceId: string
  by: Pick<BatchRow, 'source' | 'createdByEmail'>
  changed: readonly FindingKey[]
}

/** In the transaction that decides. */
export async function recordBatch(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, by, changed, ...batch }: Batch,
): Promise<void> {
  const vulnerabilityIds = [...new Set(changed.map((key) => key.vulnerabilityId))].toSorted()
  const { source, createdByEmail } = by
  await insertBatch(tx, workspaceId, {
    ...batch,
    source,
    createdByEmail,
    createdAt: ctx.now(),
    findingCount: changed.length,
    vulnerabilityIds: vulnerabilityIds.slice(0, MOST_NAMED),
    vulnerabilityCount: vulnerabilityIds.length,
  })
}

export async function listDecisionBatches(
  ctx: AppContext,
  input: PageRequested & { workspaceId: string; createdByEmail?: string | undefined },
) {
  const { workspaceId, createdByEmail, ...request } = input
  const scope = ['decision-batches', workspaceId, createdByEmail]
  const { after, rowLimit, cut } = openPage(ctx, scope, request)
  const rows = await listBatches(ctx.db, workspaceId, {
    createdByEmail,
    limit: rowLimit,
    after: after && { createdAt: String(after[0]), id: String(after[1]) },
  })
  const { page, next } = cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  return { decisionBatches: page.map(describeBatch), ...next }
}

/** What each finding of a batch had before, and what the batch made of it. */
export async function listBatchFindings(
  ctx: AppContext,
  input: PageRequested & { workspaceId: string; decisionBatchId: string },
) {
  const { workspaceId, decisionBatchId: batchId, ...request } = input
  const batch = isUuid(batchId) ? await findBatch(ctx.db, workspaceId, batchId) : undefined
  if (!batch) throw notFound('decision batch', batchId)
  const scope = ['decision-batch-findings', workspaceId, batchId]
  const { after, rowLimit, cut } = openPage(ctx, scope, request)
  const rows = await listDecidedFindings(
    ctx.db,
    { workspaceId, batchId },
    { limit: rowLimit, afterId: after && String(after[0]) },
  )
  const { page, next } = cut(rows, ({ id }) => [id])
  return { findings: page.map(describeDecided), ...next }
}

function describeDecided(row: DecidedFinding) {
  const { firmwareVersionId, firmwareVersionName, firmwareName, vulnerabilityId } = row
  return {
    findingId: encodeFindingId(row),
    cveId: vulnerabilityId,
    firmwareVersion: { id: firmwareVersionId, name: firmwareVersionName, firmwareName },
    before: { assessment: row.assessmentBefore, ignored: row.ignoredBefore },
    after: { assessment: row.assessment, ignored: row.ignored },
  }
}

function describeBatch({ vulnerabilityIds, vulnerabilityCount, standing, ...batch }: StoredBatch) {
  return {
    ...batch,
    cveIds: vulnerabilityIds,
    cveCount: vulnerabilityCount,
    alsoFuture: standing !== null,
  }
}

interface Undo {
  workspaceId: string
  decisionBatchId: string
  actor: Actor
  /** Whose word it is that the batch is taken back. */
  by: Pick<BatchRow, 'source' | 'createdByEmail'>
  dryRun?: boolean
}

/**
 * Each finding of the batch gets what it had before, except those about which somebody has decided since: they are left as they are,
 * counted and named.
 */
export async function undoDecisionBatch(ctx: AppContext, undo: Undo) {
  const { workspaceId, decisionBatchId: id, actor, by, dryRun = false } = undo
  const told = dryRun ? undefined : await readUndoRun(ctx, undo)
  return runTold(ctx, told, async (tx, teller) => {
    const batch = isUuid(id) ? await lockBatch(tx, workspaceId, id) : undefined
    if (!batch) throw notFound('decision batch', id)
    refuseUndone(batch, 'decision-batch-undone')
    const named = { workspaceId, batchId: batch.id }
    const { firmwareVersionIds, packageIds, vulnerabilityIds } = await listBatchSides(tx, named)
    if (!dryRun) {
      await lockFirmwareVersions(tx, workspaceId, firmwareVersionIds.toSorted())
      await lockPackages(tx, packageIds.toSorted(), 'shared')
    }
    const counts = describeCounts(await countRestorable(tx, named))
    if (dryRun) {
      const changes = await listRestorableAcceptances(tx, named)
      return withEnds(counts, await countEnds(tx, workspaceId, { changes, now: ctx.now() }))
    }
    const at = ctx.now()
    const findingCount = counts.restored + counts.left
    const tell = (doneCount: number) => teller.tell({ findingCount, doneCount })
    tell(0)
    await restoreDecisions(tx, { ...named, ...by, at }, tell)
    // A decision that was made at the same instant is a millisecond older than what takes it back.
    const done = withEnds(counts, await endRestored(tx, { ...named, at: addMs(at, 2) }))
    if (batch.standing) await restoreStandingDecision(tx, workspaceId, batch.standing)
    const leftCount = counts.left
    const undone = { undoneAt: at, undoneByEmail: by.createdByEmail, leftCount }
    await updateUndone(tx, workspaceId, { id: batch.id, ...undone })
    if (counts.restored > 0)
      await ctx.reactions.decisionsUndone(ctx, tx, { workspaceId, batchId: batch.id, actor })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'decision-batch.undo',
      resourceType: 'decision-batch',
      resourceId: batch.id,
      before: describeBatch(batch),
      after: done,
      about: [
        ...vulnerabilityIds.map((one) => ({ type: 'vulnerability' as const, id: one })),
        ...firmwareVersionIds.map((one) => ({ type: 'firmware-version' as const, id: one })),
      ],
    })
    return done
  })
}

const withEnds = <Counts extends object>(counts: Counts, endedAtOnce: number) => ({
  ...counts,
  ...(endedAtOnce > 0 && { endedAtOnce }),
})

/** What is taken back at once needs no telling. */
const MANY_FINDINGS = 1_000

async function readUndoRun(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, decisionBatchId: id, by }: Undo,
): Promise<RunRow | undefined> {
  const batch = isUuid(id) ? await findBatch(ctx.db, workspaceId, id) : undefined
  if (!batch || batch.undoneAt !== null || batch.findingCount < MANY_FINDINGS) return undefined
  const { act, assessment } = batch
  const { createdByEmail } = by
  return { workspaceId, id, isUndo: true, act, assessment, createdByEmail }
}

function describeCounts({
  restored,
  left,
  leftFindings,
}: Awaited<ReturnType<typeof countRestorable>>) {
  return {
    restored,
    left,
    leftFindings: leftFindings.map(({ firmwareVersionName, assessment, ignored, ...key }) => ({
      findingId: encodeFindingId(key),
      cveId: key.vulnerabilityId,
      firmwareVersionName,
      assessment,
      ignored,
    })),
  }
}
