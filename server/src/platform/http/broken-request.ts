/** Answers what is not HTTP, or does not arrive. Fastify never sees most of it. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { describeProblem } from './problems.ts'

/** What Node reports when a request does not arrive in time. */
export const LATE = Object.assign(new Error('request timeout'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
})

/** The headers that every answer has. */
type Headers = Readonly<Record<string, string>>

interface ClientSocket {
  writable: boolean
  end: (text: string) => void
}

/** Answers malformed HTTP with a problem as well. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: ClientSocket,
  headers: Record<string, string>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, title, known] = brokenRequest(error.code)
  const body = JSON.stringify({ ...describeProblem(known), title, status })
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'))
}

/** Node's own answers to these have no problem and no headers of ours. */
export const LENIENT = { requireHostHeader: false }

/** Refuses what Node lets pass, or refuses in its own way. To be installed first. */
export function refuseBrokenRequests(app: FastifyInstance, answerHeaders: Headers): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const fault = findFault(raw)
    if (fault === undefined) return done()
    void reply.headers({ ...answerHeaders, connection: 'close' })
    return done(new AppError('invalid', 'malformed-request', fault))
  })
  // RFC 9110 section 10.1.1: other expectations than 100-continue may be ignored.
  const { server } = app
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function findFault({ httpVersion, rawHeaders, headers }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return 'The request needs one Host header.'
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    return 'The only Transfer-Encoding that is taken is chunked.'
  return undefined
}

function brokenRequest(code: string | undefined): [number, string, AppError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const detail = 'The request headers are too large.'
      return [
        431,
        'Request Header Fields Too Large',
        new AppError('tooLarge', 'headers-too-large', detail),
      ]
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const detail = 'The request took too long to arrive.'
      return [408, 'Request Timeout', new AppError('invalid', 'request-timeout', detail)]
    }
    case undefined:
    default: {
      const detail = 'This is not a valid HTTP request.'
      return [400, 'Bad Request', new AppError('invalid', 'malformed-request', detail)]
    }
  }
}
