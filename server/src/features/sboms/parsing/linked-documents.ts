/** Which SBOMs of a firmware version have to be parsed together, because their documents may refer to each other. */
export interface Linkable {
  id: string
  format: string | null
  hasExternalReferences: boolean
}

/** Documents refer to others of their own standard only: `Spdx2`, `Spdx3` or `CycloneDx`. */
function familyOf({ format }: Pick<Linkable, 'format'>): string {
  return (format ?? '').replace(/(JsonLd|Json|TagValue|Xml)$/, '')
}

/** All of its family when it or one of them refers to others; else it stands alone. */
export function linkedWith<Sbom extends Linkable>(
  own: Pick<Linkable, 'format' | 'hasExternalReferences'>,
  others: readonly Sbom[],
): Sbom[] {
  const family = others.filter((other) => familyOf(other) === familyOf(own))
  const refers = [own, ...family].some(({ hasExternalReferences }) => hasExternalReferences)
  return refers ? family : []
}

/** The groups that have to be linked anew when one of them has left. */
export function linkedGroups<Sbom extends Linkable>(sboms: readonly Sbom[]): Sbom[][] {
  const families = Map.groupBy(sboms, familyOf).values()
  return [...families].filter((family) => family.some((one) => one.hasExternalReferences))
}
