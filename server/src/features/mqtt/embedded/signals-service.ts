/** Answers signals about devices and keys: sends what is desired, and ends connections that are no longer allowed. */
import { splitIntoBatches } from '../../../formats/batches.ts'
import type { DeviceSignal } from '../../devices/index.ts'
import type { DeviceConnection } from './device-connection.ts'
import type { MqttDoor } from '../door.ts'
import { report, reportConnected } from '../service.ts'
import { judgeConnections } from '../store.ts'

export function handleSignal(door: MqttDoor, signal: DeviceSignal): void {
  switch (signal.kind) {
    case 'desired':
      for (const device of connectionsFor(door, signal)) door.deliver(device)
      return
    case 'disconnect':
      for (const device of connectionsWith(door, signal)) disconnect(door, device)
      return
    case 'recheck':
      door.ending(recheckWorkspace(door, signal.workspaceId))
      return
    case 'regained':
      door.ending(recheckConnections(door))
  }
}

function connectionsFor(
  { devices }: MqttDoor,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds?: readonly string[] },
): DeviceConnection[] {
  if (!deviceIds) return devices.of(workspaceId)
  return deviceIds.flatMap((id) => devices.find(workspaceId, id))
}

function connectionsWith(
  { devices }: MqttDoor,
  { workspaceId, deviceId, keyId }: { workspaceId: string; deviceId?: string; keyId?: string },
): readonly DeviceConnection[] {
  const all = deviceId === undefined ? devices.of(workspaceId) : devices.find(workspaceId, deviceId)
  return keyId === undefined ? all : all.filter((device) => device.keyId === keyId)
}

/** Ends the connection without publishing its will. */
function disconnect({ metrics }: MqttDoor, device: DeviceConnection): void {
  metrics.drops.inc({ reason: 'dismissed' })
  device.end({ withoutWill: true })
}

/** Checks all connections, as signals may have been missed. */
async function recheckConnections(door: MqttDoor): Promise<void> {
  try {
    for (const [workspaceId, devices] of door.devices.byWorkspace())
      await disconnectRefused(door, workspaceId, devices)
  } catch (error) {
    // The database is lost again. Its return is signalled, and this runs again.
    door.ctx.log.warn({ err: error }, 'checking connections failed')
  }
  for (const device of door.devices.all()) door.deliver(device)
}

/** Certificates were revoked, or their issuer is trusted no more. A lost database is signalled when it returns. */
async function recheckWorkspace(door: MqttDoor, workspaceId: string): Promise<void> {
  await disconnectRefused(door, workspaceId, door.devices.of(workspaceId))
}

/** Ends connections whose certificates have ended since, or the revocation lists of their issuers. */
export async function disconnectEnded(door: MqttDoor): Promise<void> {
  const now = door.ctx.now()
  for (const [workspaceId, devices] of door.devices.byWorkspace())
    await disconnectRefused(
      door,
      workspaceId,
      devices.filter(({ validUntil }) => validUntil !== undefined && validUntil <= now),
    )
}

const BATCH = 5_000

/** Also keeps until when each one is valid. */
async function disconnectRefused(
  door: MqttDoor,
  workspaceId: string,
  devices: readonly DeviceConnection[],
): Promise<void> {
  for (const batch of splitIntoBatches(devices, BATCH)) {
    const asked = batch.map(({ id, deviceId, keyId }) => ({ id, deviceId, keyId }))
    const at = { now: door.ctx.now(), connections: asked }
    const judged = await judgeConnections(door.ctx.db, workspaceId, at)
    const found = new Map(judged.map((connection) => [connection.id, connection]))
    for (const device of batch) {
      const { isRefused = false, validUntil } = found.get(device.id) ?? {}
      // A revocation list that came since the login may end before the certificate does.
      device.validUntil = validUntil ?? undefined
      if (isRefused) disconnect(door, device)
    }
  }
}

/** Reports every device here as connected, as other nodes may have taken this one for dead. */
export async function reportAll(door: MqttDoor): Promise<void> {
  await Promise.all(door.devices.all().map((device) => reportConnected(door, device)))
}

const CONTACT_MS = 300_000

/** Devices that only answer pings count as seen, too. */
export async function reportContacts(door: MqttDoor): Promise<void> {
  const before = performance.now() - CONTACT_MS
  const quiet = door.devices.all().filter(({ reportedAt }) => reportedAt < before)
  await Promise.all(quiet.map((device) => report(door, device, { kind: 'contact' })))
}
