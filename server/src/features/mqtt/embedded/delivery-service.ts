/** Sends desired configurations and updates to the devices that are connected to this node. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseAway } from '../../../platform/db/failures.ts'
import type { DeviceDoors } from '../../devices/index.ts'
import type { DeviceConnection } from './device-connection.ts'

export interface Delivery {
  /** Sends it soon, in a batch with other devices of the workspace. */
  deliver: (device: DeviceConnection) => void
  close: () => Promise<void>
}

export interface DeliveryOptions {
  offerDesired: DeviceDoors['offerDesired']
  onSent: (messages: number) => void
  log: Logger
}

const LINGER_MS = 20
const DEVICES_AT_ONCE = 500
const RETRY_MS = 1_000

export function startDelivery({ offerDesired, onSent, log }: DeliveryOptions): Delivery {
  const waiting = new Map<string, Set<DeviceConnection>>()
  const closing = new AbortController()
  let run: Promise<void> | undefined

  async function runAll(): Promise<void> {
    await pause(LINGER_MS)
    while (waiting.size > 0 && !closing.signal.aborted)
      for (const workspaceId of waiting.keys()) await runBatch(workspaceId)
  }

  /** Sends one batch of a workspace. The next batch comes after those of the other workspaces. */
  async function runBatch(workspaceId: string): Promise<void> {
    const all = waiting.get(workspaceId) ?? new Set()
    const batch = [...all].slice(0, DEVICES_AT_ONCE)
    for (const device of batch) all.delete(device)
    if (all.size === 0) waiting.delete(workspaceId)
    try {
      await send(
        workspaceId,
        batch.filter((device) => !device.isOver && device.isSubscribed()),
      )
    } catch (error) {
      if (!isDatabaseAway(error)) log.error({ err: error, workspaceId }, 'delivery failed')
      for (const device of batch) enqueue(device)
      await pause(RETRY_MS)
    }
  }

  async function send(workspaceId: string, devices: readonly DeviceConnection[]): Promise<void> {
    if (devices.length === 0) return
    const ids = [...new Set(devices.map(({ deviceId }) => deviceId))]
    const wanted = await offerDesired(workspaceId, ids)
    for (const device of devices) {
      const one = wanted.get(device.deviceId)
      // Not awaited, so that a slow reader does not hold up the others.
      if (one) void device.sendDesired(one).then(onSent)
    }
  }

  function enqueue(device: DeviceConnection): void {
    const set = waiting.get(device.workspaceId) ?? new Set()
    waiting.set(device.workspaceId, set.add(device))
  }

  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined)
  }

  function begin(): void {
    run ??= runAll().finally(() => {
      run = undefined
      if (waiting.size > 0 && !closing.signal.aborted) begin()
    })
  }

  return {
    deliver: (device) => {
      enqueue(device)
      begin()
    },
    close: async () => {
      closing.abort()
      await run
    },
  }
}
