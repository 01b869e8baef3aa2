/** Facts that advisories leave out: the version scheme and the CPE of some products. */
import { findCpeScheme } from '../cpe.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { nameKey } from './keys.ts'

/** Undefined for products without a scheme of their own. */
export function findProductScheme(vendor: string, product: string): VersionScheme | undefined {
  const scheme = findCpeScheme({ vendor, product })
  return scheme === 'generic' ? undefined : scheme
}

export interface CpeProduct {
  vendor: string
  product: string
}

/**
 * CNAs that name their one product in words while others use its CPE. These two decide the version scheme, and the kernel's
 * records use both; all other names are in the alias table (`identity/aliases.ts`).
 */
const CPE_OF_NAME = new Map<string | undefined, CpeProduct>([
  [nameKey('Linux', 'Linux'), { vendor: 'linux', product: 'linux_kernel' }],
  [nameKey('OpenSSL', 'OpenSSL'), { vendor: 'openssl', product: 'openssl' }],
])

export function findCpeProduct(
  vendor: string | undefined,
  product: string,
): CpeProduct | undefined {
  return CPE_OF_NAME.get(nameKey(vendor, product))
}
