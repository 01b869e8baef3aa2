/**
 * Requests that change something carry an `Idempotency-Key`, so that one whose answer was lost is repeated without being done
 * twice: once by itself, and then whenever the same is asked for again.
 */

const PAUSE_MS = 1000
const KEY_BYTES = 16

/** The keys of requests that have no answer yet, by what the requests ask for. */
const unanswered = new Map<string, string>()

export async function fetchWithKey(url: string, init: RequestInit): Promise<Response> {
  const { method = 'GET', body } = init
  // Files are not compared with one another: the service would take two for one.
  if (method === 'GET' || (body !== undefined && typeof body !== 'string')) return fetch(url, init)
  const asked = [method, url, body].join('\n')
  const key = unanswered.get(asked) ?? newKey()
  unanswered.set(asked, key)
  const headers = new Headers(init.headers)
  headers.set('idempotency-key', key)
  const keyed = { ...init, headers }
  const response = await fetch(url, keyed).catch(() => fetchLater(url, keyed))
  unanswered.delete(asked)
  return response
}

async function fetchLater(url: string, init: RequestInit): Promise<Response> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  return fetch(url, init)
}

/** `crypto.randomUUID` is missing where the portal is served without TLS. */
export function createUuid(): string {
  const hex = newKey()
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20)].join('-')
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
