/** The interface between the broker and the slice that uses it. */
import type { X509Certificate } from 'node:crypto'

export interface MqttLogin {
  username: string
  password: string
  willTopic: string | undefined
  /** The client id that the client stated. */
  clientId: string
  /** The certificate that the client showed; nobody has checked yet who issued it. */
  certificate: X509Certificate | undefined
  /** undefined: the connection has ended. */
  address: string | undefined
}

/** Handles an accepted connection. */
export interface MqttSession {
  /** The message is acknowledged when this resolves. The connection ends when it rejects. Called in the order of arrival. */
  received: (message: { topic: string; payload: Uint8Array }) => Promise<void>
  maySubscribe: (filter: string) => boolean
  subscribed: (filter: string, qos: number) => void
  unsubscribed: (filter: string) => void
  /** The last call. */
  ended: () => void
}

/** Return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
export const RETURN_CODES = {
  badIdentifier: 2,
  unavailable: 3,
  badCredentials: 4,
  notAuthorized: 5,
} as const
export type ConnectRefusal = keyof typeof RETURN_CODES

export interface OutgoingMessage {
  topic: string
  payload: Uint8Array
  qos: 0 | 1
  retain: boolean
}

export interface MqttConnection {
  readonly id: string
  /** Resolves when the socket has taken the message, or the connection ended. */
  send: (message: OutgoingMessage) => Promise<void>
  /** Ends the connection at once. With `withoutWill` its will is not published. */
  end: (options?: { withoutWill: boolean }) => void
}

export interface MqttBrokerOptions {
  connect: (login: MqttLogin, connection: MqttConnection) => Promise<MqttSession | ConnectRefusal>
  /** The largest packet of an accepted connection. */
  packetBytes: number
  /** The longest keep-alive. It applies to clients that state a longer one or none. */
  keepAliveSeconds: number
  /** The longest time until the CONNECT packet. */
  connectTimeoutMs: number
  onDropped: (reason: 'oversized' | 'silent' | 'protocol') => void
}
