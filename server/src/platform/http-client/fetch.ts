/** `fetch` by way of the operator's proxies and certificates, for libraries that take one. */
import { fetch as undiciFetch, type RequestInit } from 'undici'
import { ANYWHERE, createDispatchers, lookUpBySystem } from './dispatchers.ts'
import type { HttpSettings } from './http-client.ts'

export type Fetch = (url: string, options: object) => Promise<Response>

/** For addresses that the operator has configured. */
export function createFetch({
  caFile,
  proxies,
  connectMs,
}: Pick<HttpSettings, 'caFile' | 'proxies' | 'connectMs'>): Fetch {
  const options = { headersTimeout: 10_000, bodyTimeout: 10_000, connections: 4 }
  const dispatchers = createDispatchers({
    caFile,
    proxies,
    connectMs,
    lookup: lookUpBySystem,
    options,
  })
  return async (url, init) => {
    const dispatcher = dispatchers.for(new URL(url), ANYWHERE)
    const answer = await undiciFetch(url, { ...(init as RequestInit), dispatcher })
    return answer
  }
}
