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

/** Its requests; the status 0: there was no answer. */
type Send = (
  path: 'key' | 'sync',
  deviceKey: string,
) => Promise<{ status: number; read: () => { deviceKey: string } }>

type WithKey = Pick<RotatingDevice, 'workspaceId' | 'deviceId'> & { deviceKey: string }

export function createRotatingDevice({ app }: TestApp, device: WithKey): RotatingDevice {
  return createDevice(device, async (path, deviceKey) => {
    const response = await app.inject({
      method: 'POST',
      url: `/device/v1/${device.workspaceId}/${device.deviceId}/${path}`,
      headers: { authorization: `Bearer ${deviceKey}` },
    })
    return { status: response.statusCode, read: () => response.json<{ deviceKey: string }>() }
  })
}

/** At a service of its own, which may end at any moment. */
export function createDistantDevice(findUrl: () => string, device: WithKey): RotatingDevice {
  return createDevice(device, async (path, deviceKey) => {
    try {
      const response = await fetch(
        `${findUrl()}/device/v1/${device.workspaceId}/${device.deviceId}/${path}`,
        { method: 'POST', headers: { authorization: `Bearer ${deviceKey}` } },
      )
      const answer = (await response.json()) as { deviceKey: string }
      return { status: response.status, read: () => answer }
    } catch {
      return { status: 0, read: () => ({ deviceKey: '' }) }
    }
  })
}

function createDevice(device: WithKey, send: Send): RotatingDevice {
  const { workspaceId, deviceId } = device
  const keys: OwnKeys = { present: device.deviceKey, next: undefined }
  return {
    workspaceId,
    deviceId,
    keys,
    fetch: async ({ isLost = false } = {}) => {
      const { status, read } = await send('key', keys.present)
      if (status === 201 && !isLost) keys.next = read().deviceKey
      return status
    },
    sync: async ({ isLost = false } = {}) => {
      if (keys.next !== undefined) {
        const { status } = await send('sync', keys.next)
        if (status === 200) {
          if (!isLost) Object.assign(keys, { present: keys.next, next: undefined })
          return true
        }
        // Without an answer nobody knows, and both are kept.
        if (status !== 401) return false
        if (!isLost) keys.next = undefined
      }
      return (await send('sync', keys.present)).status === 200
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
