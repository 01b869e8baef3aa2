/** Finds the declaration that a component is built from and that supplies its identifiers (docs/design/matching.md, package identity). */
import { EDGE } from './document.ts'
import type { ParsedDocument } from './draft.ts'
import type { ComponentIdentifiers, DeclaredComponent } from './model.ts'
import { isOfDistribution } from './source-packages.ts'
import type { UnitedSboms } from './unite.ts'

/** Several candidates count as none: it is unknown which of them contains a vulnerability. */
const AMBIGUOUS = -1

interface Origins {
  /** Component → the element it is generated from. */
  ofComponent: Map<number, number>
  /** Build → the source code that went into it. */
  ofBuild: Map<number, number>
  outputs: { component: number; build: number }[]
}

export function findBuiltFrom(
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
): (component: number) => ComponentIdentifiers | undefined {
  const { ofComponent, ofBuild, outputs } = readOrigins(documents, united)
  for (const { component, build } of outputs) {
    const source = ofBuild.get(build)
    const declaration = united.components[component]
    if (source === undefined || declaration === undefined || hasIdentifiers(declaration)) continue
    addCandidate(ofComponent, component, source, united)
  }
  return (component) => {
    const origin = united.components[ofComponent.get(component) ?? AMBIGUOUS]
    return origin && pickIdentifiers(origin)
  }
}

function readOrigins(documents: readonly ParsedDocument[], united: UnitedSboms): Origins {
  const origins: Origins = { ofComponent: new Map(), ofBuild: new Map(), outputs: [] }
  const sources = new Set<number>()
  documents.forEach((document, d) => {
    for (const element of document.sources) sources.add(united.vertexOf[d]?.[element] ?? AMBIGUOUS)
  })
  const add = (kind: number | undefined, from: number, to: number) => {
    if (kind === EDGE.outputOf) origins.outputs.push({ component: from, build: to })
    else if (kind === EDGE.generatedFrom) addCandidate(origins.ofComponent, from, to, united)
    else if (kind === EDGE.input && sources.has(to)) addCandidate(origins.ofBuild, from, to, united)
  }
  documents.forEach(({ edges }, d) => {
    const vertexOf = united.vertexOf[d] ?? new Int32Array(0)
    for (let i = 0; i < edges.count; i++)
      add(edges.kind[i], vertexOf[edges.from[i] ?? 0] ?? 0, vertexOf[edges.to[i] ?? 0] ?? 0)
  })
  return origins
}

function addCandidate(
  origins: Map<number, number>,
  of: number,
  from: number,
  united: UnitedSboms,
): void {
  const candidate = united.components[from]
  const isOfPackage = isOfDistribution(united.components[of]?.purl)
  const isMeant = candidate !== undefined && (isOfPackage || hasIdentifiers(candidate))
  if (from !== AMBIGUOUS && !isMeant) return
  const known = origins.get(of)
  origins.set(of, known === undefined || known === from ? from : AMBIGUOUS)
}

function hasIdentifiers({ purl, cpes }: DeclaredComponent): boolean {
  return purl !== undefined || cpes.length > 0
}

function pickIdentifiers(component: DeclaredComponent): ComponentIdentifiers {
  const { vendor, packageName, version, purl, cpes, downloadLocation, addresses = [] } = component
  const all = downloadLocation === undefined ? addresses : [downloadLocation, ...addresses]
  return { vendor, packageName, version, purl, cpes, ...(all.length > 0 && { addresses: all }) }
}
