import { type ApiClient, createApiClient } from '@plimsoll/api-client'
import { fetchWithKey } from './keyed-fetch.ts'

/** The service that served this page; the session is in a cookie that scripts cannot read. */
export const api: ApiClient = createApiClient({
  baseUrl: globalThis.location.origin,
  fetch: fetchWithKey,
})
