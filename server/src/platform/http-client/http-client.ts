/** Downloads from servers on the internet and mirrors in one's own network: see docs/guide/feeds.md. */
import { request } from 'undici'
import { type AllowedHosts, reachOfAllowed } from './allowed-hosts.ts'
import {
  createDispatchers,
  type Dispatchers,
  type Lookup,
  type Reach,
  lookUpBySystem,
} from './dispatchers.ts'
import { HttpFailure } from './http-failure.ts'
import type { ProxySettings } from './proxies.ts'
import { type RetrySettings, retryAfterMs } from './retry-delay.ts'
import { readCode } from '../errors.ts'

export interface HttpSettings extends AllowedHosts {
  /** Certificates of an internal authority, in PEM, trusted in addition to the usual ones. */
  caFile: string | undefined
  proxies: ProxySettings
  connectMs: number
  /** The longest silence: before an answer begins, and within it. */
  idleMs: number
  /** The longest a download may take with all its attempts. */
  totalMs: number
  maxBytes: number
  retry: RetrySettings
  lookup?: Lookup
  /** Only allowed hosts are reached without TLS. */
  needsTls?: boolean
}

export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: AsyncIterable<Uint8Array>
  /** Ends the connection when the body is not read to its end. */
  discard: () => Promise<void>
  url: string
}

export interface HttpClient {
  settings: HttpSettings
  /** One attempt, redirects followed; statuses other than 2xx, 304, 412 and 416 are failures. */
  get: (url: string, headers: Record<string, string>, signal: AbortSignal) => Promise<HttpResponse>
  close: () => Promise<void>
}

const MAX_REDIRECTS = 5
export const USER_AGENT = 'plimsoll'

export function createHttpClient(settings: HttpSettings): HttpClient {
  const { caFile, proxies, connectMs, idleMs } = settings
  const dispatchers = createDispatchers({
    caFile,
    proxies,
    connectMs,
    lookup: settings.lookup ?? lookUpBySystem,
    options: { headersTimeout: idleMs, bodyTimeout: idleMs, connections: 4 },
  })
  const reachOf = reachOfAllowed(settings, { needsTls: settings.needsTls ?? false })
  return {
    settings,
    get: (url, headers, signal) => follow({ dispatchers, reachOf }, url, { headers, signal }),
    close: () => dispatchers.close(),
  }
}

interface Way {
  dispatchers: Dispatchers
  reachOf: (url: URL) => Reach
}

interface RequestHead {
  headers: Record<string, string>
  signal: AbortSignal
}

async function follow(way: Way, from: string, asked: RequestHead): Promise<HttpResponse> {
  let url = parseUrl(from)
  let { headers } = asked
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await once(way, url, { ...asked, headers })
    const target = redirectTarget(response, url)
    if (target === undefined) return checked(response)
    await response.discard()
    if (url.protocol === 'https:' && target.protocol === 'http:')
      throw new HttpFailure(`${url.host} redirects from https to http, to ${target.host}.`)
    // Keys are not sent to another origin after a redirect.
    if (target.origin !== url.origin) headers = withoutCredentials(headers)
    url = target
  }
  throw new HttpFailure(`${from} redirects more than ${MAX_REDIRECTS} times.`)
}

/** Lower case; `apikey` is NVD's. */
const CREDENTIALS = new Set(['apikey', 'authorization', 'cookie', 'proxy-authorization'])

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name.toLowerCase())),
  )
}

export function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url
  throw new HttpFailure(`${text} is not an address that starts with http:// or https://.`)
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function redirectTarget({ status, headers }: HttpResponse, base: URL): URL | undefined {
  const { location } = headers
  if (!REDIRECTS.has(status) || location === undefined) return undefined
  const target = URL.parse(location, base.href)
  if (!target)
    throw new HttpFailure(`${base.host} redirects to ${location}, which is not an address.`)
  return parseUrl(target.href)
}

async function once(way: Way, url: URL, { headers, signal }: RequestHead): Promise<HttpResponse> {
  try {
    const answer = await request(url, {
      dispatcher: await way.dispatchers.find(url, way.reachOf(url)),
      // Asks for no encoding: gzip files are kept as they are, and ranges count stored bytes.
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...headers },
      signal,
    })
    return {
      status: answer.statusCode,
      headers: flattenHeaders(answer.headers),
      body: answer.body,
      discard: () => answer.body.dump({ limit: 1024 }).catch(() => undefined),
      url: url.href,
    }
  } catch (error) {
    throw asFailure(error, url.host, signal)
  }
}

export function flattenHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value[0] ?? '') : (value ?? ''),
    ]),
  )
}

const MEANT = new Set([304, 412, 416])
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504])

async function checked(response: HttpResponse): Promise<HttpResponse> {
  const { status, headers, url } = response
  if ((status >= 200 && status < 300) || MEANT.has(status)) return response
  await response.discard()
  throw new HttpFailure(`${url.split('?')[0]} answered ${status}.`, {
    status,
    isTransient: TRANSIENT.has(status),
    retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
    challenge: headers['www-authenticate'],
  })
}

/** Failures below HTTP may be retried, except refusals of this client. */
export function asFailure(error: unknown, host: string, signal: AbortSignal): Error {
  if (error instanceof HttpFailure) return error
  if (signal.aborted) return signal.reason instanceof Error ? signal.reason : new Error('aborted')
  const cause = findCause(error)
  if (cause instanceof HttpFailure) return cause
  const code = readCode(cause)
  // Another attempt does not help against errors of the disk.
  if (DISK_FAULTS.test(code)) return cause
  const text = cause.message
  return new HttpFailure(`${host}: ${TEXTS[code] ?? (text === '' ? code : text)}`, {
    isTransient: !code.startsWith('ERR_TLS') && !CERTIFICATE_FAULTS.test(code),
    cause: error,
  })
}

function findCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? error.cause : error
}

const DISK_FAULTS = /^(?:ENOSPC|EDQUOT|EROFS|EACCES|EIO|EMFILE|ENOENT|EISDIR)$/
const CERTIFICATE_FAULTS = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/

const TEXTS: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time limit',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within the time limit',
  UND_ERR_BODY_TIMEOUT: 'the answer stalled',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter than announced',
  ENOTFOUND: 'the name does not exist',
  ECONNREFUSED: 'the connection was refused',
}
