/** What a device does about its keys: it is told, fetches its next key with the present one, and uses it. */
import type { DesiredKey } from '../../formats/device-messages/model.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { recordAudit } from '../audit/index.ts'
import {
  adoptNextKey,
  type DevicePrincipal,
  issueNextKey,
  signalDesiredChange,
} from '../devices/index.ts'
import * as store from './store.ts'

/** What those of the devices are told that are asked to replace their keys. It records that they were told. Mostly there are none. */
export async function tellRotations(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, DesiredKey>> {
  if (deviceIds.length === 0) return new Map()
  const open = await store.listOpenRotations(ctx.db, { workspaceId, deviceIds })
  const untold = open.filter(({ toldAt }) => toldAt === null).map(({ deviceId }) => deviceId)
  if (untold.length > 0)
    await store.updateTold(ctx.db, { workspaceId, deviceIds: untold }, ctx.now())
  const { publicUrl } = ctx.config
  return new Map(
    open.map(({ deviceId }) => [
      deviceId,
      { rotate: true, url: `${publicUrl}/device/v1/${workspaceId}/${deviceId}/key` },
    ]),
  )
}

/** The key is in the answer only. The present one goes on until this one is used. */
export async function fetchNextKey(
  ctx: AppContext,
  principal: DevicePrincipal,
  requestId: string,
): Promise<{ deviceKey: string }> {
  const { workspaceId, deviceId, keyId } = principal
  const name = { workspaceId, deviceId }
  if (principal.isFleetKey || principal.validUntil !== undefined) {
    await store.updateRotation(ctx.db, name, { refusedAt: ctx.now() })
    throw new AppError(
      'forbidden',
      'key-rotation-needs-own-key',
      'The next key is fetched with a key of this device alone, not with one of all devices or a certificate.',
    )
  }
  return ctx.db.transaction().execute(async (tx) => {
    const rotation = await store.lockRotation(tx, name)
    if (!rotation || rotation.doneAt)
      throw new AppError(
        'conflict',
        'key-rotation-not-asked',
        'Nobody asked this device to replace its key, or it did so already. Its key goes on.',
      )
    const { id, deviceKey, ended } = await issueNextKey(ctx, tx, { ...name, keyId })
    await store.updateRotation(tx, name, { fetchedAt: ctx.now(), refusedAt: null })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: { ...createActor(deviceId), requestId },
      action: 'device-key.fetch',
      resourceType: 'device-key',
      resourceId: id,
      after: { deviceId, endedKeyIds: ended },
    })
    return { deviceKey }
  })
}

/**
 * The first use of a key that the device fetched, which proves that the device has it: the older ones end now. Throws where another
 * one of its fetched keys was used before this one.
 */
export async function completeRotation(
  ctx: AppContext,
  { workspaceId, deviceId, keyId }: DevicePrincipal,
): Promise<void> {
  const name = { workspaceId, deviceId }
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockRotation(tx, name)
    const ended = await adoptNextKey(ctx, tx, { ...name, keyId })
    // Another request with this key was here a moment before.
    if (!ended) return
    await store.updateRotation(tx, name, { doneAt: ctx.now() })
    await signalDesiredChange(tx, workspaceId, [deviceId])
    await recordAudit(ctx, tx, {
      workspaceId,
      actor: createActor(deviceId),
      action: 'device-key.rotate',
      resourceType: 'device-key',
      resourceId: keyId,
      after: { deviceId, endedKeyIds: ended },
    })
  })
}

function createActor(deviceId: string): Actor {
  return { type: 'Device', id: deviceId, email: undefined, requestId: undefined }
}
