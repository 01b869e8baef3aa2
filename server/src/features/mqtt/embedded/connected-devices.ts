import type { DeviceConnection } from './device-connection.ts'

/** One to publish and one to subscribe, as with command-line clients, and some that are lost but not yet noticed. */
const MOST_CONNECTIONS = 4

/** The connections of devices to this node. */
export class ConnectedDevices {
  /** By workspace and device, the newest last. */
  private readonly workspaces = new Map<string, Map<string, readonly DeviceConnection[]>>()
  private count = 0

  get size(): number {
    return this.count
  }

  /**
   * Answers the connections of the device that this one replaces: the one with the same client id, whose loss is not
   * noticed yet, and the oldest ones beyond the limit.
   */
  add(connection: DeviceConnection): readonly DeviceConnection[] {
    const before = this.find(connection.workspaceId, connection.deviceId)
    const others = before.filter(({ clientId }) => clientId !== connection.clientId)
    const kept = others.slice(-(MOST_CONNECTIONS - 1))
    this.put(connection, [...kept, connection])
    return before.filter((one) => !kept.includes(one))
  }

  /** Answers the newest connection that is left of the device, if the removed one was newer. */
  remove(connection: DeviceConnection): DeviceConnection | undefined {
    const before = this.find(connection.workspaceId, connection.deviceId)
    const left = before.filter((one) => one !== connection)
    if (left.length === before.length) return undefined
    this.put(connection, left)
    return before.at(-1) === connection ? left.at(-1) : undefined
  }

  find(workspaceId: string, deviceId: string): readonly DeviceConnection[] {
    return this.workspaces.get(workspaceId)?.get(deviceId) ?? []
  }

  /** By workspace, as statements concern one workspace. */
  byWorkspace(): [string, DeviceConnection[]][] {
    return [...this.workspaces.keys()].map((id) => [id, this.of(id)])
  }

  /** All of the workspace; of one device, the newest last. */
  of(workspaceId: string): DeviceConnection[] {
    return [...(this.workspaces.get(workspaceId)?.values() ?? [])].flat()
  }

  all(): DeviceConnection[] {
    return this.byWorkspace().flatMap(([, connections]) => connections)
  }

  private put(
    { workspaceId, deviceId }: DeviceConnection,
    connections: readonly DeviceConnection[],
  ): void {
    const devices = this.workspaces.get(workspaceId) ?? new Map<string, typeof connections>()
    this.count += connections.length - (devices.get(deviceId)?.length ?? 0)
    if (connections.length > 0) devices.set(deviceId, connections)
    else devices.delete(deviceId)
    if (devices.size > 0) this.workspaces.set(workspaceId, devices)
    else this.workspaces.delete(workspaceId)
  }
}
