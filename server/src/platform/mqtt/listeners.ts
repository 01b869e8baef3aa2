import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import {
  ASKS_FOR_CERTIFICATES,
  type Certificate,
  createTlsOptions,
  watchCertificate,
} from '../certificate.ts'
import { paceHandshakes } from '../handshakes.ts'

export interface MqttListener {
  host: string
  port: number
  tls?: Certificate | undefined
  /** TLS handshakes of one address; 0: any number. */
  handshakesPerSecond?: number
  log: Logger
}

/** For many connections at once. The limit of the system may be lower. */
const BACKLOG = 4_096
const HANDSHAKE_MS = 15_000
const PROBE_MS = 60_000

/** Accepts connections. `port` 0 means a free one. Closing it keeps the connections. */
export async function listenMqtt(
  { host, port, tls, handshakesPerSecond, log }: MqttListener,
  onSocket: (socket: Socket) => void,
): Promise<{ port: number; close: () => void }> {
  const take = (socket: Socket) => onSocket(prepared(socket))
  const secure = tls && createTls(tls, take)
  const server = secure ?? createServer(take)
  paceHandshakes(server, handshakesPerSecond)
  server.listen({ host, port, backlog: BACKLOG })
  await once(server, 'listening')
  const watch = tls && secure && watchCertificate(tls, secure, log)
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => {
      void watch?.stop()
      server.close()
    },
  }
}

function prepared(socket: Socket): Socket {
  return socket.setNoDelay(true).setKeepAlive(true, PROBE_MS)
}

function createTls(
  { certificate, key }: Certificate,
  onSocket: (socket: Socket) => void,
): TlsServer {
  const server = createTlsServer(
    {
      ...createTlsOptions({ certificate, key }),
      ...ASKS_FOR_CERTIFICATES,
      handshakeTimeout: HANDSHAKE_MS,
    },
    onSocket,
  )
  // A failed handshake is a fault of the client and is not logged.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}
