/**
 * Keeps the desired state of every device retained at an external broker. One node at a time leads this. The broker is the
 * record of what was sent: a node that begins to lead reads the retained messages and publishes what differs.
 */
import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { splitIntoBatches } from '../../../formats/batches.ts'
import { isDatabaseAway } from '../../../platform/db/failures.ts'
import type { BrokerClient, IncomingMessage } from '../../../platform/mqtt/broker-client.ts'
import type { DesiredState, DeviceSignal } from '../../devices/index.ts'
import type { ExternalDoor } from './reports-service.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import { listDeviceIds } from '../store.ts'
import { CONNECTION, DOWN_KINDS, readDownTopic, nameTopicPrefix } from '../topics.ts'

const PAGE = 500
const QUIET_TICKS = 5
const TICK_MS = 100
const RETRY_MS = 1_000
const NOTHING = new Uint8Array()

export class RetainedDesired {
  private readonly door: ExternalDoor
  private readonly broker: () => BrokerClient
  /** By topic: the hash of what the broker retains. */
  private readonly retained = new Map<string, string>()
  /** By workspace: the devices to refresh. */
  private readonly pending = new Map<string, Set<string> | 'all'>()
  /** How often something was heard of the retained messages. */
  private heard = 0
  private isComplete = false
  private running: Promise<void> | undefined

  constructor(door: ExternalDoor, broker: () => BrokerClient) {
    this.door = door
    this.broker = broker
  }

  /** The retained messages arrive from now on, the first of them perhaps before it is known that the client has subscribed. */
  onConnected(): void {
    this.retained.clear()
    this.isComplete = false
  }

  onSubscribed(signal: AbortSignal): void {
    this.heard += 1
    this.begin(signal)
  }

  onRetained({ topic, payload }: IncomingMessage): void {
    this.heard += 1
    this.note(topic, payload)
  }

  onSignal(deviceSignal: DeviceSignal, signal: AbortSignal): void {
    if (deviceSignal.kind === 'regained') {
      this.isComplete = false
    } else if (deviceSignal.kind === 'desired') {
      this.enqueue(deviceSignal.workspaceId, deviceSignal.deviceIds ?? 'all')
    } else if (deviceSignal.kind === 'disconnect' && deviceSignal.deviceId !== undefined) {
      // Clears the retained messages of a deleted device.
      this.enqueue(deviceSignal.workspaceId, [deviceSignal.deviceId])
    }
    this.begin(signal)
  }

  /** Resolves when nothing is under way. */
  async finished(): Promise<void> {
    await this.running
  }

  private enqueue(workspaceId: string, deviceIds: readonly string[] | 'all'): void {
    const before = this.pending.get(workspaceId)
    if (deviceIds === 'all' || before === 'all') this.pending.set(workspaceId, 'all')
    else this.pending.set(workspaceId, new Set([...(before ?? []), ...deviceIds]))
  }

  private begin(signal: AbortSignal): void {
    this.running ??= this.run(signal).finally(() => {
      this.running = undefined
      if (this.isBehind() && !signal.aborted) this.begin(signal)
    })
  }

  private isBehind(): boolean {
    return this.broker().isConnected() && (!this.isComplete || this.pending.size > 0)
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (this.isBehind() && !signal.aborted)
      try {
        if (!this.isComplete) await this.enqueueAll(signal)
        await this.refreshPending(signal)
      } catch (error) {
        if (!isDatabaseAway(error))
          this.door.ctx.log.warn({ err: error }, 'sending desired state failed; trying again')
        this.isComplete = false
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
  }

  private async enqueueAll(signal: AbortSignal): Promise<void> {
    await this.untilQuiet(signal)
    this.isComplete = true
    for (const workspaceId of await listWorkspaceIds(this.door.ctx.db))
      this.enqueue(workspaceId, 'all')
    for (const topic of this.retained.keys()) {
      const name = readDownTopic(topic)
      // Topics of deleted workspaces are known by the retained messages alone.
      if (name && this.pending.get(name.workspaceId) !== 'all')
        this.enqueue(name.workspaceId, [name.deviceId])
    }
  }

  private async refreshPending(signal: AbortSignal): Promise<void> {
    for (const [workspaceId, deviceIds] of this.pending) {
      // Connected again: what the broker retains is read first.
      if (!this.isComplete) return
      this.pending.delete(workspaceId)
      await this.refresh(workspaceId, deviceIds, signal)
    }
  }

  /**
   * The broker does not mark the end of the retained messages, so a pause marks it. What comes later is published again.
   * The pause is counted in ticks: a process that was busy takes its own delay for one tick only.
   */
  private async untilQuiet(signal: AbortSignal): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TICKS && !signal.aborted;) {
      const before = this.heard
      await delay(TICK_MS, undefined, { signal }).catch(() => undefined)
      quiet = this.heard === before ? quiet + 1 : 0
    }
  }

  private async refresh(
    workspaceId: string,
    deviceIds: ReadonlySet<string> | 'all',
    signal: AbortSignal,
  ): Promise<void> {
    if (deviceIds === 'all') return this.refreshAll(workspaceId, signal)
    const ids = [...deviceIds]
    for (const batch of splitIntoBatches(ids, PAGE))
      if (!signal.aborted) await this.refreshBatch(workspaceId, batch)
  }

  private async refreshAll(workspaceId: string, signal: AbortSignal): Promise<void> {
    const gone = new Set(this.retainedDevices(workspaceId))
    for (let after = ''; !signal.aborted;) {
      const ids = await listDeviceIds(this.door.ctx.db, workspaceId, { after, limit: PAGE })
      if (ids.length > 0) await this.refreshBatch(workspaceId, ids)
      for (const id of ids) gone.delete(id)
      const last = ids.at(-1)
      if (last === undefined || ids.length < PAGE) break
      after = last
    }
    if (gone.size > 0) await this.refresh(workspaceId, gone, signal)
  }

  private *retainedDevices(workspaceId: string): Iterable<string> {
    for (const topic of this.retained.keys()) {
      const name = readDownTopic(topic)
      if (name?.workspaceId === workspaceId) yield name.deviceId
    }
  }

  private async refreshBatch(workspaceId: string, deviceIds: readonly string[]): Promise<void> {
    const known = await this.door.doors.offerDesired(workspaceId, deviceIds)
    await Promise.all(
      deviceIds.map((deviceId) =>
        this.publishDesired({ workspaceId, deviceId }, known.get(deviceId)),
      ),
    )
  }

  private async publishDesired(
    device: { workspaceId: string; deviceId: string },
    desired: DesiredState | undefined,
  ): Promise<void> {
    const prefix = nameTopicPrefix(device)
    for (const kind of DOWN_KINDS) await this.send(`${prefix}down/${kind}`, desired?.[kind] ?? null)
    if (!desired) await this.broker().retain(`${prefix}up/${CONNECTION}`, NOTHING)
  }

  private async send(topic: string, message: object | null): Promise<void> {
    const payload = message === null ? NOTHING : Buffer.from(JSON.stringify(message))
    if (hashPayload(payload) === this.retained.get(topic)) return
    await this.broker().retain(topic, payload)
    this.note(topic, payload)
    if (message !== null) this.door.metrics.sent.inc()
  }

  private note(topic: string, payload: Uint8Array): void {
    const noted = hashPayload(payload)
    if (noted === undefined) this.retained.delete(topic)
    else this.retained.set(topic, noted)
  }
}

/** undefined: nothing is retained. */
function hashPayload(payload: Uint8Array): string | undefined {
  return payload.length === 0 ? undefined : hash('sha256', payload, 'base64url')
}
