/** Ends the statements of a request whose client has hung up. */
import { connect, type NetConnectOpts } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** What `pg` knows of a connection; its types leave it out. */
interface Backend {
  host: string
  port: number
  processID: number
  secretKey: number
}

/**
 * From the signal on, cancels what the connection runs, until the result is called. Again and again: a cancel between two
 * statements ends nothing. The result answers whether the connection may be used again, when the last cancel has arrived:
 * PostgreSQL drops a cancel that finds no statement, so it cannot end one of the next request.
 */
export function cancelAfter(
  hungUp: AbortSignal,
  client: pg.PoolClient,
): () => Promise<boolean> | undefined {
  const givenBack = new AbortController()
  let cancelling: Promise<boolean> | undefined
  const begin = () => {
    cancelling = cancelUntil(givenBack.signal, client as pg.PoolClient & Backend)
  }
  hungUp.addEventListener('abort', begin, { once: true })
  return () => {
    hungUp.removeEventListener('abort', begin)
    if (cancelling) givenBack.abort()
    return cancelling
  }
}

const AGAIN_MS = 100

async function cancelUntil(givenBack: AbortSignal, backend: Backend): Promise<boolean> {
  while (!givenBack.aborted) {
    if (!(await sendCancel(backend))) return false
    await delay(AGAIN_MS, undefined, { signal: givenBack }).catch(() => undefined)
  }
  return true
}

const PATIENCE_MS = 2_000

/**
 * Asks PostgreSQL to end what the connection runs, on a connection of its own (PostgreSQL 18, section 54.2.9). The server
 * closes it when the signal is sent. Answers false if it did not.
 */
function sendCancel({ host, port, processID, secretKey }: Backend): Promise<boolean> {
  const request = Buffer.alloc(16)
  for (const [index, value] of [16, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(value, index * 4)
  return new Promise((resolve) => {
    const socket = connect(findAddress(host, port), () => socket.write(request))
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer')))
    socket.on('error', () => resolve(false))
    socket.on('end', () => resolve(true))
    socket.on('close', () => resolve(false))
    socket.resume()
  })
}

const CANCEL_REQUEST = 80_877_102

/** A host that is a folder holds PostgreSQL's Unix socket. */
function findAddress(host: string, port: number): NetConnectOpts {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}
