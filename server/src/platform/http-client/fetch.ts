/** `fetch` by way of the operator's proxies and certificates, for libraries that take one. */
import { fetch as undiciFetch, type RequestInit } from 'undici'
import { reachOfAllowed } from './allowed-hosts.ts'
import { createDispatchers, lookUpBySystem } from './dispatchers.ts'
import type { HttpSettings } from './http-client.ts'

export type Fetch = (url: string, options: object) => Promise<Response>

type FetchSettings = Pick<
  HttpSettings,
  'caFile' | 'proxies' | 'connectMs' | 'allowedHosts' | 'allowedBy'
>

/** Follows no redirect: its address would not be looked at. */
export function createFetch(settings: FetchSettings): Fetch {
  const { caFile, proxies, connectMs } = settings
  const options = { headersTimeout: 10_000, bodyTimeout: 10_000, connections: 4 }
  const dispatchers = createDispatchers({
    caFile,
    proxies,
    connectMs,
    lookup: lookUpBySystem,
    options,
  })
  const reachOf = reachOfAllowed(settings, { needsTls: true })
  return async (text, init) => {
    const url = new URL(text)
    const dispatcher = await dispatchers.find(url, reachOf(url))
    const answer = await undiciFetch(url, {
      ...(init as RequestInit),
      redirect: 'manual',
      dispatcher,
    })
    return answer
  }
}
