/** The team asks devices to replace their keys, and takes that back. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { runPreview } from '../../platform/db/preview.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { type DeviceSelection, selectDevices } from '../bulk-devices/index.ts'
import { getDevice, signalDesiredChange } from '../devices/index.ts'
import * as store from './store.ts'

interface OneDevice {
  workspaceId: string
  deviceId: string
  actor: Actor
}

/** In one transaction. */
const MOST_ASKED = 100_000
/** Ids in an entry of the audit log. */
const MOST_LISTED = 1_000

/** Asking again while it is not done changes nothing. */
export async function askKeyRotation(ctx: AppContext, { workspaceId, deviceId, actor }: OneDevice) {
  return ctx.db.transaction().execute(async (tx) => {
    const [device] = await store.listCandidates(tx, { workspaceId, deviceIds: [deviceId] })
    if (!device) throw notFound('device', deviceId)
    if (!device.isOpen) {
      refuseUnable(device)
      await ask(ctx, tx, { workspaceId, deviceIds: [deviceId], actor })
      const entry = { workspaceId, actor, resourceType: 'device', resourceId: deviceId }
      await recordAudit(ctx, tx, { ...entry, action: 'device-key.ask-rotation' })
    }
    return getDevice({ ...ctx, db: tx }, workspaceId, deviceId)
  })
}

function refuseUnable({ isHawkbit, ownKeys }: store.Candidate): void {
  const why = isHawkbit
    ? 'It connects as a hawkBit client, and that protocol has no way to fetch a key.'
    : 'It has no key of its own that it could replace.'
  if (isHawkbit || ownKeys === 0)
    throw new AppError('conflict', 'device-cannot-rotate-key', `The device is not asked. ${why}`)
}

interface AskedDevices {
  workspaceId: string
  deviceIds: readonly string[]
  actor: Actor
  /** For the age of their keys. */
  isScheduled?: boolean
}

export async function ask(
  ctx: AppContext,
  tx: Tx,
  { actor, isScheduled = false, ...devices }: AskedDevices,
): Promise<{ batchId: string; asked: string[] }> {
  const batchId = newId()
  const by = { askedAt: ctx.now(), askedByEmail: actor.email ?? null }
  const asked = await store.insertRotations(tx, { ...devices, batchId, isScheduled, ...by })
  await signalDesiredChange(tx, devices.workspaceId, asked)
  return { batchId, asked }
}

interface RotateKeys extends DeviceSelection {
  actor: Actor
  dryRun?: boolean
}

/** Those that cannot, and those that were asked already, are counted and left as they are. */
export async function rotateKeys(ctx: AppContext, input: RotateKeys) {
  const { workspaceId, actor, dryRun = false } = input
  return runPreview(ctx, dryRun, async (tx) => {
    const deviceIds = await selectDevices(ctx, tx, { ...input, most: MOST_ASKED })
    const devices = await store.listCandidates(tx, { workspaceId, deviceIds })
    const closed = devices.filter(({ isOpen }) => !isOpen)
    const able = closed.filter(({ isHawkbit, ownKeys }) => !isHawkbit && ownKeys > 0)
    const counts = {
      matched: devices.length,
      asked: able.length,
      askedBefore: devices.length - closed.length,
      hawkbit: closed.filter(({ isHawkbit }) => isHawkbit).length,
      withoutOwnKey: closed.filter(({ isHawkbit, ownKeys }) => !isHawkbit && ownKeys === 0).length,
      severalKeys: able.filter(({ ownKeys }) => ownKeys > 1).length,
    }
    if (dryRun || able.length === 0) return { ...counts, keyRotationBatchId: null }
    const named = { workspaceId, deviceIds: able.map(({ id }) => id), actor }
    const { batchId, asked } = await ask(ctx, tx, named)
    await recordBulk(ctx, tx, { ...input, action: 'device-key.bulk-ask-rotation', counts, asked })
    return { ...counts, keyRotationBatchId: batchId }
  })
}

export async function recordBulk(
  ctx: AppContext,
  tx: Tx,
  done: {
    workspaceId: string
    actor: Actor
    action: 'device-key.bulk-ask-rotation' | 'device-key.cancel-rotations'
    counts: object
    asked: readonly string[]
  },
): Promise<void> {
  const { workspaceId, actor, action, counts, asked } = done
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action,
    resourceType: 'workspace',
    resourceId: workspaceId,
    after: { ...counts, deviceIds: asked.slice(0, MOST_LISTED) },
  })
}

/** A device that fetched a key may have stored it, and has to go on. */
export async function cancelKeyRotation(
  ctx: AppContext,
  { workspaceId, deviceId, actor }: OneDevice,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const name = { workspaceId, deviceId }
    const rotation = await store.lockRotation(tx, name)
    if (!rotation || rotation.doneAt) {
      await getDevice({ ...ctx, db: tx }, workspaceId, deviceId)
      throw new AppError(
        'notFound',
        'key-rotation-not-found',
        `The device ${JSON.stringify(deviceId)} is not asked to replace its key.`,
      )
    }
    if (rotation.fetchedAt)
      throw new AppError(
        'conflict',
        'key-rotation-fetched',
        `The device fetched its next key at ${rotation.fetchedAt.toISOString()} and may use it at any moment.`,
      )
    await store.deleteRotation(tx, name)
    await signalDesiredChange(tx, workspaceId, [deviceId])
    const entry = { workspaceId, actor, resourceType: 'device', resourceId: deviceId }
    await recordAudit(ctx, tx, { ...entry, action: 'device-key.cancel-rotation' })
    return getDevice({ ...ctx, db: tx }, workspaceId, deviceId)
  })
}

export async function undoKeyRotations(
  ctx: AppContext,
  input: { workspaceId: string; keyRotationBatchId: string; actor: Actor },
) {
  const { workspaceId, keyRotationBatchId: batchId } = input
  return ctx.db.transaction().execute(async (tx) => {
    const named = { workspaceId, batchId }
    const asked = isUuid(batchId) ? await store.deleteUnfetched(tx, named) : []
    const left = isUuid(batchId) ? await store.countRotations(tx, named) : 0
    if (asked.length + left === 0) throw notFound('key rotation batch', batchId)
    const counts = { cancelled: asked.length, left }
    if (asked.length === 0) return counts
    await signalDesiredChange(tx, workspaceId, asked)
    await recordBulk(ctx, tx, { ...input, action: 'device-key.cancel-rotations', counts, asked })
    return counts
  })
}
