/** Whom an address stands for: of IPv6, whoever has one address usually has all of its /64 (RFC 6177). */
export function groupAddress(address: string): string {
  if (!address.includes(':')) return address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  const [before = '', after] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  const rest = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':')
}
