/** Posts to servers that others name: one attempt, no redirects, bounded in time and in what is read of the answer. */
import { isIP } from 'node:net'
import type { LookupAddress } from 'node:dns'
import { request } from 'undici'
import { type AllowedHost, reachOfAllowed } from './allowed-hosts.ts'
import {
  ANYWHERE,
  createDispatchers,
  type Dispatchers,
  literalHost,
  type Lookup,
  type Reach,
  refusalOfAll,
  systemLookup,
} from './dispatchers.ts'
import { asFailure, flat, parsedUrl, USER_AGENT } from './http-client.ts'
import { HttpFailure } from './http-failure.ts'
import { limitLookups } from './limit-lookups.ts'
import { proxyFor, type ProxySettings } from './proxies.ts'

export interface PostSettings {
  /** Certificates of an internal authority, in PEM, trusted besides the usual ones. */
  caFile: string | undefined
  proxies: ProxySettings
  connectMs: number
  /** From the first step to the last byte that is read of the answer. */
  totalMs: number
  /** Hosts that may have private addresses, and be reached without TLS. */
  allowedHosts: readonly AllowedHost[]
  /** Where the operator names them. */
  allowedBy: string
  lookup?: Lookup
}

interface Posted {
  status: number
  headers: Record<string, string>
  /** How the body begins. */
  text: string
}

export interface PostClient {
  post: (
    url: string,
    message: { headers: Record<string, string>; body: string },
    signal: AbortSignal,
  ) => Promise<Posted>
  /** Why nothing would be posted there; undefined: it would, or nobody can tell now. */
  refusalOf: (url: string) => Promise<string | undefined>
  close: () => Promise<void>
}

interface Way {
  dispatchers: Dispatchers
  reachOf: (url: URL) => Reach
  refusalOf: (url: string) => Promise<string | undefined>
  settings: PostSettings
}

/** Lookups use the threads that files are read with, of which there are four. */
const LOOKUPS_AT_ONCE = 2

export function createPostClient(settings: PostSettings): PostClient {
  const { caFile, proxies, connectMs, totalMs, allowedHosts, allowedBy } = settings
  const lookup = limitLookups(settings.lookup ?? systemLookup, LOOKUPS_AT_ONCE)
  const dispatchers = createDispatchers({
    caFile,
    proxies,
    connectMs,
    lookup,
    // No connection is kept: the next message may be hours away.
    options: { headersTimeout: totalMs, bodyTimeout: totalMs, pipelining: 0, allowH2: false },
  })
  const reachOf = reachOfAllowed(allowedHosts, allowedBy)
  const refusalOf = async (text: string) => {
    const url = parsedUrl(text)
    const host = literalHost(url)
    const reach = reachOf(url)
    if (reach === ANYWHERE) return undefined
    const addresses = isIP(host)
      ? [{ address: host, family: 0 }]
      : await lookUp(host, { lookup, connectMs })
    return refusalOfAll(reach, host, addresses)
  }
  const way = { dispatchers, reachOf, refusalOf, settings }
  return {
    post: (url, message, signal) => post(way, url, { ...message, signal }),
    refusalOf,
    close: () => dispatchers.close(),
  }
}

interface Asked {
  lookup: Lookup
  connectMs: number
}

/** None where the name does not resolve, or not in time. */
function lookUp(host: string, { lookup, connectMs }: Asked): Promise<LookupAddress[]> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve([]), connectMs)
    lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(patience)
      resolve(error ? [] : addresses)
    })
  })
}

interface Message {
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

async function post(way: Way, to: string, message: Message): Promise<Posted> {
  const { totalMs, proxies } = way.settings
  const url = parsedUrl(to)
  const deadline = AbortSignal.timeout(totalMs)
  const signal = AbortSignal.any([message.signal, deadline])
  try {
    // A proxy in one's own network resolves the name itself, and may not refuse what is near.
    if (proxyFor(url, proxies) !== undefined) await requireReach(way, to)
    const answer = await request(url, {
      method: 'POST',
      dispatcher: way.dispatchers.for(url, way.reachOf(url)),
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...message.headers },
      body: message.body,
      signal,
    })
    const text = await beginningOf(answer.body)
    return { status: answer.statusCode, headers: flat(answer.headers), text }
  } catch (error) {
    if (deadline.aborted && !message.signal.aborted)
      throw new HttpFailure(`${url.host} took longer than ${totalMs / 1000} s.`, {
        isTransient: true,
      })
    throw asFailure(error, url.host, message.signal)
  }
}

async function requireReach(way: Way, url: string): Promise<void> {
  const refusal = await way.refusalOf(url)
  if (refusal !== undefined) throw new HttpFailure(refusal)
}

const READ_BYTES = 4 * 1024

/** The status is the answer: a body that breaks off or never ends takes nothing from it. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, READ_BYTES - bytes))
      bytes += chunk.length
      if (bytes >= READ_BYTES) break
    }
  } catch {
    // What came is kept.
  }
  return Buffer.concat(chunks).toString('utf8')
}
