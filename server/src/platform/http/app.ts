/** The HTTP server before any slice: limits, problems, request ids, API description, shutdown. */
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, {
  LogController,
  type FastifyTypeProvider,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifySchema,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { asAppError, installProblems, problemOf, sendProblem } from './problems.ts'
import { problems, ProblemSchema } from './schemas.ts'
import { compileSerializer, compileValidator } from './validation.ts'

/**
 * Requests have the types of their schemas. Answers are checked against theirs when they are sent, in tests: a row's
 * dates and wider texts become what the schema says only by then.
 */
interface RouteTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: unknown
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  RouteTypes
>

export interface AppOptions {
  log: Logger
  version: string
  publicUrl: string
  /** Fail requests whose answer breaks its schema; tests do. */
  checkResponses: boolean
  /** Serve pages at /docs that show the API. */
  showsDocs: boolean
}

const BODY_BYTES = 1024 * 1024
/** An upload may be slow, but not endless, and it ends before the sweep takes its files for left over. */
const REQUEST_MS = 50 * 60_000

export async function createApp({
  log,
  version,
  publicUrl,
  checkResponses,
  showsDocs,
}: AppOptions): Promise<App> {
  const loggerInstance: FastifyBaseLogger = log
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    genReqId: () => newId(),
    // Ids of any length reach their route, so that what they do not name is a 404 like any other.
    routerOptions: { maxParamLength: 16_384 },
    requestTimeout: REQUEST_MS,
    forceCloseConnections: 'idle',
    // Closing is answered by the hook below, as a problem.
    return503OnClosing: false,
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply, asAppError(error))
    },
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<RouteTypes>()
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer(checkResponses))
  app.addSchema(ProblemSchema)
  installProblems(app)
  installRequestLog(app)
  installClosing(app)
  await describe(app, version, publicUrl)
  if (showsDocs) await serveDocs(app)
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .serializer((payload: unknown) => JSON.stringify(payload))
      .send(app.swagger()),
  )
  return app
}

async function serveDocs(app: App): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    logLevel: 'silent',
    theme: {
      title: 'Plimsoll API',
      css: [{ filename: 'plimsoll.css', content: '.topbar { display: none }' }],
    },
  })
}

async function describe(app: App, version: string, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plimsoll',
        version,
        description:
          'Knows what is inside every firmware version, which of it is vulnerable, and which devices run it.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key: plm_ and 40 characters',
          },
          deviceKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'A device key: plmd_ and 40 characters',
          },
        },
      },
      security: [{ apiKey: [] }],
    },
    // Named as they are: `Problem`, not `def-0`.
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
    },
    transform: ({ schema, url, route }) => ({
      schema: withAnswers(withScope(schema, route.config?.scope)),
      url,
    }),
  })
}

const ANSWERED: Record<string, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted' }

/** What every route may answer, and words for what it answers when all is well. */
function withAnswers<Schema extends FastifySchema>(schema: Schema): Schema {
  const { response, body, consumes } = schema
  if (typeof response !== 'object' || response === null) return schema
  const answers = Object.entries(response).map(([status, answer]: [string, object]) => [
    status,
    status in ANSWERED ? { description: ANSWERED[status], ...answer } : answer,
  ])
  const isJson = body !== undefined && consumes === undefined
  const common = problems(500, ...(isJson ? [413, 415] : []))
  return { ...schema, response: { ...common, ...Object.fromEntries(answers) } }
}

function withScope<Schema extends object>(schema: Schema, scope: string | undefined): Schema {
  if (scope === undefined || !schema) return schema
  const text = `Needs the scope \`${scope}\`.`
  const described = 'description' in schema && typeof schema.description === 'string'
  return { ...schema, description: described ? `${String(schema.description)}\n\n${text}` : text }
}

export interface RateLimitOptions {
  /** 0: no limit. */
  perMinute: number
  /** Whom the requests are counted of, in a word. */
  who: 'key' | 'device' | 'address'
  keyOf: (request: FastifyRequest) => string
}

/** So many are counted at once; of more, those that asked least recently begin anew. */
const COUNTED = 100_000

/** Counted after the key was checked; what carries no valid key got its 401 before. */
export async function installRateLimit(
  app: FastifyInstance,
  { perMinute, who, keyOf }: RateLimitOptions,
): Promise<void> {
  if (perMinute === 0) return
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: COUNTED,
    hook: 'preParsing',
    keyGenerator: keyOf,
    errorResponseBuilder: (_request, { ttl }) =>
      new AppError(
        'rateLimited',
        'rate-limited',
        `This ${who} made more than ${perMinute} requests in a minute. Go on in ${Math.ceil(ttl / 1000)} s.`,
      ),
  })
}

function installRequestLog(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url } = request
    const ms = Math.round(reply.elapsedTime)
    // The query may hold the signature of a content link.
    request.log.info({ method, path: url.split('?')[0], status: reply.statusCode, ms }, 'request')
    done()
  })
}

/** Requests in flight end; new ones on connections still open are told to come back. */
function installClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    done()
  })
  app.addHook('onRequest', (_request, reply, done) => {
    if (!closing) return done()
    void reply.header('connection', 'close')
    done(
      new AppError(
        'unavailable',
        'shutting-down',
        'The service is shutting down. Try again shortly.',
      ),
    )
  })
}

interface ClientSocket {
  writable: boolean
  end: (text: string) => void
}

/** What is no HTTP at all still gets a problem. */
function answerBrokenRequest(error: Error & { code?: string }, socket: ClientSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, title, known] = brokenRequest(error.code)
  const body = JSON.stringify({ ...problemOf(known), title, status })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
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
      const detail = 'This is no valid HTTP request.'
      return [400, 'Bad Request', new AppError('invalid', 'malformed-request', detail)]
    }
  }
}
