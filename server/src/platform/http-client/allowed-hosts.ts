/** Hosts in the operator's own network that requests may reach. */
import { BlockList, isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { ANYWHERE, type Reach } from './dispatchers.ts'

/** A host by its name, on one port or any, or a net of addresses. */
export type AllowedHost =
  | { host: string; port: string | undefined }
  | { net: string; prefix: number }

/** `name`, `name:port`, `10.1.2.3`, `10.1.2.3:8080`, `[fd00::1]:8080`, `10.0.0.0/8`; undefined: none of these. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const [net = '', length, ...rest] = text.split('/')
  if (rest.length > 0) return undefined
  if (length !== undefined) return parseNet(net, length)
  const address = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address)) return { net: address, prefix: countBits(address) }
  const url = URL.parse(`http://${text}`)
  if (!url || url.hostname === '' || /[/?#@*]/.test(text)) return undefined
  const [, port] = /:(\d+)$/.exec(text) ?? []
  return { host: url.hostname, port: port && String(Number(port)) }
}

function parseNet(net: string, length: string): AllowedHost | undefined {
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Infinity
  return isIP(net) > 0 && prefix <= countBits(net) ? { net, prefix } : undefined
}

function countBits(address: string): number {
  return isIP(address) === 4 ? 32 : 128
}

/** The host of a URL that the operator wrote, on the URL's port. */
export function readAllowedHost(url: URL): AllowedHost {
  return { host: url.hostname, port: readPort(url) }
}

export interface AllowedHosts {
  /** Hosts that may have private addresses. */
  allowedHosts: readonly AllowedHost[]
  /** The setting in which the operator names them. */
  allowedBy: string
}

/**
 * Which addresses a URL may reach. A host that is allowed by name may reach any. Others may reach public addresses and
 * the allowed nets. Where TLS is needed, they reach only these nets without it.
 */
export function reachOfAllowed(
  { allowedHosts, allowedBy }: AllowedHosts,
  { needsTls }: { needsTls: boolean },
): (url: URL) => Reach {
  const nets = new BlockList()
  for (const one of allowedHosts)
    if ('net' in one) nets.addSubnet(one.net, one.prefix, findFamily(one.net))
  const isNear = (address: string) => isIP(address) > 0 && nets.check(address, findFamily(address))
  const secure: Reach = {
    name: 'secure',
    refusal: (host, address) =>
      isPublicAddress(address) || isNear(address)
        ? undefined
        : `${host} has no public address; only hosts that ${allowedBy} names may have a private one.`,
  }
  const plain: Reach = {
    name: 'plain',
    refusal: (host, address) =>
      isNear(address)
        ? undefined
        : `${host} needs https: only hosts that ${allowedBy} names are reached without.`,
  }
  const isNamed = (url: URL) =>
    allowedHosts.some((one) => 'host' in one && one.host === url.hostname && isPort(url, one.port))
  return (url) => (isNamed(url) ? ANYWHERE : needsTls && url.protocol !== 'https:' ? plain : secure)
}

function findFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

function isPort(url: URL, port: string | undefined): boolean {
  return port === undefined || port === readPort(url)
}

function readPort({ port, protocol }: URL): string {
  if (port !== '') return port
  return protocol === 'https:' ? '443' : '80'
}
