/** What members of a product line are called. */
import type { ProductLine } from '@plimsoll/api-client'

/** Annex III and IV. */
export const CLASS_WORDS: Record<ProductLine['productClass'], string> = {
  Default: 'Default',
  ImportantI: 'Important, class I (Annex III)',
  ImportantII: 'Important, class II (Annex III)',
  Critical: 'Critical (Annex IV)',
}

export const ROLE_WORDS: Record<ProductLine['role'], string> = {
  Manufacturer: 'Manufacturer',
  Steward: 'Open-source software steward',
}
