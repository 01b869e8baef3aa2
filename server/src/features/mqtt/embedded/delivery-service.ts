/** What is desired of the devices that are connected here, from the database to their sockets. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseAway } from '../../../platform/db/connect.ts'
import type { DeviceDoors } from '../../devices/index.ts'
import type { DeviceConnection } from './device-connection.ts'

export interface Delivery {
  /** Soon, with all others of its workspace that want it. */
  deliver: (device: DeviceConnection) => void
  close: () => Promise<void>
}

export interface DeliveryOptions {
  desired: DeviceDoors['desired']
  onSent: (messages: number) => void
  log: Logger
}

const LINGER_MS = 20
const BATCH = 500
const RETRY_MS = 1_000

export function startDelivery({ desired, onSent, log }: DeliveryOptions): Delivery {
  const wanting = new Map<string, Set<DeviceConnection>>()
  const closing = new AbortController()
  let run: Promise<void> | undefined

  async function runAll(): Promise<void> {
    await pause(LINGER_MS)
    while (wanting.size > 0 && !closing.signal.aborted)
      for (const workspaceId of wanting.keys()) await runSome(workspaceId)
  }

  /** One batch a workspace, then the next one's turn. */
  async function runSome(workspaceId: string): Promise<void> {
    const all = wanting.get(workspaceId) ?? new Set()
    const batch = [...all].slice(0, BATCH)
    for (const device of batch) all.delete(device)
    if (all.size === 0) wanting.delete(workspaceId)
    try {
      await offer(
        workspaceId,
        batch.filter((device) => !device.isOver && device.listens()),
      )
    } catch (error) {
      if (!isDatabaseAway(error)) log.error({ err: error, workspaceId }, 'delivery failed')
      for (const device of batch) want(device)
      await pause(RETRY_MS)
    }
  }

  async function offer(workspaceId: string, devices: readonly DeviceConnection[]): Promise<void> {
    if (devices.length === 0) return
    const ids = [...new Set(devices.map(({ deviceId }) => deviceId))]
    const wanted = await desired(workspaceId, ids)
    for (const device of devices) {
      const one = wanted.get(device.deviceId)
      // Not awaited: who reads slowly keeps nobody else waiting.
      if (one) void device.offer(one).then(onSent)
    }
  }

  function want(device: DeviceConnection): void {
    const set = wanting.get(device.workspaceId) ?? new Set()
    wanting.set(device.workspaceId, set.add(device))
  }

  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined)
  }

  function begin(): void {
    run ??= runAll().finally(() => {
      run = undefined
      if (wanting.size > 0 && !closing.signal.aborted) begin()
    })
  }

  return {
    deliver: (device) => {
      want(device)
      begin()
    },
    close: async () => {
      closing.abort()
      await run
    },
  }
}
