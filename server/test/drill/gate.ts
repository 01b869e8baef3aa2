/** A way to a server of this machine that can be shut, or on which nothing moves. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** `shut`: connections end, and new ones are reset. `frozen`: connections stay, and no byte passes. */
type GateState = 'open' | 'shut' | 'frozen'

export interface Gate {
  port: number
  set: (state: GateState) => void
  close: () => Promise<void>
}

export async function startGate(targetPort: number): Promise<Gate> {
  const sockets = new Set<Socket>()
  let state: GateState = 'open'
  const join = (near: Socket) => {
    if (state === 'shut') return near.resetAndDestroy()
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    forward(near, far)
    forward(far, near)
    return undefined
  }
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.pipe(to)
    if (state === 'frozen') from.pause()
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer({ allowHalfOpen: true }, join).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    set: (next) => {
      state = next
      for (const socket of sockets)
        if (next === 'shut') socket.resetAndDestroy()
        else if (next === 'frozen') socket.pause()
        else socket.resume()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
