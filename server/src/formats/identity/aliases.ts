import { LIBRARY_ALIASES } from './alias-libraries.ts'
import { SYSTEM_ALIASES } from './alias-systems.ts'
import type { ProductAliases } from './product-aliases.ts'

/** Raised whenever an entry changes: packages identified by an older table are then identified again. */
export const ALIAS_TABLE_VERSION = 1

export const PRODUCT_ALIASES: readonly ProductAliases[] = [...SYSTEM_ALIASES, ...LIBRARY_ALIASES]
