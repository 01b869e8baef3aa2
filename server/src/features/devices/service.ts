/** The register of devices, as people and pipelines change it. Reports of devices are stored by `intake/`. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { recordAudit } from '../audit/index.ts'
import type { MarkReader, VersionsNamed } from '../firmware/index.ts'
import { listMislinkedFirmwares, relinkFirmwares } from './firmware-links/store.ts'
import { lockDevices } from './intake/store.ts'
import { giveBack, takeAll } from '../quotas/index.ts'
import { signalDeleted } from './signals-store.ts'
import { moveCountsAround } from './counts/store.ts'
import { changeImageHashes, refreshImageHashes } from './intake/service.ts'
import { isDeviceId } from './keys/auth-service.ts'
import * as store from './store.ts'

interface Change {
  workspaceId: string
  actor: Actor
}

interface NewDevice extends Partial<store.DeviceFields> {
  id: string
}

export async function getDevice(ctx: MarkReader, workspaceId: string, deviceId: string) {
  const [device] = isDeviceId(deviceId)
    ? await store.describeDevices(ctx, workspaceId, [deviceId])
    : []
  if (!device) throw notFound('device', deviceId)
  return device
}

async function lockedDevice(tx: Tx, workspaceId: string, deviceId: string) {
  const device = isDeviceId(deviceId)
    ? await store.lockDevice(tx, workspaceId, deviceId)
    : undefined
  if (!device) throw notFound('device', deviceId)
  return device
}

const withoutDuplicates = (tags: readonly string[]) => [...new Set(tags)].toSorted()

/** Answers the ids of the new devices. Existing ones stay as they are. */
async function register(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, devices }: { workspaceId: string; devices: readonly NewDevice[] },
): Promise<string[]> {
  const createdAt = ctx.now()
  const rows = devices.map(({ id, description = null, tags = [], attributes = {} }) => ({
    workspaceId,
    id,
    description,
    tags: withoutDuplicates(tags),
    attributes,
    createdAt,
  }))
  const deviceIds = await store.insertDevices(tx, workspaceId, rows)
  await ctx.reactions.devicesTagged(ctx, tx, { workspaceId, deviceIds })
  await takeAll(ctx, tx, { workspaceId, quota: 'devices', amount: deviceIds.length })
  return deviceIds
}

export async function createDevice(ctx: AppContext, input: Change & NewDevice) {
  const { workspaceId, actor, ...device } = input
  return ctx.db.transaction().execute(async (tx) => {
    const [id] = await register(ctx, tx, { workspaceId, devices: [device] })
    if (id === undefined)
      throw new AppError(
        'conflict',
        'device-exists',
        `A device with the id ${JSON.stringify(device.id)} exists already.`,
      )
    const entry = { workspaceId, actor, resourceType: 'device', resourceId: id }
    await recordAudit(ctx, tx, { ...entry, action: 'device.create', after: device })
    return getDevice({ ...ctx, db: tx }, workspaceId, id)
  })
}

/** When an id is given twice, the first entry counts. */
export async function importDevices(
  ctx: AppContext,
  input: Change & { devices: readonly NewDevice[] },
) {
  const { workspaceId, actor } = input
  const devices = [...new Map(input.devices.toReversed().map((one) => [one.id, one])).values()]
  return ctx.db.transaction().execute(async (tx) => {
    const created = (await register(ctx, tx, { workspaceId, devices })).toSorted()
    const entry = { workspaceId, actor, resourceType: 'workspace', resourceId: workspaceId }
    if (created.length > 0)
      await recordAudit(ctx, tx, { ...entry, action: 'device.import', after: { created } })
    const isNew = new Set(created)
    const ids = devices.map(({ id }) => id).toSorted()
    return { created, existing: ids.filter((id) => !isNew.has(id)) }
  })
}

type ChangeDevice = Change &
  Partial<store.DeviceFields> & { deviceId: string; precondition?: Precondition | undefined }

export async function changeDevice(ctx: AppContext, input: ChangeDevice) {
  const { workspaceId, actor, deviceId } = input
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockedDevice(tx, workspaceId, deviceId)
    input.precondition?.(before)
    const { description = before.description, attributes = before.attributes } = input
    const tags = withoutDuplicates(input.tags ?? before.tags)
    const after = { description, tags, attributes }
    await store.updateDevice(tx, { workspaceId, id: deviceId, ...after })
    if (input.attributes !== undefined)
      await changeImageHashes(tx, workspaceId, [{ id: deviceId, attributes: { ...attributes } }])
    if (!isDeepStrictEqual(tags, before.tags))
      await ctx.reactions.devicesTagged(ctx, tx, { workspaceId, deviceIds: [deviceId] })
    const entry = { workspaceId, actor, resourceType: 'device', resourceId: deviceId }
    await recordAudit(ctx, tx, { ...entry, action: 'device.update', before, after })
    return getDevice({ ...ctx, db: tx }, workspaceId, deviceId)
  })
}

/** Deletes the device and its own keys. Its next message is refused, unless it may register again with a key of the fleet. */
export async function deleteDevice(
  ctx: AppContext,
  { workspaceId, actor, deviceId }: Change & { deviceId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockedDevice(tx, workspaceId, deviceId)
    const entry = { workspaceId, actor, resourceType: 'device', resourceId: deviceId }
    await recordAudit(ctx, tx, { ...entry, action: 'device.delete', before })
    await removeDevices(ctx, tx, { workspaceId, deviceIds: [deviceId] })
  })
}

/** Their rows are locked. To be called last, as many devices share the rows that are written at the end. */
export async function removeDevices(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
): Promise<void> {
  await ctx.reactions.devicesLeaving(ctx, tx, { workspaceId, deviceIds })
  await moveCountsAround(tx, { workspaceId, deviceIds }, async () => {
    await store.deleteDevices(tx, workspaceId, deviceIds)
    await store.deleteKeysOfDevices(tx, workspaceId, deviceIds)
    await signalDeleted(tx, workspaceId, deviceIds)
    await giveBack(tx, { workspaceId, quota: 'devices', amount: deviceIds.length })
  })
}

/**
 * Links what devices run to the firmware versions that have these names now. Runs in the transaction that names the
 * versions and holds the lock on names.
 */
export async function relinkDevices(
  tx: Tx,
  { workspaceId, firmwareVersionIds }: VersionsNamed,
): Promise<void> {
  const mislinked = await listMislinkedFirmwares(tx, workspaceId, firmwareVersionIds)
  if (mislinked.length === 0) return
  const deviceIds = [...new Set(mislinked.map(({ deviceId }) => deviceId))]
  const devices = await lockDevices(tx, workspaceId, deviceIds)
  const moved = new Set(
    mislinked.flatMap(({ deviceId, slug, newSlug }) => (slug === newSlug ? [] : [deviceId])),
  )
  await moveCountsAround(tx, { workspaceId, deviceIds }, async () => {
    await relinkFirmwares(tx, workspaceId, mislinked)
    await refreshImageHashes(
      tx,
      workspaceId,
      devices.filter(({ id }) => moved.has(id)),
    )
  })
}
