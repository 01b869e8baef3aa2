import { BASE_ALIASES } from './alias-base.ts'
import { CRYPTO_ALIASES } from './alias-crypto.ts'
import { EMBEDDED_ALIASES } from './alias-embedded.ts'
import { listForkKeys } from './alias-forks.ts'
import { FORMAT_ALIASES } from './alias-formats.ts'
import { LANGUAGE_ALIASES } from './alias-languages.ts'
import { LIBRARY_ALIASES } from './alias-libraries.ts'
import { NETWORK_ALIASES } from './alias-network.ts'
import { SYSTEM_ALIASES } from './alias-systems.ts'
import type { ProductAliases } from './product-aliases.ts'

/** Raise it whenever an entry changes: packages of an older table are then identified again. */
export const ALIAS_TABLE_VERSION = 9

export const PRODUCT_ALIASES: readonly ProductAliases[] = [
  ...SYSTEM_ALIASES,
  ...LIBRARY_ALIASES,
  ...LANGUAGE_ALIASES,
  ...CRYPTO_ALIASES,
  ...EMBEDDED_ALIASES,
  ...NETWORK_ALIASES,
  ...FORMAT_ALIASES,
  ...BASE_ALIASES,
].map((one) => ({ ...one, from: [...(one.from ?? []), ...listForkKeys(one.product)] }))
