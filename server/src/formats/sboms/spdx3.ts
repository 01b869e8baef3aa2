/** SPDX 3.0 JSON-LD in the compact form of its JSON schema → draft. https://spdx.github.io/spdx-spec/v3.0.1/ */
import {
  isLicenceType,
  noteSpdx3Document,
  noteSpdx3Element,
  noteSpdx3Relationship,
  readLicence,
} from '../sbom-profiles/stated-in-spdx3.ts'
import {
  addEdge,
  declareConnector,
  type EdgeKind,
  openSpace,
  referTo,
  SPDX3_NAMESPACE,
} from './document.ts'
import type { Draft } from './draft.ts'
import { isObject, isText, readText, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { noteSourceFile } from './source-files.ts'
import { readDeclared } from './spdx-values.ts'
import { readPrefixes } from './spdx3-ids.ts'
import { readHashes, readPackage } from './spdx3-packages.ts'
import {
  readElementId,
  readList,
  readReference,
  chooseIdSpace,
  type Spdx3Reading,
} from './spdx3-reading.ts'
import { noteSpdx3Statement } from './spdx3-vex.ts'
import { chooseEdgeKind, SPDX3_OTHER_TYPES, SPDX3_RELATIONS } from './spdx3-relationships.ts'
import { quote } from './warnings.ts'
import { isWest } from './west.ts'

interface SortedElements {
  packages: JsonObject[]
  relationships: JsonObject[]
  /** Other elements that have root elements. */
  collections: JsonObject[]
  others: JsonObject[]
}

/** software_Package and the classes derived from it. */
const PACKAGES: ReadonlySet<string> = new Set([
  'software_Package',
  'ai_AIPackage',
  // As mharrah/Spdx3 writes it.
  'ai_AiPackage',
  'dataset_DatasetPackage',
])
const COLLECTIONS: ReadonlySet<unknown> = new Set([
  'SpdxDocument',
  'software_Sbom',
  'Bom',
  'Bundle',
])
/**
 * Yocto numbers the files of a recipe's source tree (SPDX_INCLUDE_SOURCES, SPDX_INCLUDE_COMPILED_SOURCES) as
 * `…/sourcefile/1`, apart from what it downloads, `…/source/1` (openembedded-core, meta/lib/oe/spdx30_tasks.py).
 */
const OF_TREE = /\/sourcefile\/\d+$/
const INDIVIDUAL = /(?:^|[/_])(?:None|NoAssertion)(?:Element|License)$/
const SCREAMING_CASE = /^[A-Z_]+$/

export function readSpdx3(document: JsonObject, draft: Draft): void {
  const graph = document['@graph'] ?? [document]
  if (!Array.isArray(graph)) throw new SbomError('malformed', 'The value at /@graph is not a list.')
  const sorted = sortElements(graph, draft)
  // Ids are global: Zephyr's four files share elements, and each adds members to them.
  draft.hasExternalReferences = true
  const reading: Spdx3Reading = {
    draft,
    global: openSpace(draft, SPDX3_NAMESPACE),
    local: openSpace(draft, undefined),
    expand: readPrefixes(document['@context'], sorted.collections),
    byId: new Map(),
    collections: sorted.collections,
    fileFacts: new Map(),
  }
  for (const one of sorted.others) declareOther(one, reading)
  for (const one of sorted.packages) readPackage(one, reading)
  for (const one of sorted.relationships) readRelationship(one, reading)
  readCollections(reading)
  noteDescribedFiles(sorted, reading)
  noteSpdx3Document(reading)
}

/** Prefixes may be declared anywhere, so ids are read after all elements were seen. */
function sortElements(graph: readonly unknown[], draft: Draft): SortedElements {
  const sorted: SortedElements = { packages: [], relationships: [], collections: [], others: [] }
  for (let i = 0; i < graph.length; i++) {
    const element = graph[i]
    if (!isObject(element))
      throw new SbomError('malformed', `The element at /@graph/${i} is not an object.`)
    const type = element['type'] ?? element['@type']
    const creationInfo = type === 'CreationInfo' ? element : element['creationInfo']
    if (isObject(creationInfo)) readCreationInfo(creationInfo, draft)
    if (isText(type) && PACKAGES.has(type)) sorted.packages.push(element)
    else if (element['relationshipType'] !== undefined) sorted.relationships.push(element)
    else {
      sorted.others.push(element)
      if (COLLECTIONS.has(type)) sorted.collections.push(element)
    }
  }
  return sorted
}

function declareOther(element: JsonObject, reading: Spdx3Reading): void {
  const { draft } = reading
  const type = element['type'] ?? element['@type']
  const id = readElementId(element, reading)
  if (id === undefined) {
    if (type !== 'CreationInfo')
      draft.faults.add('Element without spdxId', quote(element['name'] ?? type))
    return
  }
  if (type !== 'software_File') reading.byId.set(id, element)
  if (type === 'CreationInfo') return
  if (type === 'Tool') noteTool(element, draft)
  const connector = declareConnector(draft, chooseIdSpace(id, reading), id)
  noteSpdx3Element(element, reading, connector)
  const path = type === 'software_File' ? readText(element['name']) : undefined
  if (path !== undefined) {
    const isSource = element['software_primaryPurpose'] === 'source'
    noteSourceFile(draft, connector, { path, isSource, isOfTree: isSource && OF_TREE.test(id) })
  }
}

function noteTool(element: JsonObject, draft: Draft): void {
  if (isWest(readText(element['name']) ?? '')) draft.isOfWest = true
}

function readCreationInfo(info: JsonObject, draft: Draft): void {
  const { specVersion, created, createdBy } = info
  if (!isText(created)) draft.faults.add('CreationInfo without date "created"')
  if (createdBy === undefined) draft.faults.add('CreationInfo without createdBy')
  if (!isText(specVersion)) {
    draft.faults.add('CreationInfo without specVersion')
    return
  }
  if (draft.specVersion !== undefined) return
  draft.specVersion = specVersion
  if (/^3\.0(?:\.|$)/.test(specVersion)) return
  if (!specVersion.startsWith('3.'))
    throw new SbomError(
      'unsupported',
      `SPDX ${quote(specVersion)} is not read in this form, only 3.0.`,
    )
  draft.faults.add('Unknown SPDX version, read as 3.0', quote(specVersion))
}

function readRelationship(relationship: JsonObject, reading: Spdx3Reading): void {
  const { draft } = reading
  noteSpdx3Statement(relationship, reading)
  const type = typeName(relationship['relationshipType'])
  const from = readReference(relationship['from'], reading)
  if (from === undefined || type === undefined)
    draft.faults.add(
      'Relationship without from or relationshipType',
      quote(readText(relationship['spdxId']) ?? ''),
    )
  else {
    noteSpdx3Relationship(relationship, { from, type }, reading)
    readTargets(relationship, from, type, reading)
  }
}

function readTargets(
  relationship: JsonObject,
  from: string,
  type: string,
  reading: Spdx3Reading,
): void {
  const { draft } = reading
  const targets = readList(relationship['to'])
  const relation = SPDX3_RELATIONS.get(type)
  noteUnknownType(type, draft)
  const fromElement = relation && findElement(from, reading)
  for (const target of targets) {
    const to = readReference(target, reading)
    if (to === undefined || isIndividual(to)) continue
    if (isLicenceType(type)) addLicense(from, to, reading)
    else if (type === 'describes' && isCollection(from, reading))
      draft.roots.push(findElement(to, reading))
    if (relation === undefined || fromElement === undefined) continue
    if (from === to) draft.faults.add('Relationship of an element to itself', quote(from))
    else
      relate(draft, fromElement, findElement(to, reading), {
        kind: chooseEdgeKind(type, relation, relationship['scope']),
        isReversed: relation.isReversed,
      })
  }
}

function noteUnknownType(type: string, { faults }: Draft): void {
  if (!SPDX3_RELATIONS.has(type) && !SPDX3_OTHER_TYPES.has(type))
    faults.add('Unknown relationship type', quote(type))
}

function relate(
  draft: Draft,
  from: number,
  to: number,
  { kind, isReversed }: { kind: EdgeKind; isReversed: boolean | undefined },
): void {
  if (isReversed) addEdge(draft, to, from, kind)
  else addEdge(draft, from, to, kind)
}

/** `dependsOn`; microsoft/sbom-tool writes DEPENDS_ON. */
function typeName(type: unknown): string | undefined {
  if (!isText(type) || SPDX3_RELATIONS.has(type) || !SCREAMING_CASE.test(type))
    return readText(type)
  return type.toLowerCase().replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

/** The elements that say "none" and "no assertion" (SPDX 3.0.1, Core/Individuals). */
function isIndividual(id: string): boolean {
  return (id.endsWith('Element') || id.endsWith('License')) && INDIVIDUAL.test(id)
}

function findElement(id: string, reading: Spdx3Reading): number {
  return referTo(reading.draft, chooseIdSpace(id, reading), id)
}

function isCollection(id: string, { byId }: Spdx3Reading): boolean {
  return COLLECTIONS.has(byId.get(id)?.['type'])
}

function addLicense(from: string, to: string, reading: Spdx3Reading): void {
  const { draft, byId } = reading
  const meaning = draft.elements[chooseIdSpace(from, reading).elements.get(from) ?? -1]
  const component = meaning === undefined ? undefined : draft.components[meaning]
  if (component === undefined) return
  const text = readLicence(to, byId)
  if (text !== undefined && readDeclared(text) !== undefined && !component.licenses.includes(text))
    component.licenses.push(text)
}

function readCollections(reading: Spdx3Reading): void {
  const { draft, collections } = reading
  if (!collections.some(({ type }) => type === 'SpdxDocument'))
    draft.faults.add('The document has no SpdxDocument element')
  for (const collection of collections) {
    for (const root of readList(collection['rootElement'])) {
      const id = readReference(root, reading)
      if (id !== undefined && !isIndividual(id)) draft.roots.push(findElement(id, reading))
    }
  }
}

/** Of files that the document describes, or that what it describes is handed out as. */
function noteDescribedFiles(
  { others, relationships }: SortedElements,
  reading: Spdx3Reading,
): void {
  const { draft } = reading
  const described = new Set(draft.roots)
  const isDescribed = (id: string | undefined) =>
    id !== undefined && described.has(chooseIdSpace(id, reading).elements.get(id) ?? -1)
  const distributions = new Set(
    relationships
      .filter(({ relationshipType }) => typeName(relationshipType) === 'hasDistributionArtifact')
      .filter(({ from }) => isDescribed(readReference(from, reading)))
      .flatMap(({ to }) => readList(to).map((file) => readReference(file, reading))),
  )
  for (const file of others) {
    const id = file['type'] === 'software_File' ? readElementId(file, reading) : undefined
    if (id === undefined || !(isDescribed(id) || distributions.has(id))) continue
    const hashes = readHashes(file['verifiedUsing'], reading)
    draft.describedBeside.push({ name: readText(file['name']) ?? id, hashes })
  }
}
