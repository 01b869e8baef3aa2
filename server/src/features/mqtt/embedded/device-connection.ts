import type { Encoding } from '../../../formats/device-messages/decode.ts'
import { encodeDown } from '../../../formats/device-messages/encode.ts'
import type { MqttConnection } from '../../../platform/mqtt/session.ts'
import type { TokenBucket } from '../../../platform/mqtt/token-bucket.ts'
import type { Desired } from '../../devices/index.ts'
import { DOWN_KINDS, type DownKind, downKindsOf } from '../topics.ts'

const NOTHING = new Uint8Array()

/** A connection of a device: who it is, what it listens to, what it was last sent. */
export class DeviceConnection {
  readonly workspaceId: string
  readonly deviceId: string
  readonly keyId: string
  readonly prefix: string
  readonly bucket: TokenBucket
  /** As it stated it; empty: it left the choice to us, and takes over from none. */
  readonly clientId: string
  /** What its client calls itself. */
  readonly client: string | undefined
  /** Its messages that wait for their turn; undefined: none. */
  turn: Promise<void> | undefined
  /** What it speaks, and so understands. */
  encoding: Encoding = 'json'
  /** Of the last report of it. */
  reportedAt: number
  isOver = false
  private readonly connection: MqttConnection
  private readonly filters = new Map<string, number>()
  /** Newly listened to: sent as retained, whatever was sent before. */
  private readonly fresh = new Set<DownKind>()
  private readonly sent = new Map<DownKind, string>()
  private newest: Desired | undefined
  private isSending = false

  constructor(
    whose: { workspaceId: string; deviceId: string; keyId: string; topics: string },
    connection: MqttConnection,
    {
      bucket,
      now,
      client,
    }: { bucket: TokenBucket; now: number; client: { id: string; text: string | undefined } },
  ) {
    this.workspaceId = whose.workspaceId
    this.deviceId = whose.deviceId
    this.keyId = whose.keyId
    this.prefix = whose.topics
    this.connection = connection
    this.bucket = bucket
    this.client = client.text
    this.clientId = client.id === '' ? connection.id : client.id
    this.reportedAt = now
  }

  get id(): string {
    return this.connection.id
  }

  subscribe(filter: string, qos: number): void {
    this.filters.set(filter, Math.min(qos, 1))
    for (const kind of downKindsOf(this.prefix, filter)) this.fresh.add(kind)
  }

  unsubscribe(filter: string): void {
    this.filters.delete(filter)
  }

  listens(): boolean {
    return this.filters.size > 0
  }

  end(options: { withoutWill: boolean }): void {
    this.connection.end(options)
  }

  /**
   * Sends what differs from what it was last sent. Of what comes while it is being sent something only the newest is
   * kept, so that a slow reader holds no more than that. Resolves with how many messages this call sent.
   */
  async offer(desired: Desired): Promise<number> {
    this.newest = desired
    if (this.isSending) return 0
    this.isSending = true
    try {
      return await this.sendNewest()
    } finally {
      this.isSending = false
    }
  }

  private async sendNewest(): Promise<number> {
    let count = 0
    for (let next = this.newest; next && !this.isOver; next = this.newest) {
      this.newest = undefined
      for (const kind of DOWN_KINDS) if (await this.send(kind, next[kind])) count += 1
    }
    return count
  }

  private async send(kind: DownKind, message: Desired[DownKind]): Promise<boolean> {
    const qos = this.qosOf(kind)
    if (qos === undefined) return false
    const text = message === null ? '' : JSON.stringify(message)
    const isFresh = this.fresh.delete(kind)
    if (text === (isFresh ? '' : (this.sent.get(kind) ?? ''))) return false
    this.sent.set(kind, text)
    // Set for who newly listens only (MQTT 3.1.1, section 3.3.1.3).
    const retain = isFresh
    // Empty where nothing is desired any more, as a retained message that is taken back.
    const payload = message === null ? NOTHING : encodeDown(message, this.encoding)
    await this.connection.send({ topic: `${this.prefix}down/${kind}`, payload, qos, retain })
    return true
  }

  /** The best of what it asked for; undefined: it does not listen. */
  private qosOf(kind: DownKind): 0 | 1 | undefined {
    let best: 0 | 1 | undefined
    for (const [filter, qos] of this.filters)
      if (downKindsOf(this.prefix, filter).includes(kind)) best = qos === 1 || best === 1 ? 1 : 0
    return best
  }
}
