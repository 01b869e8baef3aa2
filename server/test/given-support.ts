/** Products and release cycles in the form in which endoflife.date publishes them (api/v1). */

/** A day; true: it has ended; false: no end is planned; null: nothing is said. */
type GivenEnd = string | boolean | null

export function supportCycle(name: string, end: GivenEnd, more: object = {}) {
  const eolFrom = typeof end === 'string' ? end : null
  const isEol = typeof end === 'boolean' ? end : end === null ? null : end < '2026-11-01'
  return { name, label: name, codename: null, isLts: false, isEol, eolFrom, latest: null, ...more }
}

export interface GivenProduct {
  name: string
  label: string
  identifiers: { type: string; id: string }[]
  links: Record<string, string>
  releases: object[]
}

/** Identifiers are purls, CPE names and, after `repology:`, names. */
export function supportProduct(
  name: string,
  releases: object[],
  { label = name, identifiers = [] }: { label?: string; identifiers?: readonly string[] } = {},
): GivenProduct {
  const typed = identifiers.map((id) =>
    id.startsWith('pkg:')
      ? { type: 'purl', id }
      : id.startsWith('cpe:')
        ? { type: 'cpe', id }
        : { type: 'repology', id: id.replace('repology:', '') },
  )
  const links = { html: `https://support.example/${name}` }
  return { name, label, identifiers: typed, links, releases }
}

export function supportList(
  products: readonly object[],
  generatedAt = '2026-11-01T00:00:00+00:00',
) {
  return {
    schema_version: '1.2.0',
    generated_at: generatedAt,
    total: products.length,
    result: products,
  }
}
