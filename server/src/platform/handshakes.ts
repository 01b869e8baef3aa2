/**
 * Paces TLS: a handshake takes a millisecond or two of the one thread before anybody is known, so that one address with bad
 * certificates, or none, could keep it from all others. What an address begins too soon waits a moment, and then is closed.
 */
import type { Server, Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { groupAddress } from './http/address-group.ts'
import { TokenBuckets } from './token-buckets.ts'

/** A fleet behind one address comes back all at once. */
const BURST_SECONDS = 5
const LONGEST_WAIT_MS = 5_000

/** `perSecond`: of one address; 0: as many as come. To be called before the first connection. Without TLS it does nothing. */
export function paceHandshakes(server: Server, perSecond = 0): void {
  if (perSecond === 0 || !(server instanceof TlsServer)) return
  const limit = { perMinute: perSecond * 60, burst: perSecond * BURST_SECONDS }
  const buckets = new TokenBuckets(limit)
  const listeners = server.listeners('connection')
  const begin = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const now = performance.now()
    const bucket = buckets.of(groupAddress(socket.remoteAddress ?? ''), now)
    const waitMs = bucket.takeWithin(now, LONGEST_WAIT_MS)
    if (waitMs === undefined) socket.destroy()
    else if (waitMs === 0) begin(socket)
    else beginLater(server, socket, () => begin(socket), waitMs)
  })
}

function beginLater(server: Server, socket: Socket, begin: () => void, waitMs: number): void {
  const forget = () => socket.destroy()
  socket.on('error', forget)
  setTimeout(() => {
    if (socket.destroyed) return
    socket.off('error', forget)
    // The server closes, and waits for its connections.
    if (server.listening) begin()
    else socket.destroy()
  }, waitMs).unref()
}
