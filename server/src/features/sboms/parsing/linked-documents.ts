/** Which SBOMs of a firmware version have to be parsed together: documents may refer to each other. */
export interface Linkable {
  id: string
  format: string | null
  hasExternalReferences: boolean
}

/** The standard: `Spdx2`, `Spdx3` or `CycloneDx`. Documents refer only to documents of the same standard. */
function nameFamily({ format }: Pick<Linkable, 'format'>): string {
  return (format ?? '').replace(/(JsonLd|Json|TagValue|Xml)$/, '')
}

/** All documents of the same standard, if any of them or the SBOM itself has external references; else none. */
export function listLinkedDocuments<Sbom extends Linkable>(
  own: Pick<Linkable, 'format' | 'hasExternalReferences'>,
  others: readonly Sbom[],
): Sbom[] {
  const family = others.filter((other) => nameFamily(other) === nameFamily(own))
  const refers = [own, ...family].some(({ hasExternalReferences }) => hasExternalReferences)
  return refers ? family : []
}

/** The groups of documents to link again after one document was deleted. */
export function groupLinkedDocuments<Sbom extends Linkable>(sboms: readonly Sbom[]): Sbom[][] {
  const families = Map.groupBy(sboms, nameFamily).values()
  return [...families].filter((family) => family.some((one) => one.hasExternalReferences))
}

export function areSame(some: readonly Linkable[], others: readonly Linkable[]): boolean {
  const ids = new Set(others.map(({ id }) => id))
  return some.length === ids.size && some.every(({ id }) => ids.has(id))
}
