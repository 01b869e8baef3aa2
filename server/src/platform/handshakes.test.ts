import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect as connectPlainly } from 'node:net'
import { connect } from 'node:tls'
import { beforeAll, expect, it } from 'vitest'
import { closeAtEndOfFile } from '../../test/end-of-file.ts'
import { givenAuthority, givenServerCertificate } from '../../test/given-certificates.ts'
import { paceHandshakes } from './handshakes.ts'

let tls: { cert: string; key: string }
let ca: Buffer

beforeAll(() => {
  const authority = givenAuthority('Servers')
  const { certificate: cert, key } = givenServerCertificate(authority)
  tls = { cert, key }
  ca = readFileSync(authority.certificate)
})

async function givenServer(perSecond: number): Promise<number> {
  const server = createHttpsServer(tls, (_request, response) => response.end('hello'))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  paceHandshakes(server, perSecond)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeAtEndOfFile(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Whether its handshake was done, and how long that took. */
async function shake(port: number, localAddress: string): Promise<number | undefined> {
  const startedAt = performance.now()
  const plain = connectPlainly({ host: '127.0.0.1', port, localAddress })
  const socket = connect({ socket: plain, ca, servername: 'localhost' })
  plain.on('error', () => socket.destroy())
  const isDone = await new Promise<boolean>((done) => {
    socket.on('secureConnect', () => done(true))
    socket.on('error', () => done(false))
    socket.on('close', () => done(false))
  })
  socket.destroy()
  return isDone ? performance.now() - startedAt : undefined
}

it('closes what one address begins beyond its pace, and lets another one in meanwhile without waiting', async () => {
  const port = await givenServer(4)

  const startedAt = performance.now()
  const flood = Array.from({ length: 200 }, () => shake(port, '127.0.0.2'))
  const other = await shake(port, '127.0.0.3')
  const done = (await Promise.all(flood)).filter((ms) => ms !== undefined)

  const seconds = (performance.now() - startedAt) / 1_000

  // A burst of 20, and four more each second.
  expect(done.length).toBeGreaterThanOrEqual(20)
  expect(done.length).toBeLessThanOrEqual(21 + 4 * seconds)
  expect(Math.max(...done)).toBeGreaterThan(1_000)
  expect(other).toBeDefined()
})

it('reads what a client sent while its handshake waited', async () => {
  const port = await givenServer(1)
  const times = await Promise.all(Array.from({ length: 7 }, () => shake(port, '127.0.0.4')))

  expect(times.filter((ms) => ms === undefined)).toEqual([])
  expect(times.filter((ms) => (ms ?? 0) > 900).length).toBeGreaterThanOrEqual(1)
})

it('bounds nothing where no pace is set', async () => {
  const port = await givenServer(0)

  const times = await Promise.all(Array.from({ length: 60 }, () => shake(port, '127.0.0.5')))

  expect(times.filter((ms) => ms === undefined)).toEqual([])
})
