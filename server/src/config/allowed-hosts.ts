import { type AllowedHost, parseAllowedHost } from '../platform/http-client/index.ts'
import type { SettingsReader } from './reader.ts'

/** Hosts in one's own network. */
export function readAllowedHosts(reader: SettingsReader, name: string): AllowedHost[] {
  return reader.list(name).flatMap((text) => {
    const allowed = parseAllowedHost(text)
    if (!allowed)
      reader.faults.push(
        `${name} names ${JSON.stringify(text)}, which is not a host, host:port, address or net such as 10.0.0.0/8.`,
      )
    return allowed ?? []
  })
}
