/** Addresses that a public server can have. This machine, its network and the metadata addresses of clouds are not among them. */
import { BlockList, isIP } from 'node:net'

/**
 * IANA's special-purpose registries for IPv4 and IPv6. NAT64, 6to4 and their predecessors embed any IPv4
 * address and are refused.
 */
const SPECIAL: readonly (readonly [net: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

const refused = new BlockList()
for (const [net, prefix] of SPECIAL)
  refused.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4')

export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !refused.check(address, 'ipv4')
  if (version !== 6) return false
  // BlockList treats an IPv4 address that is written as IPv6 (RFC 4291 section 2.5.5.2) as IPv4.
  return !refused.check(address, 'ipv6')
}
