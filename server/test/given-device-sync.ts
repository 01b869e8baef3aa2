/** A device at the HTTP door. */
import { encode } from 'cborg'
import type { TestApp } from './app.ts'
import { givenDeviceKey } from './given-ddi.ts'

export interface SyncingDevice {
  workspaceId: string
  deviceId: string
  deviceKey: string
  sync: (body?: object, headers?: Record<string, string>) => ReturnType<typeof send>
  syncCbor: (body: object, headers?: Record<string, string>) => ReturnType<typeof send>
  syncBytes: (bytes: Uint8Array, headers?: Record<string, string>) => ReturnType<typeof send>
}

type Address = Pick<SyncingDevice, 'workspaceId' | 'deviceId' | 'deviceKey'>

function send(
  { app }: TestApp,
  { workspaceId, deviceId, deviceKey }: Address,
  { bytes, headers = {} }: { bytes: Uint8Array | undefined; headers?: Record<string, string> },
) {
  return app.inject({
    method: 'POST',
    url: `/device/v1/${workspaceId}/${deviceId}/sync`,
    headers: { authorization: `Bearer ${deviceKey}`, ...headers },
    ...(bytes && { payload: Buffer.from(bytes) }),
  })
}

export function syncingDevice(test: TestApp, address: Address): SyncingDevice {
  const json = { 'content-type': 'application/json' }
  const cbor = { 'content-type': 'application/cbor' }
  return {
    ...address,
    sync: (body, headers) =>
      send(test, address, {
        bytes: body && Buffer.from(JSON.stringify(body)),
        headers: { ...(body && json), ...headers },
      }),
    syncCbor: (body, headers) =>
      send(test, address, { bytes: encode(body), headers: { ...cbor, ...headers } }),
    syncBytes: (bytes, headers = {}) => send(test, address, { bytes, headers }),
  }
}

/** A registered device with its own key. */
export async function givenSyncingDevice(
  test: TestApp,
  workspaceId: string,
  deviceId = `device-${crypto.randomUUID()}`,
): Promise<SyncingDevice> {
  await test.ctx.db
    .insertInto('devices')
    .values({ workspaceId, id: deviceId, createdAt: new Date(), effectiveLogSeverity: 'Info' })
    .execute()
  const deviceKey = await givenDeviceKey(test, workspaceId, deviceId)
  return syncingDevice(test, { workspaceId, deviceId, deviceKey })
}
