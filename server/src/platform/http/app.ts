/** The HTTP server before any slice: limits, problems, request ids, API description, shutdown. */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import rateLimit from '@fastify/rate-limit'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, {
  LogController,
  type FastifyTypeProvider,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Static, TSchema } from 'typebox'
import { ASKS_FOR_CERTIFICATES, type Certificate, createTlsOptions } from '../certificate.ts'
import { paceHandshakes } from '../handshakes.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { type DoorLimits, installDoor } from './door.ts'
import { KeyTries } from '../key-tries.ts'
import { answerBrokenRequest, LATE, LENIENT } from './broken-request.ts'
import { installDescription } from './description.ts'
import { asAppError, installProblems, type PageOf, sendProblem } from './problems.ts'
import { installJsonBodies } from './json-body.ts'
import { type FindActor, installRequestLog, type RequestLog } from './request-log.ts'
import { installRequestMetrics } from './request-metrics.ts'
import { listSecurityHeaders } from './security-headers.ts'
import { installRequestSpans } from '../tracing/request-spans.ts'
import type { TimestampText } from './schemas.ts'
import { compileValidator } from './validation.ts'

/**
 * Requests and answers have the types of their schemas. Tests also check answers when they are sent: only then do dates
 * and texts of rows have the form of the schema.
 */
interface RouteTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Sent<Static<this['schema']>> : unknown
}

/** A stream and a buffer are the answer already. */
type Sent<Value> = Answer<Value> | Readable | Buffer | (Value extends null ? undefined : never)

/** What is sent as such a value: rows have dates where the schema has their texts. */
export type Answer<Value> = Value extends TimestampText
  ? string | Date
  : Value extends readonly (infer Item)[]
    ? readonly Answer<Item>[]
    : Value extends object
      ? {
          [Key in keyof Value]:
            | Answer<Value[Key]>
            | (undefined extends Value[Key] ? undefined : never)
        }
      : Value

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
  /** See `listSecurityHeaders`. */
  coversSubdomains?: boolean
  tls: Certificate | undefined
  /** Whether clients are asked for a certificate; none has to have one. */
  asksForCertificates?: boolean
  /** TLS handshakes of one address; 0: any number. */
  handshakesPerSecond?: number | undefined
  /** Whose `X-Forwarded-…` headers are believed: addresses and nets, or the number of proxies. */
  trustedProxies: string[] | number
  /** Serve pages at /docs that show the API. */
  showsDocs: boolean
  door: DoorLimits
  /** Those of all doors of the node; of this app alone if left out. */
  tries?: KeyTries
  /** The path of the portal's page about what a route's parameters name. */
  pageOf?: PageOf | undefined
  /** Gets how long requests take. */
  metrics?: Registry | undefined
  /** Tells nothing of who asks if left out. */
  requestLog?: RequestLog
  findActor?: FindActor
}

const NOBODY: RequestLog = { actor: false, address: false }
const BODY_BYTES = 1024 * 1024
/** Limits the time of an upload, so that it ends before the sweep deletes its files as left-overs. */
const REQUEST_MS = 50 * 60_000

/** How often connections are looked at whose request does not arrive. */
const CHECK_MS = 5_000

/** Fastify does not count proxies itself: it warns of ports that are reachable past them, and so does the guide. */
function chooseTrust(proxies: AppOptions['trustedProxies']) {
  if (typeof proxies === 'number') return (_address: string, place: number) => place < proxies
  return proxies.length > 0 && proxies
}

// eslint-disable-next-line max-lines-per-function
export async function createApp({
  log,
  version,
  publicUrl,
  coversSubdomains = false,
  tls,
  asksForCertificates = false,
  handshakesPerSecond,
  trustedProxies,
  showsDocs,
  door,
  tries = new KeyTries(),
  pageOf,
  metrics,
  requestLog = NOBODY,
  findActor = () => undefined,
}: AppOptions): Promise<App> {
  const loggerInstance: FastifyBaseLogger = log
  const headers = listSecurityHeaders({ publicUrl, coversSubdomains })
  const addressOf = (path: string | undefined) => path && publicUrl + path
  // Kept out of the types: the app is used alike with and without TLS.
  const secure: object = tls
    ? {
        https: {
          ...createTlsOptions(tls),
          ...(asksForCertificates && ASKS_FOR_CERTIFICATES),
          connectionsCheckingInterval: CHECK_MS,
          ...LENIENT,
        },
      }
    : {}
  const app = Fastify({
    loggerInstance,
    ...secure,
    trustProxy: chooseTrust(trustedProxies),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES,
    genReqId: () => newId(),
    // Ids of any length reach their route, which answers 404.
    routerOptions: { maxParamLength: 16_384 },
    requestTimeout: REQUEST_MS,
    ...(!tls && { http: { connectionsCheckingInterval: CHECK_MS, ...LENIENT } }),
    forceCloseConnections: 'idle',
    // The hook below answers with a problem while the server closes.
    return503OnClosing: false,
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply.headers(headers), asAppError(error))
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, headers),
  }).withTypeProvider<RouteTypes>()
  paceHandshakes(app.server, handshakesPerSecond)
  installJsonBodies(app)
  app.setValidatorCompiler(compileValidator)
  // Answers are sent as they are. Tests check each against its schema (server/test/answers.ts).
  app.setSerializerCompiler(() => JSON.stringify)
  installRequestSpans(app)
  if (metrics) installRequestMetrics(app, metrics)
  installProblems(app, pageOf && ((params) => addressOf(pageOf(params))))
  const answerLate = (socket: Socket) => answerBrokenRequest(LATE, socket, headers)
  installDoor(app, { limits: door, tries, headers, answerLate })
  installHeaders(app, headers)
  installRequestLog(app, requestLog, findActor)
  installClosing(app)
  await installDescription(app, version, publicUrl)
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

export interface RateLimitOptions {
  /** 0: no limit. */
  perMinute: number
  /** Whose requests are counted, for the text of the problem. */
  who: 'key' | 'person' | 'device' | 'address'
  keyOf: (request: FastifyRequest) => string
}

/** The number of counters that are kept. Beyond it, the counter that is unused for longest is dropped. */
const COUNTED = 100_000

/** Counts after the key is checked. Requests without a valid key got 401 before. */
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

/** Before hooks that refuse, so that their answers have the headers too. */
function installHeaders(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === 304) for (const header of OF_PAGES) void reply.removeHeader(header)
    done(null, payload)
  })
}

/** A browser replaces what it has kept with the headers of a 304 (RFC 9111, section 3.2): a page would lose its styles. */
const OF_PAGES = ['content-security-policy', 'referrer-policy']

/** On shutdown, requests in flight end, and new ones on open connections are answered with a problem. */
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
