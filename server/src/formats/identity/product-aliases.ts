/**
 * Names of one upstream product. CPE vendors change with owners, projects move between hosts, and SBOM tools leave
 * vendors out; the version numbers stay the same. Each entry is a fact with the place that shows it.
 */
export interface ProductAliases {
  product: string
  /** Names that mean exactly this product: whoever has one of them has all of them. */
  keys: readonly string[]
  /**
   * Names from which it follows, but which may mean more: a source tree that builds several products, or
   * `cpe:*:product`, a name given without a vendor, or `package:name`, how distributions call its sources. They are
   * never looked up on this product's behalf.
   */
  from?: readonly string[]
  source: string
}
