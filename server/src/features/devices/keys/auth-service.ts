import type { X509Certificate } from 'node:crypto'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { createKey, hashKey, isWellFormedKey } from '../../auth/index.ts'
import { takeAll, takeAllInWindow } from '../../quotas/index.ts'
import { insertDevices } from '../store.ts'
import * as store from './store.ts'
import { shortenText } from '../../../formats/shorten.ts'

/** Device keys have the form of API keys. */
const PREFIX = 'plmd_'
const USE_RECORDED_EVERY_MS = 60_000
const DEVICE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export interface DeviceName {
  workspaceId: string
  deviceId: string
}

export interface KeyCredentials extends DeviceName {
  deviceKey: string
}

/** The client proved to whoever ended TLS that it holds the certificate's private key. */
export interface CertificateCredentials extends DeviceName {
  certificate: X509Certificate
}

export type DeviceCredentials = KeyCredentials | CertificateCredentials

export interface DevicePrincipal {
  workspaceId: string
  deviceId: string
  keyId: string
  /** Whether the key is the fleet's rather than this device's own. */
  isFleetKey: boolean
  /** Whether the device fetched it and uses it for the first time. */
  isNext: boolean
  /** When its certificate has to be looked at again; undefined: a key has no end. */
  validUntil: Date | undefined
}

export function createDeviceKeyText(): string {
  return createKey(PREFIX)
}

export function isDeviceId(text: string): boolean {
  return DEVICE_ID.test(text)
}

/**
 * Finds the device of the credentials, and registers it where the workspace allows auto-registration. Throws `device-id-not-possible` for
 * an id that no device can have, whatever the key is, so that it tells nothing of keys,
 * `device-unauthorized` for a key that is malformed, unknown, revoked or another device's, with the same text for all, and
 * `device-not-found` for a valid key of a device that is not registered.
 */
export async function authenticateByKey(
  ctx: AppContext,
  { workspaceId: named, deviceId, deviceKey }: KeyCredentials,
): Promise<DevicePrincipal> {
  // One spelling from here on: locks and signals use it.
  const workspaceId = named.toLowerCase()
  if (!isUuid(workspaceId) || !isWellFormedKey(PREFIX, deviceKey)) throw refuseKey()
  if (!isDeviceId(deviceId)) throw refuseDeviceId(deviceId)
  const keyHash = hashKey(deviceKey)
  const key = await store.findDeviceKeyByHash(ctx.pool, { workspaceId, deviceId, keyHash })
  if (!key || key.revoked_at || (key.device_id !== null && key.device_id !== deviceId))
    throw refuseKey()
  if (!key.is_device_there) {
    if (!key.device_auto_registration) throw notFound('device', deviceId)
    await registerDevice(ctx, { workspaceId, deviceId, keyId: key.id })
  }
  await recordKeyUse(ctx, { workspaceId, keyId: key.id, lastUsedAt: key.last_used_at })
  return {
    workspaceId,
    deviceId,
    keyId: key.id,
    isFleetKey: key.device_id === null,
    isNext: key.is_next,
    validUntil: undefined,
  }
}

export async function recordKeyUse(
  ctx: AppContext,
  {
    workspaceId,
    keyId,
    lastUsedAt,
  }: { workspaceId: string; keyId: string; lastUsedAt: Date | null },
): Promise<void> {
  const usedAt = ctx.now()
  const unusedSince = new Date(usedAt.getTime() - USE_RECORDED_EVERY_MS)
  if (!lastUsedAt || lastUsedAt <= unusedSince)
    await store.updateDeviceKeyUse(ctx.db, { workspaceId, keyId, usedAt, unusedSince })
}

/** `keyId`: what let it in, of which only so many registrations a minute come. */
export async function registerDevice(
  ctx: AppContext,
  { workspaceId, deviceId, keyId }: { workspaceId: string; deviceId: string; keyId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const device = {
      workspaceId,
      id: deviceId,
      description: null,
      tags: [],
      attributes: {},
      createdAt: ctx.now(),
    }
    const deviceIds = await insertDevices(tx, workspaceId, [device])
    await ctx.reactions.devicesTagged(ctx, tx, { workspaceId, deviceIds })
    const taken = { workspaceId, amount: deviceIds.length }
    await takeAll(ctx, tx, { ...taken, quota: 'devices' })
    const registered = { ...taken, quota: 'deviceRegistrationsPerMinute', subject: keyId } as const
    await takeAllInWindow(ctx, tx, registered)
  })
}

export function refuseKey(): AppError {
  return new AppError(
    'unauthorized',
    'device-unauthorized',
    'The device key is malformed, unknown, revoked, or belongs to another device or workspace.',
  )
}

export function refuseDeviceId(deviceId: string): AppError {
  const stated = JSON.stringify(shortenText(deviceId.toWellFormed(), 200))
  return new AppError(
    'invalid',
    'device-id-not-possible',
    `${stated} cannot be the id of a device: an id has 1 to 128 of A-Z a-z 0-9 . _ - and begins with a letter or digit. Configure another id (of a MAC address: AA-BB-CC-00-11-22).`,
  )
}
