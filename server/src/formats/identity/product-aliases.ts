import type { PairOrigin } from './canonical.ts'

interface RelatedName {
  key: string
  origin?: Extract<PairOrigin, 'whole' | 'other part'>
}

/**
 * Names of one upstream product. CPE vendors change with owners, projects move between hosts, and SBOM tools leave
 * vendors out; the version numbers stay the same. Each entry is a fact with the place that shows it.
 */
export interface ProductAliases {
  product: string
  /** Names that mean exactly this product: a package with one of them has all of them. */
  keys: readonly string[]
  /**
   * Names that imply the product but may mean more: a source tree of several products, `cpe:*:product` without a vendor, or
   * `package:name`, the name of a distribution's source package. They are never looked up for this product.
   */
  from?: readonly string[]
  /**
   * Names of its parts, or of what it is a part of, by which a package is looked up that states one of the keys itself. They do
   * not imply the product.
   */
  related?: readonly RelatedName[]
  source: string
}
