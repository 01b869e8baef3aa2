/**
 * Requests with an `Idempotency-Key` are done once (decision 29): the first is claimed by a row before it begins, and its answer is
 * kept in that row before it is sent. A repetition is answered with it.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { computeBodyDigest, dropBody, findBodyDigest } from '../../platform/http/body-digest.ts'
import * as store from './store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer holds a secret that nobody may read later. */
    showsSecret?: true
  }
}

/** After this time a key is forgotten. */
const KEPT_MS = 24 * HOUR_MS
/** Longer answers are not kept. */
const MOST_CHARACTERS = 64 * 1024
/** The headers that are kept with the body of an answer. */
const KEPT_HEADERS = ['content-type', 'etag', 'location']
const RETRY_SECONDS = 1

interface WorkspaceRequest {
  Params: { workspaceId: string }
}

/** To be installed behind the guard, and before what changes or delays a request. */
export function installIdempotency(workspace: App, ctx: AppContext): void {
  const claims = new WeakMap<FastifyRequest, store.RequestKey>()
  workspace.addHook<WorkspaceRequest>('preHandler', async (request, reply) => {
    const key = readKey(request)
    if (key === undefined) return
    const { workspaceId } = request.params
    const of = { workspaceId, actorId: request.principal.actor.id ?? '', key }
    const fingerprint = computeFingerprint(request)
    if (await store.insertKey(ctx.db, { ...of, fingerprint, createdAt: ctx.now() }))
      claims.set(request, of)
    else return repeat(request, reply, { known: await store.findKey(ctx.db, of), fingerprint })
  })
  workspace.addHook('onSend', async (request, reply, payload) => {
    const of = claims.get(request)
    if (!of) return
    await settle(ctx, of, { request, reply, payload })
    dropBody(request)
  })
}

/** undefined where there is none, or nothing is changed. */
function readKey({ headers, method, routeOptions }: FastifyRequest): string | undefined {
  const { scope, changesNothing } = routeOptions.config
  const header = headers['idempotency-key']
  const isRead = method === 'GET' || changesNothing === true || scope?.endsWith(': read') === true
  if (header === undefined || isRead) return undefined
  const [, quoted, bare] =
    /^(?:"([!#-[\]-~]{1,255})"|([!#-[\]-~]{1,255}))$/.exec(String(header)) ?? []
  const key = quoted ?? bare
  if (key !== undefined) return key
  throw invalid(
    'An Idempotency-Key is 1 to 255 characters of ASCII without spaces, such as a UUID.',
    '/headers/idempotency-key',
  )
}

/** Bodies that the route reads itself, such as uploads, have a digest of their own. */
function computeFingerprint({ method, url, body }: FastifyRequest): string {
  const text = JSON.stringify([method, url, body ?? null])
  return createHash('sha256').update(text).digest('base64url')
}

async function repeat(
  request: FastifyRequest,
  reply: FastifyReply,
  { known, fingerprint }: { known: store.KnownRequest | undefined; fingerprint: string },
) {
  if (known && known.fingerprint !== fingerprint) throw keyReused()
  if (!known?.answer) throw notAnswered()
  const { status, headers, body, bodyDigest } = known.answer
  if (bodyDigest !== null && bodyDigest !== (await computeBodyDigest(request))) throw keyReused()
  if (body === null)
    throw new AppError(
      'conflict',
      'answer-not-kept',
      `This request was done before, and answered with ${status}. Its answer is not kept.`,
    )
  return reply
    .code(status)
    .headers({ ...headers, 'idempotency-replayed': 'true' })
    .send(body)
}

function keyReused(): AppError {
  return new AppError(
    'invalid',
    'idempotency-key-reused',
    'This Idempotency-Key was used for another request; nothing was done.',
    [{ pointer: '/headers/idempotency-key', detail: 'Make a new key for each new request.' }],
  )
}

function notAnswered(): AppError {
  const error = new AppError(
    'conflict',
    'not-answered-yet',
    'A request with this Idempotency-Key was begun and is not answered yet.',
  )
  error.retryAfterSeconds = RETRY_SECONDS
  return error
}

interface AnsweredRequest {
  request: FastifyRequest
  reply: FastifyReply
  payload: unknown
}

/** What was refused, or could not be done, changed nothing, and may be tried again with the same key. */
async function settle(
  ctx: AppContext,
  of: store.RequestKey,
  answered: AnsweredRequest,
): Promise<void> {
  const { request, reply } = answered
  const status = reply.statusCode
  try {
    await (status < 400 || status === 500
      ? store.keepAnswer(ctx.db, of, readAnswer(answered))
      : store.deleteKey(ctx.db, of))
  } catch (error) {
    // The row stays without an answer: a repetition is told so, and does nothing.
    request.log.warn({ err: error }, 'the answer to a request with a key could not be kept')
  }
}

function readAnswer({ request, reply, payload }: AnsweredRequest): store.KeptAnswer {
  const named = KEPT_HEADERS.map((name) => [name, reply.getHeader(name)] as const)
  const headers = Object.fromEntries(
    named.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  const isSecret = request.routeOptions.config.showsSecret === true
  const text = payload === undefined || payload === null ? '' : payload
  const isKept = !isSecret && typeof text === 'string' && text.length <= MOST_CHARACTERS
  const bodyDigest = findBodyDigest(request) ?? null
  return { status: reply.statusCode, headers, body: isKept ? text : null, bodyDigest }
}

export async function sweepIdempotencyKeys(ctx: AppContext): Promise<void> {
  await store.deleteKeysBefore(ctx.db, addMs(ctx.now(), -KEPT_MS))
}
