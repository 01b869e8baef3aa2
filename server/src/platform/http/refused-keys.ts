/** Answers requests with refused keys without the rest of the service, as their number is up to their sender. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { describeProblem } from './problems.ts'

const REFUSALS = {
  refused: new AppError('unauthorized', 'unauthorized', 'The key was refused a moment ago.'),
  tooMany: new AppError(
    'rateLimited',
    'too-many-unknown-keys',
    'Too many requests from this address had keys that are not valid. Keys that were accepted before still are.',
  ),
}

/** So that a client with few connections cannot ask often. */
const REFUSAL_MS = 1_000
/** Answers that wait take memory: beyond, they are given at once and end their connection. */
const MOST_WAITING = 1_000

/** `headers` are those of every answer. */
export function createRefuser(headers: Readonly<Record<string, string>>, refusalMs = REFUSAL_MS) {
  const waiting = new WeakSet<object>()
  let count = 0
  const prepared = { refused: prepare('refused', headers), tooMany: prepare('tooMany', headers) }
  return (outcome: keyof typeof REFUSALS, request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack()
    const { socket } = request.raw
    const send = (isLast = false) => sendPrepared(prepared[outcome], { request, reply, isLast })
    if (outcome === 'refused') return send()
    if (count >= MOST_WAITING) return send(true)
    // It sends one request after the other and waits for no answer.
    if (waiting.has(socket)) return void socket.destroy()
    waiting.add(socket)
    count += 1
    setTimeout(() => {
      waiting.delete(socket)
      count -= 1
      send()
    }, refusalMs)
  }
}

interface PreparedRefusal {
  status: number
  headers: Record<string, string>
  /** The body up to the address, which is its last member. */
  body: string
}

function prepare(
  outcome: keyof typeof REFUSALS,
  headers: Readonly<Record<string, string>>,
): PreparedRefusal {
  const problem = describeProblem(REFUSALS[outcome])
  const own: Record<string, string> =
    outcome === 'refused' ? { 'www-authenticate': 'Bearer' } : { 'retry-after': '2' }
  return {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json', ...own },
    body: `${JSON.stringify(problem).slice(0, -1)},"instance":`,
  }
}

function sendPrepared(
  { status, headers, body }: PreparedRefusal,
  { request, reply, isLast }: { request: FastifyRequest; reply: FastifyReply; isLast: boolean },
): void {
  const path = request.url.split('?', 1)[0] ?? '/'
  const text = `${body}${JSON.stringify(path)}}`
  reply.raw.writeHead(status, {
    ...headers,
    'x-request-id': request.id,
    'content-length': Buffer.byteLength(text),
    ...(isLast && { connection: 'close' }),
  })
  reply.raw.end(text)
}
