/** Dependencies of CycloneDX. Their ends may be components, services and tools. */
import type { CycloneDxReading } from './cyclonedx-reading.ts'
import { addEdge, declareConnector, EDGE, openSpace, referTo, UNDECLARED } from './document.ts'
import { isObject, isText, listObjects, readText } from './json-values.ts'
import { quote } from './warnings.ts'

const BOM_LINK = /^urn:cdx:([0-9a-f-]{36}\/[0-9]+)#(.+)$/i

/** Services and tools, also nested ones. */
export function declareConnectors(lists: unknown[], { draft, space }: CycloneDxReading): void {
  const pending = [...lists]
  while (pending.length > 0)
    for (const element of listObjects(pending.pop())) {
      const ref = readText(element['bom-ref'])
      if (ref !== undefined) declareConnector(draft, space, ref)
      pending.push(element['services'], element['components'])
    }
}

export function readDependencies(list: unknown, reading: CycloneDxReading, place: string): void {
  if (!Array.isArray(list)) return
  const { draft, places } = reading
  list.forEach((dependency, i) => {
    const ref = isObject(dependency) ? readText(dependency['ref']) : undefined
    if (!isObject(dependency) || ref === undefined) {
      draft.faults.add('Dependency without ref, left out', places.entry(place, i))
      return
    }
    const from = resolve(ref, reading)
    const targets = dependency['dependsOn']
    if (!Array.isArray(targets) || targets.length === 0) draft.facts.listedAsNone.push(from)
    if (!Array.isArray(targets)) return
    for (const target of targets) {
      if (!isText(target) || target === '')
        draft.faults.add('Dependency on nothing, left out', quote(ref))
      else if (target === ref) draft.faults.add('Dependency on itself, left out', quote(ref))
      else addEdge(draft, from, resolve(target, reading), EDGE.needs)
    }
  })
}

/** Says of assemblies and dependencies whether they are complete (CycloneDX 1.3, compositions). */
export function readCompositions(list: unknown, { draft, space }: CycloneDxReading): void {
  for (const { aggregate, assemblies, dependencies } of listObjects(list)) {
    if (!isText(aggregate) || aggregate === 'not_specified') continue
    draft.facts.ofDocument.add('knownUnknowns')
    for (const one of [assemblies, dependencies].flat()) {
      // In XML, an element with its attribute.
      const ref = isObject(one) ? one['ref'] : one
      const element = isText(ref) ? space.elements.get(ref) : undefined
      if (element !== undefined) draft.facts.completenessOf.push(element)
    }
  }
}

function resolve(ref: string, { draft, space }: CycloneDxReading): number {
  const known = space.elements.get(ref)
  if (known !== undefined && draft.elements[known] !== UNDECLARED) return known
  const [, document, element] = BOM_LINK.exec(ref) ?? []
  if (document !== undefined && element !== undefined) {
    draft.hasExternalReferences = true
    const other = openSpace(draft, `urn:cdx:${document.toLowerCase()}`)
    return referTo(draft, other, decodeFragment(element))
  }
  draft.faults.add('Dependency names a bom-ref that no element has', quote(ref))
  return referTo(draft, space, ref)
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
