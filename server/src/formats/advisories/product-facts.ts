/** Facts about products that their advisories leave out: which ordering their versions have, which CPE they bear. */
import { schemeOfCpe } from '../cpe.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { nameKey } from './keys.ts'

/** Undefined where the versions are in no order of their own. */
export function schemeOfProduct(vendor: string, product: string): VersionScheme | undefined {
  const scheme = schemeOfCpe({ vendor, product })
  return scheme === 'generic' ? undefined : scheme
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
