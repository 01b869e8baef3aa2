/** A feed server like those of publishers: entity tags, ranges, and the faults that downloads have. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export type Fault =
  /** The connection ends or stalls after this number of bytes. */
  | { kind: 'truncate' | 'stall'; after: number; times?: number; hasRead?: HasRead }
  | { kind: 'status'; status: number; retryAfter?: string; times?: number }
  | { kind: 'redirect'; to: string; times?: number }
  /** The page of a proxy or a maintenance, with status 200. */
  | { kind: 'html'; times?: number }

/** Whether the client has so many bytes of the content: one that sees the end early loses what it has not read. */
type HasRead = (bytes: number) => boolean

export interface ServedRequest {
  path: string
  range: string | undefined
  headers: IncomingMessage['headers']
  status: number
}

type Content = Buffer | string | object
type Handler = (url: URL, request: IncomingMessage) => Content | undefined

export interface FeedServer {
  url: string
  /** Every request so far, oldest first. */
  requests: ServedRequest[]
  put: (path: string, content: Content) => void
  remove: (path: string) => void
  /** Answers that depend on the query. */
  handle: (path: string, handler: Handler) => void
  fault: (path: string, fault: Fault) => void
  heal: () => void
  close: () => Promise<void>
}

export async function startFeedServer(): Promise<FeedServer> {
  const files = new Map<string, Buffer>()
  const handlers = new Map<string, Handler>()
  const faults = new Map<string, Fault & { left: number }>()
  const requests: ServedRequest[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://feeds')
    const path = decodeURIComponent(url.pathname)
    const { headers } = request
    response.once('close', () =>
      requests.push({
        path: `${path}${url.search}`,
        range: headers.range,
        headers,
        status: response.statusCode,
      }),
    )
    const fault = faults.get(path)
    if (fault && fault.left-- > 0 && answerFault(fault, response)) return
    const handled = handlers.get(path)?.(url, request)
    const content = handled === undefined ? files.get(path) : bytesOf(handled)
    const isFaulty = fault !== undefined && fault.left >= 0
    if (content === undefined) response.writeHead(404).end('not here')
    else serve(request, response, { content, fault: isFaulty ? fault : undefined })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    put: (path, content) => void files.set(path, bytesOf(content)),
    remove: (path) => void files.delete(path),
    handle: (path, handler) => void handlers.set(path, handler),
    fault: (path, fault) => void faults.set(path, { ...fault, left: fault.times ?? Infinity }),
    heal: () => faults.clear(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function bytesOf(content: Content): Buffer {
  if (Buffer.isBuffer(content)) return content
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
}

const PAGE = '<!DOCTYPE html><html><body><h1>Please sign in to the network</h1></body></html>'

/** @returns whether the fault was the whole answer. */
function answerFault(fault: Fault, response: ServerResponse): boolean {
  if (fault.kind === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  else if (fault.kind === 'redirect') response.writeHead(302, { location: fault.to }).end()
  else if (fault.kind === 'status')
    response
      .writeHead(fault.status, fault.retryAfter ? { 'retry-after': fault.retryAfter } : {})
      .end('no')
  else return false
  return true
}

interface ServedFile {
  content: Buffer
  fault: Fault | undefined
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { content, fault }: ServedFile,
): unknown {
  const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`
  const { 'if-none-match': known, 'if-range': ifRange, range } = request.headers
  if (known === etag) return response.writeHead(304, { etag }).end()
  const start = ifRange === etag ? Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0) : 0
  if (start >= content.length && start > 0) return response.writeHead(416).end()
  const rest = content.subarray(start)
  response.writeHead(start > 0 ? 206 : 200, {
    etag,
    'content-length': rest.length,
    ...(start > 0 && {
      'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
    }),
  })
  if (fault?.kind !== 'truncate' && fault?.kind !== 'stall') return response.end(rest)
  const { kind, after, hasRead } = fault
  return response.write(rest.subarray(0, after), () => {
    if (kind === 'truncate') void endOnceRead(response, hasRead && (() => hasRead(start + after)))
  })
}

async function endOnceRead(response: ServerResponse, isRead?: () => boolean): Promise<void> {
  if (!isRead) await delay(50)
  else while (!isRead() && response.socket?.destroyed === false) await delay(5)
  response.socket?.end()
}
