/** What one command did to tags and cohorts of devices is one batch, which can be taken back as a whole. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { refuseUndone, updateUndone } from '../../platform/db/undone-store.ts'
import { addDays } from '../../formats/instants.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { restoreMembership, withDevicesLocked } from '../cohorts/index.ts'
import * as store from './batches-store.ts'
import { listMovesBy } from './moves-service.ts'

/** Whoever takes something back later does not remember what it was. */
const KEPT_DAYS = 7
const MOST_NAMED = 20

interface Command<Answer> {
  workspaceId: string
  actor: Actor
  act: store.DeviceBatchAct
  deviceIds: readonly string[]
  isPreview: boolean
  /** Changes the devices, which are locked. */
  change: () => Promise<Answer>
}

/** Keeps what the devices had before. The id is null where nothing changed, and for a preview. */
export async function recordBatch<Answer>(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, actor, act, deviceIds, isPreview, change }: Command<Answer>,
): Promise<{ answer: Answer; deviceBatchId: string | null }> {
  if (isPreview) return { answer: await change(), deviceBatchId: null }
  const named = { workspaceId, batchId: newId() }
  const createdAt = ctx.now()
  const createdByEmail = actor.email ?? null
  await store.deleteBatchesBefore(tx, workspaceId, addDays(createdAt, -KEPT_DAYS))
  await store.insertBatch(tx, { ...named, createdAt, createdByEmail, act }, deviceIds)
  const answer = await change()
  const isAny = await store.completeBatch(tx, named)
  return { answer, deviceBatchId: isAny ? named.batchId : null }
}

interface Undo {
  workspaceId: string
  deviceBatchId: string
  act: store.DeviceBatchAct
  actor: Actor
}

/**
 * Each device gets the tags and the cohort that it had before, except those that are no longer as the command left them: they stay as
 * they are, and are counted and named.
 */
export async function undoDeviceBatch(ctx: AppContext, undo: Undo) {
  const { workspaceId, deviceBatchId, act, actor } = undo
  if (!isUuid(deviceBatchId)) throw notFound('device batch', deviceBatchId)
  const named = { workspaceId, batchId: deviceBatchId }
  const change = async (tx: Tx) => {
    const batch = await store.lockBatch(tx, named, act)
    if (!batch) throw notFound('device batch', deviceBatchId)
    refuseUndone(batch, 'device-batch-undone')
    const devices = await store.listRestorable(tx, named)
    const members = devices.filter(({ isRestorable }) => isRestorable)
    const left = devices.filter(({ isRestorable }) => !isRestorable).map(({ id }) => id)
    const deviceIds = members.map(({ id }) => id)
    const moves = await listMovesBy(tx, { workspaceId, deviceIds }, async () => {
      await store.restoreTags(tx, named, deviceIds)
      await restoreMembership(ctx, tx, { workspaceId, members })
    })
    const undone = { undoneAt: ctx.now(), undoneByEmail: actor.email ?? null }
    await updateUndone(tx, 'deviceBatches', { workspaceId, id: deviceBatchId }, undone)
    const counts = { restored: members.length, left: left.length, moves }
    const answer = { ...counts, leftDeviceIds: left.slice(0, MOST_NAMED) }
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'device-batch.undo',
      resourceType: 'device-batch',
      resourceId: deviceBatchId,
      after: { act, ...answer },
      about: deviceIds.map((id) => ({ type: 'device' as const, id })),
    })
    return answer
  }
  return withDevicesLocked(ctx, {
    workspaceId,
    affectedDevices: (tx) => store.listBatchDevices(tx, named),
    change,
  })
}
