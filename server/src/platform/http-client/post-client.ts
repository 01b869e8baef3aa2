/** Posts to servers that members name: one attempt, no redirects, limited in time and in the bytes of the answer. */
import { isIP } from 'node:net'
import { request } from 'undici'
import { type AllowedHosts, reachOfAllowed } from './allowed-hosts.ts'
import {
  createDispatchers,
  type Dispatchers,
  type Lookup,
  type Reach,
  lookUpBySystem,
} from './dispatchers.ts'
import { startDeadline } from '../deadline.ts'
import { asFailure, flattenHeaders, parseUrl, USER_AGENT } from './http-client.ts'
import { HttpFailure } from './http-failure.ts'
import { limitLookups } from './limit-lookups.ts'
import type { ProxySettings } from './proxies.ts'

/** Allowed hosts may also be reached without TLS. */
export interface PostSettings extends AllowedHosts {
  /** Certificates of an internal authority, in PEM, trusted in addition to the usual ones. */
  caFile: string | undefined
  proxies: ProxySettings
  connectMs: number
  /** The time from the lookup to the last byte of the answer. */
  totalMs: number
  lookup?: Lookup
}

interface PostAnswer {
  status: number
  headers: Record<string, string>
  /** The beginning of the body. */
  text: string
}

export interface PostClient {
  post: (
    url: string,
    message: { headers: Record<string, string>; body: string },
    signal: AbortSignal,
  ) => Promise<PostAnswer>
  /** Why posts to the URL are refused. undefined: they are not, or the name does not resolve now. */
  refusalOf: (url: string) => Promise<string | undefined>
  close: () => Promise<void>
}

interface Way {
  dispatchers: Dispatchers
  reachOf: (url: URL) => Reach
  settings: PostSettings
}

/** Lookups use the four threads that also read files. */
const LOOKUPS = { all: 2, each: 1 }

export function createPostClient(settings: PostSettings): PostClient {
  const { caFile, proxies, connectMs } = settings
  const lookup = limitLookups(settings.lookup ?? lookUpBySystem, { ...LOOKUPS, waitMs: connectMs })
  const dispatchers = createDispatchers({
    caFile,
    proxies,
    connectMs,
    lookup,
    // Closes the connection, as the next message may be hours away. The deadline of the attempt is the limit of its parts.
    options: { headersTimeout: 0, bodyTimeout: 0, pipelining: 0, allowH2: false },
  })
  const reachOf = reachOfAllowed(settings, { needsTls: true })
  const way = { dispatchers, reachOf, settings }
  return {
    post: (url, message, signal) => post(way, url, { ...message, signal }),
    refusalOf: async (text) => {
      const url = parseUrl(text)
      return dispatchers.findRefusal(url, reachOf(url))
    },
    close: () => dispatchers.close(),
  }
}

interface Message {
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

async function post(way: Way, to: string, message: Message): Promise<PostAnswer> {
  const { totalMs } = way.settings
  const url = parseUrl(to)
  const deadline = startDeadline(totalMs)
  const signal = AbortSignal.any([message.signal, deadline.signal])
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: await way.dispatchers.find(url, way.reachOf(url)),
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...message.headers },
      body: message.body,
      signal,
    })
    const text = await readBeginning(answer.body)
    return { status: answer.statusCode, headers: flattenHeaders(answer.headers), text }
  } catch (error) {
    if (deadline.signal.aborted && !message.signal.aborted)
      throw new HttpFailure(`${url.host} took longer than ${totalMs / 1000} s.`, {
        isTransient: true,
      })
    throw withoutAddresses(asFailure(error, url.host, message.signal), url)
  } finally {
    deadline.end()
  }
}

const ADDRESS =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[?(?:[\da-f]{0,4}:){2,}[\da-f.]*\]?(?::\d+)?/gi

/** Members see the failure: where a host of the internal network is, is not for them. */
function withoutAddresses(failure: Error, { host }: URL): Error {
  if (!(failure instanceof HttpFailure) || isIP(host.replace(/:\d+$|[[\]]/g, '')) > 0)
    return failure
  const text = failure.message.replaceAll(ADDRESS, '(address)')
  return new HttpFailure(text, { isTransient: failure.isTransient, cause: failure })
}

const READ_BYTES = 4 * 1024

/** The status is the answer, even if the body breaks off or does not end. */
async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, READ_BYTES - bytes))
      bytes += chunk.length
      if (bytes >= READ_BYTES) break
    }
  } catch {
    // Keeps what was received.
  }
  return Buffer.concat(chunks).toString('utf8')
}
