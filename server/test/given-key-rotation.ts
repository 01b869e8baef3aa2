/** A device that replaces its key, as a careful client does: it keeps its present key until the next one was accepted. */
import { hashKey } from '../src/features/auth/index.ts'
import type { TestApp } from './app.ts'

export interface OwnKeys {
  present: string
  /** Stored before it is used. */
  next: string | undefined
}

export interface RotatingDevice {
  workspaceId: string
  deviceId: string
  /** As its flash holds them. */
  keys: OwnKeys
  /** `isLost`: the answer does not arrive. The status. */
  fetch: (options?: { isLost?: boolean }) => Promise<number>
  /** One sync with the newest key that it has, falling back to the present one. Whether it got in. */
  sync: (options?: { isLost?: boolean }) => Promise<boolean>
}

export function createRotatingDevice(
  { app }: TestApp,
  device: { workspaceId: string; deviceId: string; deviceKey: string },
): RotatingDevice {
  const { workspaceId, deviceId } = device
  const keys: OwnKeys = { present: device.deviceKey, next: undefined }
  const send = (path: 'key' | 'sync', deviceKey: string) =>
    app.inject({
      method: 'POST',
      url: `/device/v1/${workspaceId}/${deviceId}/${path}`,
      headers: { authorization: `Bearer ${deviceKey}` },
    })
  return {
    workspaceId,
    deviceId,
    keys,
    fetch: async ({ isLost = false } = {}) => {
      const response = await send('key', keys.present)
      if (response.statusCode === 201 && !isLost)
        keys.next = response.json<{ deviceKey: string }>().deviceKey
      return response.statusCode
    },
    sync: async ({ isLost = false } = {}) => {
      if (keys.next !== undefined) {
        const { statusCode } = await send('sync', keys.next)
        if (statusCode === 200) {
          if (!isLost) Object.assign(keys, { present: keys.next, next: undefined })
          return true
        }
        if (!isLost) keys.next = undefined
      }
      return (await send('sync', keys.present)).statusCode === 200
    },
  }
}

/** The own keys of the device that are in force, and which of these it has not used yet. */
export async function listKeysInForce(
  { ctx }: TestApp,
  { workspaceId, deviceId }: Pick<RotatingDevice, 'workspaceId' | 'deviceId'>,
): Promise<{ hash: string; isNext: boolean }[]> {
  const rows = await ctx.db
    .selectFrom('deviceKeys')
    .select(['keyHash', 'isNext'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .where('issuerId', 'is', null)
    .where('revokedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(({ keyHash, isNext }) => ({ hash: keyHash.toString('hex'), isNext }))
}

export const hashText = (deviceKey: string): string => hashKey(deviceKey).toString('hex')
