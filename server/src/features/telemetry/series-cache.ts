import { DAY_MS } from '../../formats/instants.ts'

export interface DeviceName {
  workspaceId: string
  id: string
  createdAt: Date
}

class KnownDevice {
  readonly ids = new Map<string, number>()
  readonly createdAt: number
  readonly loadedAt: number

  constructor(createdAt: number, loadedAt: number) {
    this.createdAt = createdAt
    this.loadedAt = loadedAt
  }
}

/**
 * Ids of series by their keys, committed ones only. The devices not heard of for longest make room for others, and what
 * is older than a day is looked up again, as series that nobody looks up are deleted in the end.
 */
export class SeriesCache {
  private readonly devices = new Map<string, KnownDevice>()
  private readonly capacity: number
  private size = 0

  constructor(capacity: number) {
    this.capacity = capacity
  }

  find(device: DeviceName, key: string, now: Date): number | undefined {
    return this.open(device, now).ids.get(key)
  }

  put(device: DeviceName, id: { key: string; id: number }, now: Date): void {
    const { ids } = this.open(device, now)
    if (!ids.has(id.key)) this.size += 1
    ids.set(id.key, id.id)
    for (const [name, { ids: oldest }] of this.devices) {
      if (this.size <= this.capacity || oldest === ids) return
      this.size -= oldest.size
      this.devices.delete(name)
    }
  }

  private open({ workspaceId, id, createdAt }: DeviceName, now: Date): KnownDevice {
    const name = `${workspaceId} ${id}`
    const known = this.devices.get(name)
    // One made later under the same name is another device.
    const isSame = known?.createdAt === createdAt.getTime()
    const device =
      known && isSame && now.getTime() - known.loadedAt < DAY_MS
        ? known
        : new KnownDevice(createdAt.getTime(), now.getTime())
    if (known) this.devices.delete(name)
    if (known && known !== device) this.size -= known.ids.size
    this.devices.set(name, device)
    return device
  }
}
