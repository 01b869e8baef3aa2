/** RFC 9457 problem details. All errors become answers here. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, busy, type ErrorKind, type FieldError, readCode } from '../errors.ts'
import {
  areConnectionsTaken,
  isDatabaseAway,
  isStatementTimeout,
  isLockBusy,
  isOvertaken,
} from '../db/failures.ts'
import { renderHtml } from '../html.ts'
import { renderPlainPage, sendPage } from './pages.ts'
import { InvalidInput } from './validation.ts'

const KINDS: Record<ErrorKind, { status: number; title: string }> = {
  invalid: { status: 400, title: 'Bad Request' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  notFound: { status: 404, title: 'Not Found' },
  gone: { status: 410, title: 'Gone' },
  conflict: { status: 409, title: 'Conflict' },
  preconditionFailed: { status: 412, title: 'Precondition Failed' },
  tooLarge: { status: 413, title: 'Content Too Large' },
  unsupportedMediaType: { status: 415, title: 'Unsupported Media Type' },
  rangeNotSatisfiable: { status: 416, title: 'Range Not Satisfiable' },
  rateLimited: { status: 429, title: 'Too Many Requests' },
  unavailable: { status: 503, title: 'Service Unavailable' },
  internal: { status: 500, title: 'Internal Server Error' },
}

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance?: string
  errors?: readonly FieldError[]
}

export function describeProblem(error: AppError): Problem {
  const { status, title } = KINDS[error.kind]
  return {
    type: `/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    ...(error.errors && { errors: error.errors }),
  }
}

export function sendProblem(
  reply: FastifyReply,
  error: AppError,
  portalUrl?: string,
): FastifyReply {
  const { id, url } = reply.request
  const problem = {
    ...describeProblem(error),
    instance: url.split('?')[0] ?? '/',
    ...(portalUrl !== undefined && { portalUrl }),
  }
  if (error.kind === 'internal')
    problem.detail = `Something went wrong on our side. The log names the cause under the request id ${id}.`
  if (error.kind === 'unauthorized') void reply.header('www-authenticate', 'Bearer')
  const mayTryAgain = error.kind === 'unavailable' || error.kind === 'rateLimited'
  if (error.retryAfterSeconds !== undefined)
    void reply.header('retry-after', String(error.retryAfterSeconds))
  // A limit by the minute knows itself when it ends.
  if (mayTryAgain && !reply.hasHeader('retry-after')) void reply.header('retry-after', '2')
  void reply.code(problem.status)
  if (isNavigation(reply.request)) return sendPage(reply, renderProblem(problem))
  return reply
    .type('application/problem+json')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(problem)
}

/** A browser opens the address in a tab: people read the answer. Programs do not send this header. */
function isNavigation({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
}

function renderProblem({ title, detail, errors = [], type }: Problem): string {
  return renderPlainPage(
    title,
    renderHtml`<p>${detail}</p><ul>${errors.map((fault) => renderHtml`<li><code>${fault.pointer}</code> ${fault.detail}</li>`)}</ul><p><a href="${type}">What to do</a></p>`,
  )
}

/** The address of the page about what a request names, if there is one. */
export type PageOf = (params: Readonly<Record<string, string>>) => string | undefined

export function installProblems(app: FastifyInstance, pageOf?: PageOf): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = asAppError(error)
    if (known.kind === 'internal') request.log.error({ err: error }, 'request failed')
    else
      request.log.info({ err: { message: error.message }, problem: known.code }, 'request refused')
    // What stands in the way of a change is there to be looked at; what is missing is not.
    const isInTheWay = known.kind === 'conflict' || known.kind === 'preconditionFailed'
    const portalUrl = isInTheWay ? pageOf?.(request.params as Record<string, string>) : undefined
    return sendProblem(reply, known, portalUrl)
  })
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, new AppError('notFound', 'route-not-found', routeMissing(request))),
  )
}

function routeMissing(request: FastifyRequest): string {
  return `Nothing answers ${request.method} ${request.url.split('?')[0] ?? ''}. GET /openapi.json lists what does.`
}

const INTERNAL = new AppError('internal', 'internal-error', 'Something went wrong on our side.')

/** Translates Fastify's own errors. Every other error is a bug. */
export function asAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error
  if (error instanceof InvalidInput)
    return new AppError('invalid', 'invalid-request', error.message, error.fields)
  if (areConnectionsTaken(error)) return busy()
  if (isDatabaseAway(error))
    return new AppError(
      'unavailable',
      'database-unavailable',
      'The database cannot be reached right now. Try again shortly.',
    )
  if (isStatementTimeout(error))
    return new AppError(
      'unavailable',
      'took-too-long',
      'The database did not finish this in time, so that nothing was written. Ask for less, or try again later.',
    )
  if (isOvertaken(error) || isLockBusy(error))
    return new AppError(
      'unavailable',
      'overtaken',
      'Another change held what this one needs, so that nothing was written. Try again.',
    )
  const status =
    'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  return fromFastify(readCode(error), status, error.message)
}

function fromFastify(code: string, status: number, detail: string): AppError {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError(
        'unsupportedMediaType',
        'unsupported-media-type',
        'Send the body as application/json.',
      )
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('tooLarge', 'body-too-large', 'The body is larger than this route takes.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new AppError(
        'invalid',
        'invalid-request',
        'The body is empty; a JSON object is required.',
      )
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new AppError('invalid', 'malformed-json', 'The body is not valid JSON.')
    default:
  }
  // The files of /docs, asked for outside of their folder.
  if (status === 403 || status === 404)
    return new AppError('notFound', 'route-not-found', 'There is no such file.')
  if (status === 413) return new AppError('tooLarge', 'body-too-large', detail)
  if (status === 415) return new AppError('unsupportedMediaType', 'unsupported-media-type', detail)
  if (status >= 400 && status < 500) return new AppError('invalid', 'invalid-request', detail)
  return INTERNAL
}
