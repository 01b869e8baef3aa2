/** What the broker and those behind it say to each other. */

export interface MqttLogin {
  username: string
  password: string
  willTopic: string | undefined
  /** What the client called itself; nothing depends on it. */
  clientId: string
}

/** What is behind an accepted connection. */
export interface MqttSession {
  /** Acknowledged when it resolves; the connection ends when it rejects. Called in the order received. */
  received: (message: { topic: string; payload: Uint8Array }) => Promise<void>
  maySubscribe: (filter: string) => boolean
  subscribed: (filter: string, qos: number) => void
  unsubscribed: (filter: string) => void
  /** The last call of all. */
  ended: () => void
}

/** Return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
export const RETURN_CODES = { unavailable: 3, badCredentials: 4, notAuthorized: 5 } as const
export type ConnectRefusal = keyof typeof RETURN_CODES

export interface OutgoingMessage {
  topic: string
  payload: Uint8Array
  qos: 0 | 1
  retain: boolean
}

export interface MqttConnection {
  readonly id: string
  /** Resolves when the client's socket took it, or the connection ended. */
  send: (message: OutgoingMessage) => Promise<void>
  /** Ends it at once; `withoutWill`: as if it had none. */
  end: (options?: { withoutWill: boolean }) => void
}

export interface MqttBrokerOptions {
  connect: (login: MqttLogin, connection: MqttConnection) => Promise<MqttSession | ConnectRefusal>
  /** Of a packet, once the connection is accepted. */
  packetBytes: number
  /** Clients that state a longer keep-alive, or none, are held to this one. */
  keepAliveSeconds: number
  /** Until the CONNECT packet is there. */
  connectTimeoutMs: number
  onDropped: (reason: 'oversized' | 'silent' | 'protocol') => void
}
