/** Which hosts webhooks may reach, and how long their servers may take. */
import { type AllowedHost, parseAllowedHost } from '../platform/http-client/index.ts'
import type { SettingsReader } from './reader.ts'

export interface WebhookSettings {
  /** Hosts in one's own network: they may have private addresses and be reached without TLS. */
  allowedHosts: readonly AllowedHost[]
  connectMs: number
  totalMs: number
}

export const ALLOWED_HOSTS = 'PLIMSOLL_WEBHOOK_ALLOWED_HOSTS'

export function readWebhooks(reader: SettingsReader): WebhookSettings {
  const allowedHosts = reader.list(ALLOWED_HOSTS).flatMap((name) => {
    const allowed = parseAllowedHost(name)
    if (!allowed)
      reader.faults.push(
        `${ALLOWED_HOSTS} names ${JSON.stringify(name)}, which is not a host, host:port, address or net such as 10.0.0.0/8.`,
      )
    return allowed ?? []
  })
  return { allowedHosts, connectMs: 5_000, totalMs: 15_000 }
}
