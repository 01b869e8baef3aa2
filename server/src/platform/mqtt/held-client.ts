import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Client } from 'aedes'
import { FramingGuard } from './framing-guard.ts'
import type { MqttConnection, MqttSession } from './session.ts'

/** Of a packet before its connection is accepted; a CONNECT packet needs less. */
const UNKNOWN_PACKET_BYTES = 1_024

/** A client of the broker, and what is known of its connection. */
export interface HeldClient {
  client: Client
  socket: Socket
  guard: FramingGuard
  connection: MqttConnection
  /** undefined: not accepted yet. */
  session: MqttSession | undefined
  /** Of what it last sent. */
  heardAt: number
  /** It may be silent for so long. */
  patienceMs: number
  /** Messages that are not answered yet. */
  unanswered: number
  /** Settles when all messages up to now are answered, in their order. */
  answered: Promise<unknown>
  willTopic: string | undefined
  clientId: string
  isWillSilenced: boolean
  /** Nothing more is read of it. */
  isDeaf: boolean
  isOver: boolean
  /** Resolves when its session was told that it is over. */
  ended: PromiseWithResolvers<void>
}

export function holdSocket(
  socket: Socket,
  options: { open: (socket: Socket) => Client; onOversized: () => void },
): HeldClient {
  const guard = new FramingGuard(UNKNOWN_PACKET_BYTES)
  // The listener for bytes is attached by opening, but none arrive before this returns.
  const client = options.open(socket)
  const held: HeldClient = {
    client,
    socket,
    guard,
    connection: connectionOf(client, (isSilenced) => (held.isWillSilenced ||= isSilenced)),
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

/** aedes reads all there is, and has no limit of its own. */
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

function connectionOf(client: Client, onEnd: (isSilenced: boolean) => void): MqttConnection {
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
