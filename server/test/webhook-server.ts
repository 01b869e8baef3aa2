/** A receiver of webhooks: it keeps the requests, and answers well or fails in the ways of real servers. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

type Behaviour =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Accepts the request and never answers. */
  | { kind: 'hang' }
  /** Sends a byte at intervals: of the head, or of an endless body. */
  | { kind: 'drip-head' | 'drip-body' }
  /** Sends an endless body at full speed. */
  | { kind: 'flood' }
  | { kind: 'close' }

export interface WebhookRequest {
  method: string | undefined
  path: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

export interface WebhookServer {
  url: string
  port: number
  requests: WebhookRequest[]
  behave: (behaviour: Behaviour) => void
  close: () => Promise<void>
}

const WELL: Behaviour = { kind: 'answer', status: 204 }
const DRIP_MS = 20

export async function startWebhookServer(): Promise<WebhookServer> {
  const requests: WebhookRequest[] = []
  const behaviour = { now: WELL }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url: path, headers } = request
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') })
      behave(behaviour.now, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    behave: (next) => {
      behaviour.now = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function behave(behaviour: Behaviour, response: ServerResponse): void {
  const { socket } = response
  switch (behaviour.kind) {
    case 'answer':
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
      return
    case 'hang':
      return
    case 'drip-head':
      socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
      repeat(response, () => socket?.write('a'))
      return
    case 'drip-body':
      response.writeHead(200)
      repeat(response, () => response.write('a'))
      return
    case 'flood':
      response.writeHead(200)
      flood(response)
      return
    case 'close':
      socket?.destroy()
  }
}

function repeat(response: ServerResponse, write: () => unknown): void {
  write()
  const timer = setInterval(write, DRIP_MS)
  response.once('close', () => clearInterval(timer))
}

const FLOOD = Buffer.alloc(64 * 1024, 'b')

function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(FLOOD));
  if (!response.destroyed) response.once('drain', () => flood(response))
}
