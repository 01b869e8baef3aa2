import { PRODUCT_ALIASES } from './aliases.ts'
import type { ProductAliases } from './product-aliases.ts'

const VENDORLESS = 'cpe:*:'

/**
 * `pkg:generic/linux_kernel` is another spelling of the product without vendor: some tools write both for one component,
 * some only the CPE, and the package is the same.
 */
const PRODUCTS: readonly ProductAliases[] = PRODUCT_ALIASES.map(
  ({ keys, from = [], ...about }) => ({
    ...about,
    keys: [
      ...keys,
      ...from
        .filter((key) => key.startsWith(VENDORLESS))
        .map((key) => `purl:generic/${key.slice(VENDORLESS.length)}`),
    ],
    from,
  }),
)

const BY_KEY = new Map<string, ProductAliases[]>()
for (const product of PRODUCTS)
  for (const key of new Set([...product.keys, ...(product.from ?? [])]))
    BY_KEY.set(key, [...(BY_KEY.get(key) ?? []), product])

/** The products of a key; none for most keys. */
export function findAliasedProducts(key: string): readonly ProductAliases[] {
  return BY_KEY.get(key) ?? []
}
