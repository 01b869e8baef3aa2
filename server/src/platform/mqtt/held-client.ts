import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Client } from 'aedes'
import { FramingGuard } from './framing-guard.ts'
import type { MqttConnection, MqttSession } from './session.ts'

/** The largest packet before the connection is accepted. A CONNECT packet needs less. */
const UNKNOWN_PACKET_BYTES = 1_024

/** A client of the broker and the state of its connection. */
export interface HeldClient {
  client: Client
  socket: Socket
  /** The address of the client. It is kept, as a closed socket knows none. */
  address: string | undefined
  guard: FramingGuard
  connection: MqttConnection
  /** undefined: not accepted yet. */
  session: MqttSession | undefined
  /** When it last sent bytes, by `performance.now()`. */
  heardAt: number
  /** The longest time without a packet from it. */
  patienceMs: number
  /** The number of messages that are not acknowledged yet. */
  unanswered: number
  /** Settles when all messages so far are acknowledged, in their order. */
  answered: Promise<unknown>
  willTopic: string | undefined
  clientId: string
  isWillSilenced: boolean
  /** Nothing more is read from it. */
  isDeaf: boolean
  isOver: boolean
  /** Resolves when `ended` of its session was called. */
  ended: PromiseWithResolvers<void>
}

export function holdSocket(
  socket: Socket,
  options: { open: (socket: Socket) => Client; onOversized: () => void },
): HeldClient {
  const guard = new FramingGuard(UNKNOWN_PACKET_BYTES)
  // Opening attaches the listener for bytes, but no bytes arrive before this returns.
  const client = options.open(socket)
  const held: HeldClient = {
    client,
    socket,
    address: socket.remoteAddress,
    guard,
    connection: createConnection(client, (isSilenced) => (held.isWillSilenced ||= isSilenced)),
    session: undefined,
    heardAt: performance.now(),
    patienceMs: Number.POSITIVE_INFINITY,
    unanswered: 0,
    answered: Promise.resolve(),
    willTopic: undefined,
    clientId: '',
    isWillSilenced: false,
    isDeaf: false,
    isOver: false,
    ended: Promise.withResolvers(),
  }
  guardReads(held, options.onOversized)
  return held
}

/** Checks bytes before aedes reads them, as aedes has no limit for packets. */
function guardReads(held: HeldClient, onOversized: () => void): void {
  const { socket, guard } = held
  const read = socket.read.bind(socket)
  socket.read = (size?: number): unknown => {
    if (held.isDeaf) return null
    const bytes: unknown = read(size)
    if (!Buffer.isBuffer(bytes)) return bytes
    held.heardAt = performance.now()
    if (guard.accepts(bytes)) return bytes
    onOversized()
    socket.destroy()
    return null
  }
}

function createConnection(client: Client, onEnd: (isSilenced: boolean) => void): MqttConnection {
  return {
    id: randomUUID(),
    send: (message) =>
      new Promise((resolve) =>
        client.publish({ cmd: 'publish', dup: false, ...message, payload: asBuffer(message) }, () =>
          resolve(),
        ),
      ),
    end: ({ withoutWill } = { withoutWill: false }) => {
      onEnd(withoutWill)
      client.close()
    },
  }
}

function asBuffer({ payload }: { payload: Uint8Array }): Buffer {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
}
