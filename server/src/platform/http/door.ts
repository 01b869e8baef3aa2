/**
 * Limits before a key is known: connections by address, the time of headers and bodies, and keys that nobody has. All are
 * of this node.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { groupAddress } from './address-group.ts'
import { type KeyTries, type TriedKey, createTriedKey } from '../key-tries.ts'
import { refuseBrokenRequests } from './broken-request.ts'
import { createRefuser } from './refused-keys.ts'

export interface DoorLimits {
  /** As long as headers may take to arrive, and a body whose sender is not known. */
  requestSeconds: number
  /** 0: no limit. */
  connections: number
  /** 0: no limit. */
  connectionsPerAddress: number
  /** How long the answer waits that refuses one more unknown key of an address; a second if left out. */
  refusalMs?: number
}

interface RequestState {
  isAdmitted: boolean
  bodyTimer: NodeJS.Timeout | undefined
  tried: (TriedKey & { tries: KeyTries }) | undefined
}

const waiting = new WeakMap<object, RequestState>()

/** Called when the key of a request is known: its body may take as long as any. */
export function admit({ raw }: FastifyRequest): void {
  const request = waiting.get(raw)
  if (!request) return
  request.isAdmitted = true
  clearTimeout(request.bodyTimer)
  request.tried?.tries.accept(request.tried)
}

/**
 * The rest of a refused body is read for a moment, as some clients send all of it before they read the answer. Of those
 * whose key is known, it is read as long as any request may take.
 */
const LINGER_MS = 3_000

export interface Door {
  limits: DoorLimits
  tries: KeyTries
  /** The headers that every answer has. */
  headers: Readonly<Record<string, string>>
  /** Answers a request that took too long on its connection. */
  answerLate: (socket: Socket) => void
}

/** To be installed before other hooks: most of the cost of a refused key would be theirs. */
export function installDoor(
  app: FastifyInstance,
  { limits, tries, headers, answerLate }: Door,
): void {
  refuseBrokenRequests(app, headers)
  const { server } = app
  server.headersTimeout = limits.requestSeconds * 1000
  if (limits.connections > 0) server.maxConnections = limits.connections
  if (limits.connectionsPerAddress > 0) limitByAddress(app, limits.connectionsPerAddress)
  const refuse = createRefuser(headers, limits.refusalMs)

  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const tried = readTriedKey(request, tries)
    const outcome = tried ? tries.begin(tried) : 'mayBeValid'
    if (outcome !== 'mayBeValid') return refuse(outcome, request, reply)
    const close = () => {
      answerLate(raw.socket)
      raw.socket.destroySoon()
    }
    const bodyTimer = hasBody(request) ? setTimeout(close, limits.requestSeconds * 1000) : undefined
    waiting.set(raw, { isAdmitted: false, bodyTimer, tried })
    done()
  })
  app.addHook('preValidation', ({ raw }, _reply, done) => {
    clearTimeout(waiting.get(raw)?.bodyTimer)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { raw } = request
    const { isAdmitted = false, bodyTimer, tried } = waiting.get(raw) ?? {}
    clearTimeout(bodyTimer)
    if (tried && !isAdmitted && reply.statusCode === 401) tries.refuse(tried)
    if (!isAdmitted && hasBody(request) && !raw.complete)
      closeUnlessRead(raw, Math.min(LINGER_MS, limits.requestSeconds * 1000))
    done()
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function closeUnlessRead(raw: FastifyRequest['raw'], ms: number): void {
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), ms)
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

/** undefined: the request states no key. */
function readTriedKey({ headers, url, ip }: FastifyRequest, tries: KeyTries) {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  return { ...createTriedKey({ key: authorization, place: url }, ip), tries }
}

function limitByAddress({ server }: FastifyInstance, most: number): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = groupAddress(socket.remoteAddress ?? '')
    const count = (counts.get(address) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    counts.set(address, count)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
  })
}
