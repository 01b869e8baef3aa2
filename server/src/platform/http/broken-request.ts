/** Answers what is not HTTP, or does not arrive: Fastify never sees it. */
import { AppError } from '../errors.ts'
import { problemOf } from './problems.ts'

/** What Node reports when a request does not arrive in time. */
export const LATE = Object.assign(new Error('request timeout'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
})

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
  const body = JSON.stringify({ ...problemOf(known), title, status })
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'))
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
