import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface MqttListener {
  host: string
  port: number
  tls?: { certificate: string; key: string }
}

/** For many connections at once. The limit of the system may be lower. */
const BACKLOG = 4_096
const HANDSHAKE_MS = 15_000
const PROBE_MS = 60_000

/** Accepts connections. `port` 0 means a free one. Closing it keeps the connections. */
export async function listenMqtt(
  { host, port, tls }: MqttListener,
  onSocket: (socket: Socket) => void,
): Promise<{ port: number; close: () => void }> {
  const take = (socket: Socket) => onSocket(prepared(socket))
  const server = tls ? createTls(tls, take) : createServer(take)
  server.listen({ host, port, backlog: BACKLOG })
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => server.close(),
  }
}

function prepared(socket: Socket): Socket {
  return socket.setNoDelay(true).setKeepAlive(true, PROBE_MS)
}

function createTls(
  { certificate, key }: { certificate: string; key: string },
  onSocket: (socket: Socket) => void,
): Server {
  const server = createTlsServer(
    { cert: certificate, key, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS },
    onSocket,
  )
  // A failed handshake is a fault of the client and is not logged.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}
