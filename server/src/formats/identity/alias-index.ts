import { PRODUCT_ALIASES } from './aliases.ts'
import type { ProductAliases } from './product-aliases.ts'

const BY_KEY = new Map<string, ProductAliases[]>()
for (const product of PRODUCT_ALIASES)
  for (const key of [...product.keys, ...(product.from ?? [])])
    BY_KEY.set(key, [...(BY_KEY.get(key) ?? []), product])

/** The products a key means; none for most keys. */
export function productsOf(key: string): readonly ProductAliases[] {
  return BY_KEY.get(key) ?? []
}
