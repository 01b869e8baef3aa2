import type { DeviceConnection } from './device-connection.ts'

/** The devices that are connected to this node. */
export class ConnectedDevices {
  private readonly workspaces = new Map<string, Map<string, DeviceConnection>>()
  private count = 0

  get size(): number {
    return this.count
  }

  /** The connection this one takes over from: a device has one, and a client that lost it comes back before we notice. */
  add(device: DeviceConnection): DeviceConnection | undefined {
    const devices = this.workspaces.get(device.workspaceId) ?? new Map<string, DeviceConnection>()
    this.workspaces.set(device.workspaceId, devices)
    const before = devices.get(device.deviceId)
    devices.set(device.deviceId, device)
    if (!before) this.count += 1
    return before
  }

  /** Unless another has taken over. */
  remove(device: DeviceConnection): void {
    const devices = this.workspaces.get(device.workspaceId)
    if (devices?.get(device.deviceId) !== device) return
    devices.delete(device.deviceId)
    this.count -= 1
    if (devices.size === 0) this.workspaces.delete(device.workspaceId)
  }

  find(workspaceId: string, deviceId: string): DeviceConnection | undefined {
    return this.workspaces.get(workspaceId)?.get(deviceId)
  }

  /** By workspace, as the database is asked. */
  byWorkspace(): [string, DeviceConnection[]][] {
    return [...this.workspaces].map(([id, devices]) => [id, [...devices.values()]])
  }

  of(workspaceId: string): DeviceConnection[] {
    return [...(this.workspaces.get(workspaceId)?.values() ?? [])]
  }

  all(): DeviceConnection[] {
    return this.byWorkspace().flatMap(([, devices]) => devices)
  }
}
