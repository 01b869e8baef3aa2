/** Connections are looked at again when something was said about their device or key. */
import { batchesOf } from '../../../formats/batches.ts'
import type { DeviceAnnouncement } from '../../devices/index.ts'
import type { DeviceConnection } from './device-connection.ts'
import type { MqttDoor } from '../door.ts'
import { report, reportConnected } from '../service.ts'
import { listRefusedConnections } from '../store.ts'

export function onAnnouncement(door: MqttDoor, announcement: DeviceAnnouncement): void {
  switch (announcement.kind) {
    case 'desired':
      for (const device of concerned(door, announcement)) door.deliver(device)
      return
    case 'disconnect':
      for (const device of ofKey(door, announcement)) dismiss(door, device)
      return
    case 'regained':
      door.ending(lookAgain(door))
  }
}

function concerned(
  { devices }: MqttDoor,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds?: readonly string[] },
): DeviceConnection[] {
  if (!deviceIds) return devices.of(workspaceId)
  return deviceIds.flatMap((id) => devices.find(workspaceId, id))
}

function ofKey(
  { devices }: MqttDoor,
  { workspaceId, deviceId, keyId }: { workspaceId: string; deviceId?: string; keyId?: string },
): readonly DeviceConnection[] {
  const all = deviceId === undefined ? devices.of(workspaceId) : devices.find(workspaceId, deviceId)
  return keyId === undefined ? all : all.filter((device) => device.keyId === keyId)
}

/** Its word counts no more, nor does its last one. */
function dismiss({ metrics }: MqttDoor, device: DeviceConnection): void {
  metrics.drops.inc({ reason: 'dismissed' })
  device.end({ withoutWill: true })
}

/** After announcements may have been missed. */
async function lookAgain(door: MqttDoor): Promise<void> {
  try {
    for (const [workspaceId, devices] of door.devices.byWorkspace())
      await dismissRefused(door, workspaceId, devices)
  } catch (error) {
    // Lost again: it will be regained, and all this be done then.
    door.ctx.log.warn({ err: error }, 'connections could not be looked at')
  }
  for (const device of door.devices.all()) door.deliver(device)
}

const BATCH = 5_000

async function dismissRefused(
  door: MqttDoor,
  workspaceId: string,
  devices: readonly DeviceConnection[],
): Promise<void> {
  for (const batch of batchesOf(devices, BATCH)) {
    const asked = batch.map(({ id, deviceId, keyId }) => ({ id, deviceId, keyId }))
    const refused = new Set(await listRefusedConnections(door.ctx.db, workspaceId, asked))
    for (const device of batch) if (refused.has(device.id)) dismiss(door, device)
  }
}

/** Says of every device here that it is connected: others may have taken this node for dead. */
export async function reportAll(door: MqttDoor): Promise<void> {
  await Promise.all(door.devices.all().map((device) => reportConnected(door, device)))
}

const CONTACT_MS = 300_000

/** A device that only answers pings is seen, too. */
export async function reportContacts(door: MqttDoor): Promise<void> {
  const before = performance.now() - CONTACT_MS
  const quiet = door.devices.all().filter(({ reportedAt }) => reportedAt < before)
  await Promise.all(quiet.map((device) => report(door, device, { kind: 'contact' })))
}
