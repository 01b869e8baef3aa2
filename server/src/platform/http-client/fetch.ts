/** `fetch` by way of the operator's proxies and certificates, for libraries that take one. */
import { fetch as undiciFetch, type RequestInit } from 'undici'
import { reachOfAllowed } from './allowed-hosts.ts'
import { createDispatchers, lookUpBySystem } from './dispatchers.ts'
import type { HttpSettings } from './http-client.ts'

export type Fetch = (url: string, options: object) => Promise<Response>

interface FetchSettings extends Pick<
  HttpSettings,
  'caFile' | 'proxies' | 'connectMs' | 'allowedHosts' | 'allowedBy'
> {
  /** The longest silence. */
  timeoutMs: number
  /** The longest answer, unpacked. */
  mostBytes: number
}

/** Follows no redirect: its address would not be looked at. */
export function createFetch(settings: FetchSettings): Fetch {
  const { caFile, proxies, connectMs, timeoutMs, mostBytes } = settings
  const options = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connections: 4 }
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
    if (!answer.body) return answer
    const { status, statusText, headers } = answer
    const body = answer.body.pipeThrough(limitBytes(mostBytes))
    return new Response(body, { status, statusText, headers })
  }
}

function limitBytes(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > most) throw new Error(`The answer is too large: more than ${most} bytes.`)
      controller.enqueue(chunk)
    },
  })
}
