/** Issues and revokes device keys: keys of the whole fleet, or of one device. */
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { hashKey } from '../../auth/index.ts'
import { signalDisconnect } from '../signals-store.ts'
import { createDeviceKeyText, isDeviceId } from './auth-service.ts'
import * as store from './store.ts'

interface IssueDeviceKey {
  workspaceId: string
  /** Without it, any device of the workspace may use the key. */
  deviceId?: string
  name?: string
  actor: Actor
}

/** The key is in the answer only. Its device need not be registered yet. */
export async function issueDeviceKey(ctx: AppContext, input: IssueDeviceKey) {
  const { workspaceId, deviceId = null, actor } = input
  if (deviceId !== null && !isDeviceId(deviceId))
    throw invalid(`${JSON.stringify(deviceId)} cannot be the id of a device.`, '/deviceId')
  const name = input.name === undefined ? (deviceId ?? 'fleet') : readName(input.name)
  const deviceKey = createDeviceKeyText()
  const fields = { deviceId, name, createdByEmail: actor.email ?? null }
  const row = { workspaceId, id: newId(), ...fields, createdAt: ctx.now() }
  await ctx.db.transaction().execute(async (tx) => {
    await store.insertDeviceKey(tx, { ...row, keyHash: hashKey(deviceKey) })
    const entry = { workspaceId, actor, resourceType: 'device-key', resourceId: row.id }
    await recordAudit(ctx, tx, { ...entry, action: 'device-key.create', after: fields })
  })
  return { id: row.id, deviceKey }
}

/** `deviceId`: those that this device may use, its own and those of all devices. */
export async function listDeviceKeys(
  ctx: AppContext,
  { workspaceId, deviceId }: { workspaceId: string; deviceId?: string },
) {
  return store.listDeviceKeys(ctx.db, workspaceId, deviceId)
}

/** The key is refused from now on, and its connections end. Revoking it again changes nothing. */
export async function revokeDeviceKey(
  ctx: AppContext,
  { workspaceId, id, actor }: { workspaceId: string; id: string; actor: Actor },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const key = isUuid(id) ? await store.lockDeviceKey(tx, workspaceId, id) : undefined
    if (!key) throw notFound('device key', id)
    if (key.revokedAt) return { id: key.id, revokedAt: key.revokedAt }
    const revokedAt = ctx.now()
    await store.revokeDeviceKey(tx, { workspaceId, id: key.id, revokedAt })
    await signalDisconnect(tx, { workspaceId, keyId: key.id })
    const entry = { workspaceId, actor, resourceType: 'device-key', resourceId: key.id }
    const before = { deviceId: key.deviceId, name: key.name }
    await recordAudit(ctx, tx, { ...entry, action: 'device-key.revoke', before })
    return { id: key.id, revokedAt }
  })
}
