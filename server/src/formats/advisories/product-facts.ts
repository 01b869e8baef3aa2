/** Facts about products that their advisories leave out: which ordering their versions have, which CPE they bear. */
import type { VersionScheme } from '../versions/schemes.ts'
import { nameKey } from './keys.ts'

/** `vendor:product` of a CPE → its own ordering, where dotted numbers do not order as anywhere else. */
const SCHEMES = new Map<string, VersionScheme>([
  ['linux:linux_kernel', 'kernel'],
  ['linux:kernel', 'kernel'],
  ['kernel:linux_kernel', 'kernel'],
  // 1.0.2zq follows 1.0.2z; letters are releases, not pre-releases (OpenSSL release strategy).
  ['openssl:openssl', 'openssl'],
])

export function schemeOfProduct(vendor: string, product: string): VersionScheme | undefined {
  return SCHEMES.get(`${vendor}:${product}`)
}

export interface CpeProduct {
  vendor: string
  product: string
}

/**
 * CNAs that name their one product in words while everybody else names it by its CPE. Other names are the business
 * of the alias table (`identity/aliases.ts`); these two decide the ordering, and the kernel's records use both.
 */
const CPE_OF_NAME = new Map<string | undefined, CpeProduct>([
  [nameKey('Linux', 'Linux'), { vendor: 'linux', product: 'linux_kernel' }],
  [nameKey('OpenSSL', 'OpenSSL'), { vendor: 'openssl', product: 'openssl' }],
])

export function cpeProductOfName(
  vendor: string | undefined,
  product: string,
): CpeProduct | undefined {
  return CPE_OF_NAME.get(nameKey(vendor, product))
}
