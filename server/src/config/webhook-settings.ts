/** Which hosts webhooks may reach, and how long their servers may take. */
import type { AllowedHost } from '../platform/http-client/index.ts'
import { readAllowedHosts } from './allowed-hosts.ts'
import type { SettingsReader } from './reader.ts'

export interface WebhookSettings {
  /** Hosts in one's own network: they may have private addresses and be reached without TLS. */
  allowedHosts: readonly AllowedHost[]
  connectMs: number
  totalMs: number
}

export const ALLOWED_HOSTS = 'PLIMSOLL_WEBHOOK_ALLOWED_HOSTS'

export function readWebhooks(reader: SettingsReader): WebhookSettings {
  const allowedHosts = readAllowedHosts(reader, ALLOWED_HOSTS)
  return { allowedHosts, connectMs: 5_000, totalMs: 15_000 }
}
