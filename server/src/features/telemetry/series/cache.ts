import { DAY_MS } from '../../../formats/instants.ts'

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
 * Ids of committed series by their keys. When the cache is full, the devices that were silent for longest leave it. An
 * entry is used for a day and then looked up again: a series that is not looked up for long is deleted.
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
    // A device that was deleted and created again is another device.
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
