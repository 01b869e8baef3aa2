/**
 * Documents of `west spdx` (Zephyr, scripts/west_commands/zspdx): `zephyr` lists the code of each module as `X-sources` at a commit,
 * `modules-deps` the purl and CPE of its module.yml as `X-deps`, and `build` the targets of CMake.
 */
import { EDGE } from './document.ts'
import type { ParsedDocument } from './draft.ts'
import type { BuiltFrom, ComponentScope, DeclaredComponent } from './model.ts'
import type { UnitedSboms } from './unite.ts'

/** `Zephyr SPDX builder` of SPDX 2, `West SPDX Tool` of SPDX 3. */
const CREATOR = /^(?:Tool:\s*)?(?:Zephyr SPDX builder|West SPDX (?:Tool|Generator))$/

export function isWest(creator: string): boolean {
  return CREATOR.test(creator.trim())
}

const PART = /-(sources|deps)$/
/** The application is nobody else's software, whatever it is called. */
const APPLICATION = /(?:^SPDXRef-|\/)app-sources$/

export interface WestFindings {
  builtFrom: ReadonlyMap<number, BuiltFrom>
  scopes: ReadonlyMap<number, ComponentScope>
}

/** By component vertex. */
export function findWest(documents: readonly ParsedDocument[], united: UnitedSboms): WestFindings {
  const builtFrom = new Map<number, BuiltFrom>()
  const scopes = new Map<number, ComponentScope>()
  if (!documents.some((document) => document.isOfWest)) return { builtFrom, scopes }
  const parts = groupParts(documents, united)
  for (const vertices of parts.values()) {
    const module = createModule(vertices.flatMap((vertex) => united.components[vertex] ?? []))
    for (const vertex of vertices) builtFrom.set(vertex, module)
  }
  const links = readLinks(documents, united)
  for (const target of findTargets(documents, united)) {
    const files = links.contents.get(target)
    if (!files) scopes.set(target, 'build')
    else if (files.every((file) => isMadeOfListed(file, links, new Set())))
      builtFrom.set(target, LISTED)
  }
  return { builtFrom, scopes }
}

/** The parts of each module: ids of one build differ in their endings only. */
function groupParts(
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
): Map<string, number[]> {
  const parts = new Map<string, number[]>()
  forEachComponent(documents, united, ({ component: { ref = '' }, vertex, build }) => {
    if (!PART.test(ref) || APPLICATION.test(ref)) return
    const key = `${build} ${ref.replace(PART, '')}`
    const known = parts.get(key) ?? []
    if (!known.includes(vertex)) parts.set(key, [...known, vertex])
  })
  return parts
}

interface PlacedComponent {
  component: DeclaredComponent
  vertex: number
  /** What the namespaces of the documents of one build begin with. */
  build: string
}

function forEachComponent(
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
  visit: (placed: PlacedComponent) => void,
): void {
  documents.forEach(({ isOfWest, spaces, components }, d) => {
    if (!isOfWest) return
    const namespace = spaces.find((space) => space.namespace !== undefined)?.namespace ?? ''
    const build = namespace.replace(/[^/]*$/, '')
    components.forEach((component, position) => {
      visit({ component, vertex: united.componentVertex[d]?.[position] ?? -1, build })
    })
  })
}

/** The code says which commit it is, module.yml which release. */
function createModule(parts: readonly DeclaredComponent[]): BuiltFrom {
  const all = parts.toSorted((a, b) => rankPart(a) - rankPart(b))
  const [first] = all
  return {
    vendor: all.find(({ vendor }) => vendor !== undefined)?.vendor,
    packageName: first?.packageName.replace(PART, '') ?? '',
    version: all.find(({ version }) => version !== undefined)?.version,
    purl: all.find(({ purl }) => purl !== undefined)?.purl,
    cpes: [...new Set(all.flatMap(({ cpes }) => cpes))],
    downloadLocation: all.find((one) => one.downloadLocation !== undefined)?.downloadLocation,
  }
}

function rankPart({ ref = '' }: DeclaredComponent): number {
  return ref.endsWith('-sources') ? 0 : 1
}

const LISTED: BuiltFrom = {
  vendor: undefined,
  packageName: '',
  version: undefined,
  purl: undefined,
  cpes: [],
  isListed: true,
}

/** Targets of the build that say nothing about themselves. */
function findTargets(documents: readonly ParsedDocument[], united: UnitedSboms): Set<number> {
  const targets = new Set<number>()
  forEachComponent(documents, united, ({ component, vertex }) => {
    const { version, purl, cpes, downloadLocation, ref = '' } = component
    const isSilent =
      version === undefined &&
      purl === undefined &&
      cpes.length === 0 &&
      downloadLocation === undefined
    if (isSilent && !PART.test(ref)) targets.add(vertex)
  })
  return targets
}

const MADE_OF: ReadonlySet<number> = new Set([
  EDGE.needs,
  EDGE.generatedFrom,
  EDGE.outputOf,
  EDGE.input,
])

interface Links {
  componentCount: number
  /** Component → files it contains. */
  contents: Map<number, number[]>
  /** File → components that contain it. */
  owners: Map<number, number[]>
  /** File or build → what it is made of. */
  origins: Map<number, number[]>
}

function readLinks(documents: readonly ParsedDocument[], united: UnitedSboms): Links {
  const links: Links = {
    componentCount: united.componentCount,
    contents: new Map(),
    owners: new Map(),
    origins: new Map(),
  }
  documents.forEach(({ edges, isOfWest }, d) => {
    if (!isOfWest) return
    const vertexOf = united.vertexOf[d] ?? new Int32Array(0)
    const vertexAt = (element = 0) => vertexOf[element] ?? 0
    for (let i = 0; i < edges.count; i++)
      noteLink(vertexAt(edges.from[i]), vertexAt(edges.to[i]), edges.kind[i], links)
  })
  return links
}

function noteLink(from: number, to: number, kind = -1, links: Links): void {
  if (MADE_OF.has(kind)) push(links.origins, from, to)
  else if (kind === EDGE.contains && from < links.componentCount && to >= links.componentCount) {
    push(links.contents, from, to)
    push(links.owners, to, from)
  }
}

function push(lists: Map<number, number[]>, key: number, value: number): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/** Whether everything that went into a file is a component, or a file of one. What is made of nothing known is not. */
function isMadeOfListed(file: number, links: Links, seen: Set<number>): boolean {
  if (seen.has(file)) return true
  seen.add(file)
  const origins = links.origins.get(file)
  if (!origins) return false
  return origins.every(
    (origin) =>
      origin < links.componentCount ||
      (links.owners.get(origin) ?? []).length > 0 ||
      isMadeOfListed(origin, links, seen),
  )
}
