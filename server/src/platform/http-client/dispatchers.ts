/** The way of requests: proxies, trusted certificates, and the addresses that they may reach. */
import { type LookupAddress, type LookupAllOptions, lookup as dnsLookup } from 'node:dns'
import { readFileSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { getCACertificates } from 'node:tls'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { HttpFailure } from './http-failure.ts'
import { findProxy, type ProxySettings } from './proxies.ts'

/** Which addresses a host may have. */
export interface Reach {
  /** Identifies the rule, as dispatchers are kept by it. */
  name: string
  /** Why the address is refused. undefined: it is allowed. */
  refusal: (host: string, address: string) => string | undefined
}

export const ANYWHERE: Reach = { name: 'anywhere', refusal: () => undefined }

export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export const lookUpBySystem: Lookup = (hostname, options, callback) => {
  dnsLookup(hostname, options, callback)
}

export interface DispatcherSettings {
  /** Certificates of an internal authority, in PEM, trusted in addition to the usual ones. */
  caFile: string | undefined
  proxies: ProxySettings
  connectMs: number
  lookup: Lookup
  options: Agent.Options
}

export interface Dispatchers {
  /** Refuses a host that is out of reach. */
  find: (url: URL, reach: Reach) => Promise<Dispatcher>
  /** Why requests to the URL are refused. undefined: they are not, or the name does not resolve now. */
  findRefusal: (url: URL, reach: Reach) => Promise<string | undefined>
  close: () => Promise<void>
}

export function createDispatchers(settings: DispatcherSettings): Dispatchers {
  const dispatchers = new Map<string, Dispatcher>()
  const ca = certificates(settings.caFile)
  return {
    findRefusal: (url, reach) => findRefusalOf(settings, url, reach),
    find: async (url, reach) => {
      const proxy = findProxy(url, settings.proxies)
      // A host that is an address is not looked up. A proxy resolves names itself, and may not refuse private addresses.
      if (proxy !== undefined || isIP(readLiteralHost(url)) > 0) {
        const refusal = await findRefusalOf(settings, url, reach)
        if (refusal !== undefined) throw new HttpFailure(refusal)
      }
      const key = `${proxy ?? ''} ${reach.name}`
      const dispatcher = dispatchers.get(key) ?? makeDispatcher(settings, { proxy, reach, ca })
      dispatchers.set(key, dispatcher)
      return dispatcher
    },
    close: async () => {
      for (const dispatcher of dispatchers.values()) await dispatcher.destroy()
    },
  }
}

/** The certificates that Node trusts (NODE_EXTRA_CA_CERTS included), and the operator's own. */
function certificates(caFile: string | undefined): string[] | undefined {
  if (caFile === undefined) return undefined
  return [...getCACertificates('default'), readFileSync(caFile, 'utf8')]
}

interface Route {
  proxy: string | undefined
  reach: Reach
  ca: string[] | undefined
}

function makeDispatcher(settings: DispatcherSettings, { proxy, reach, ca }: Route): Dispatcher {
  const { connectMs, lookup, options } = settings
  const tls = { timeout: connectMs, ...(ca && { ca }) }
  if (proxy !== undefined)
    return new ProxyAgent({ uri: proxy, requestTls: tls, proxyTls: tls, ...options })
  const connect = reach === ANYWHERE ? tls : { ...tls, lookup: guardedLookup(lookup, reach) }
  return new Agent({ connect, ...options })
}

/**
 * Node connects to the addresses that this answers. There is no second lookup that could answer other addresses
 * (DNS rebinding).
 */
function guardedLookup(lookup: Lookup, reach: Reach): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const refusal = refuseAny(reach, hostname, addresses)
      if (refusal !== undefined) return callback(new HttpFailure(refusal), '', 0)
      const [first] = addresses
      if (options.all === true) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family ?? 0)
    })
  }
}

function refuseAny(
  reach: Reach,
  hostname: string,
  addresses: readonly LookupAddress[],
): string | undefined {
  for (const { address } of addresses) {
    const refusal = reach.refusal(hostname, address)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function readLiteralHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

async function findRefusalOf(
  { lookup, connectMs }: DispatcherSettings,
  url: URL,
  reach: Reach,
): Promise<string | undefined> {
  if (reach === ANYWHERE) return undefined
  const host = readLiteralHost(url)
  const addresses =
    isIP(host) > 0 ? [{ address: host, family: 0 }] : await lookUp(host, { lookup, connectMs })
  return refuseAny(reach, host, addresses)
}

/** Empty when the name does not resolve in time. */
function lookUp(
  host: string,
  { lookup, connectMs }: Pick<DispatcherSettings, 'lookup' | 'connectMs'>,
): Promise<LookupAddress[]> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve([]), connectMs)
    lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(patience)
      resolve(error ? [] : addresses)
    })
  })
}
