import type { WireFormat } from '../../../formats/device-messages/decode.ts'
import { encodeDown } from '../../../formats/device-messages/encode.ts'
import type { MqttConnection } from '../../../platform/mqtt/session.ts'
import type { TokenBucket } from '../../../platform/token-bucket.ts'
import type { DesiredState } from '../../devices/index.ts'
import { DOWN_KINDS, type DownKind, listDownKinds } from '../topics.ts'

const NOTHING = new Uint8Array()

/** A connection of a device: its identity, its subscriptions, and what it was last sent. */
export class DeviceConnection {
  readonly workspaceId: string
  readonly deviceId: string
  readonly keyId: string
  /** When its certificate has to be looked at again; undefined: it has none. */
  validUntil: Date | undefined
  readonly prefix: string
  readonly bucket: TokenBucket
  /** The client id. Without one, the id of the connection, so that it replaces no other connection. */
  readonly clientId: string
  /** The name that its client states. */
  readonly client: string | undefined
  /** The last of its messages that wait to be admitted. */
  admission: Promise<void> | undefined
  /** The encoding of its last message. It is answered in the same one. */
  encoding: WireFormat = 'json'
  /** When it last reported something, by `performance.now()`. */
  reportedAt: number
  isOver = false
  private readonly connection: MqttConnection
  private readonly filters = new Map<string, number>()
  /** Newly subscribed kinds: sent with the retain flag, even if they were sent before. */
  private readonly fresh = new Set<DownKind>()
  private readonly sent = new Map<DownKind, string>()
  private newest: DesiredState | undefined
  private isSending = false

  constructor(
    whose: Pick<DeviceConnection, 'workspaceId' | 'deviceId' | 'keyId'> & {
      topics: string
      validUntil?: Date | undefined
    },
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
    this.validUntil = whose.validUntil
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
    for (const kind of listDownKinds(this.prefix, filter)) this.fresh.add(kind)
  }

  unsubscribe(filter: string): void {
    this.filters.delete(filter)
  }

  isSubscribed(): boolean {
    return this.filters.size > 0
  }

  end(options: { withoutWill: boolean }): void {
    this.connection.end(options)
  }

  /**
   * Sends what differs from what it was last sent. While a message is being sent, only the newest desired state is kept, so
   * that a slow reader needs no more memory. Resolves with the number of messages that this call sent.
   */
  async sendDesired(desired: DesiredState): Promise<number> {
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

  private async send(kind: DownKind, message: DesiredState[DownKind]): Promise<boolean> {
    const qos = this.qosOf(kind)
    if (qos === undefined) return false
    const text = message === null ? '' : JSON.stringify(message)
    const isFresh = this.fresh.delete(kind)
    if (text === (isFresh ? '' : (this.sent.get(kind) ?? ''))) return false
    this.sent.set(kind, text)
    // Only for new subscriptions (MQTT 3.1.1, section 3.3.1.3).
    const retain = isFresh
    // Empty when nothing is desired any more, like a retained message that is cleared.
    const payload = message === null ? NOTHING : encodeDown(message, this.encoding)
    await this.connection.send({ topic: `${this.prefix}down/${kind}`, payload, qos, retain })
    return true
  }

  /** The highest QoS among its matching subscriptions. undefined: no subscription matches. */
  private qosOf(kind: DownKind): 0 | 1 | undefined {
    let best: 0 | 1 | undefined
    for (const [filter, qos] of this.filters)
      if (listDownKinds(this.prefix, filter).includes(kind)) best = qos === 1 || best === 1 ? 1 : 0
    return best
  }
}
