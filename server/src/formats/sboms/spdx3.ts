/** SPDX 3.0 JSON-LD in the compact form of its JSON schema → draft. https://spdx.github.io/spdx-spec/v3.0.1/ */
import { checkIdentifiers } from './cyclonedx-checks.ts'
import {
  addEdge,
  declareComponent,
  declareConnector,
  openSpace,
  referTo,
  UNDECLARED,
  type Draft,
  type IdSpace,
} from './document.ts'
import { isObject, isText, textOf, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { buildScopeByName } from './scopes.ts'
import { readPrefixes } from './spdx3-ids.ts'
import { edgeKindOf, SPDX3_OTHER_TYPES, SPDX3_RELATIONS } from './spdx3-relationships.ts'
import { declared } from './spdx2.ts'
import { quoted } from './warnings.ts'
import type { Hash } from './model.ts'

/** Ids of elements are global, so documents share one space. */
export const SPDX3_NAMESPACE = 'urn:spdx:3'

interface Reading {
  draft: Draft
  global: IdSpace
  /** Blank nodes, `_:x`, mean something in their own document only. */
  local: IdSpace
  expand: (id: string) => string
  /** Elements others refer to for a name or text: agents, licences, identifiers. */
  byId: Map<string, JsonObject>
  collections: JsonObject[]
}

interface Sorted {
  packages: JsonObject[]
  relationships: JsonObject[]
  /** Those of the others that have root elements. */
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
const INDIVIDUAL = /(?:^|[/_])(?:None|NoAssertion)(?:Element|License)$/
const SCREAMING_CASE = /^[A-Z_]+$/
const LISTED_LICENSE = /^https?:\/\/spdx\.org\/licenses\/([^/]+)$/

export function readSpdx3(document: JsonObject, draft: Draft): void {
  const graph = document['@graph'] ?? [document]
  if (!Array.isArray(graph)) throw new SbomError('malformed', 'The value at /@graph is not a list.')
  const sorted = sortElements(graph, draft)
  const reading: Reading = {
    draft,
    global: openSpace(draft, SPDX3_NAMESPACE),
    local: openSpace(draft, undefined),
    expand: readPrefixes(document['@context'], sorted.collections),
    byId: new Map(),
    collections: sorted.collections,
  }
  for (const one of sorted.others) declareOther(one, reading)
  for (const one of sorted.packages) readPackage(one, reading)
  for (const one of sorted.relationships) readRelationship(one, reading)
  readCollections(reading)
  checkUndeclared(reading)
}

/** Prefixes of ids may be declared anywhere, so ids are read only when every element has been seen. */
function sortElements(graph: readonly unknown[], draft: Draft): Sorted {
  const sorted: Sorted = { packages: [], relationships: [], collections: [], others: [] }
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

function declareOther(element: JsonObject, reading: Reading): void {
  const { draft } = reading
  const type = element['type'] ?? element['@type']
  const id = idOf(element, reading)
  if (id === undefined) {
    if (type !== 'CreationInfo')
      draft.faults.add('Element without spdxId', quoted(textOf(element['name']) ?? String(type)))
    return
  }
  if (type !== 'software_File') reading.byId.set(id, element)
  if (type !== 'CreationInfo') declareConnector(draft, spaceOf(id, reading), id)
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
      `SPDX ${quoted(specVersion)} is not read in this form, only 3.0.`,
    )
  draft.faults.add('Unknown SPDX version, read as 3.0', quoted(specVersion))
}

function idOf(element: JsonObject, { expand }: Reading): string | undefined {
  const id = textOf(element['spdxId']) ?? textOf(element['@id'])
  return id === undefined ? undefined : expand(id)
}

/** The id a property refers to; the element may also stand there itself. */
function referenceTo(value: unknown, reading: Reading): string | undefined {
  if (isText(value)) return reading.expand(value)
  return isObject(value) ? idOf(value, reading) : undefined
}

function spaceOf(id: string, { global, local }: Reading): IdSpace {
  return id.startsWith('_:') ? local : global
}

function readPackage(element: JsonObject, reading: Reading): void {
  const { draft } = reading
  const id = idOf(element, reading)
  if (id === undefined) draft.faults.add('Package without spdxId', textOf(element['name']))
  const place = id ?? 'a package without spdxId'
  const where = () => place
  const { purls, cpes } = readIdentifiers(element, reading)
  const purl = declared(textOf(element['software_packageUrl'])) ?? purls[0]
  checkIdentifiers(purl, cpes, draft.faults, where)
  const name = declared(textOf(element['name']))
  if (name === undefined) draft.faults.add('Package without name', where())
  const packageName = name ?? purl ?? cpes[0] ?? place
  const supplier = agentName(element['suppliedBy'], reading)
  const node = declareComponent(draft, id === undefined ? reading.local : spaceOf(id, reading), {
    node: -1,
    ref: id,
    vendor: supplier ?? agentName(element['originatedBy'], reading),
    packageName,
    version: declared(textOf(element['software_packageVersion'])),
    purl,
    cpes,
    licenses: [],
    hashes: readHashes(element['verifiedUsing'], reading),
    supplier,
    downloadLocation: declared(textOf(element['software_downloadLocation'])),
    scope: buildScopeByName(packageName, purl),
    builtFrom: undefined,
  })
  if (element['software_primaryPurpose'] === 'source') draft.sources.add(node)
}

/** Inline or by reference. */
function readIdentifiers(
  element: JsonObject,
  reading: Reading,
): { purls: string[]; cpes: string[] } {
  const purls: string[] = []
  const cpes: string[] = []
  if ('externalIdentifiers' in element)
    reading.draft.faults.add(
      'Property "externalIdentifiers", ignored; SPDX knows "externalIdentifier"',
      idOf(element, reading),
    )
  for (const entry of listOf(element['externalIdentifier'])) {
    const identifier = isText(entry) ? reading.byId.get(reading.expand(entry)) : entry
    if (!isObject(identifier)) continue
    const type = identifier['externalIdentifierType']
    const value = textOf(identifier['identifier'])
    if (value === undefined) continue
    // microsoft/sbom-tool writes "purl".
    if (type === 'packageUrl' || type === 'purl') purls.push(value)
    else if (type === 'cpe23' || type === 'cpe22') cpes.push(value)
  }
  return { purls, cpes }
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function agentName(value: unknown, reading: Reading): string | undefined {
  for (const agent of listOf(value)) {
    const element = isObject(agent) ? agent : reading.byId.get(referenceTo(agent, reading) ?? '')
    const name = element && declared(textOf(element['name']))
    if (name !== undefined) return name
  }
  return undefined
}

function readHashes(value: unknown, reading: Reading): Hash[] {
  const hashes: Hash[] = []
  for (const entry of listOf(value)) {
    const method = isText(entry) ? reading.byId.get(reading.expand(entry)) : entry
    if (!isObject(method)) continue
    const algorithm = textOf(method['algorithm'])
    const hash = textOf(method['hashValue'])
    if (algorithm !== undefined && hash !== undefined) hashes.push({ algorithm, value: hash })
  }
  return hashes
}

function readRelationship(relationship: JsonObject, reading: Reading): void {
  const { draft } = reading
  const type = typeName(relationship['relationshipType'])
  const from = referenceTo(relationship['from'], reading)
  const targets = listOf(relationship['to'])
  if (from === undefined || type === undefined) {
    draft.faults.add(
      'Relationship without from or relationshipType',
      textOf(relationship['spdxId']),
    )
    return
  }
  const relation = SPDX3_RELATIONS.get(type)
  if (relation === undefined && !SPDX3_OTHER_TYPES.has(type))
    draft.faults.add('Unknown relationship type', quoted(type))
  const fromElement = relation && element(from, reading)
  for (const target of targets) {
    const to = referenceTo(target, reading)
    if (to === undefined || isIndividual(to)) continue
    if (type === 'hasConcludedLicense' || type === 'hasDeclaredLicense')
      addLicense(from, to, reading)
    else if (type === 'describes' && isCollection(from, reading))
      draft.roots.push(element(to, reading))
    if (relation === undefined || fromElement === undefined) continue
    if (from === to) draft.faults.add('Relationship of an element to itself', from)
    else {
      const kind = edgeKindOf(type, relation, relationship['scope'])
      const toElement = element(to, reading)
      if (relation.isReversed) addEdge(draft, toElement, fromElement, kind)
      else addEdge(draft, fromElement, toElement, kind)
    }
  }
}

/** `dependsOn`; microsoft/sbom-tool writes DEPENDS_ON. */
function typeName(type: unknown): string | undefined {
  if (!isText(type) || SPDX3_RELATIONS.has(type) || !SCREAMING_CASE.test(type)) return textOf(type)
  return type.toLowerCase().replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

/** The elements that say "none" and "no assertion" (SPDX 3.0.1, Core/Individuals). */
function isIndividual(id: string): boolean {
  return (id.endsWith('Element') || id.endsWith('License')) && INDIVIDUAL.test(id)
}

function element(id: string, reading: Reading): number {
  return referTo(reading.draft, spaceOf(id, reading), id)
}

function isCollection(id: string, { byId }: Reading): boolean {
  return COLLECTIONS.has(byId.get(id)?.['type'])
}

function addLicense(from: string, to: string, reading: Reading): void {
  const { draft, byId } = reading
  const meaning = draft.elements[spaceOf(from, reading).elements.get(from) ?? -1]
  const component = meaning === undefined ? undefined : draft.components[meaning]
  if (component === undefined) return
  const license = byId.get(to)
  const text =
    textOf(license?.['simplelicensing_licenseExpression']) ??
    LISTED_LICENSE.exec(to)?.[1] ??
    textOf(license?.['name'])
  if (text !== undefined && declared(text) !== undefined && !component.licenses.includes(text))
    component.licenses.push(text)
}

function readCollections(reading: Reading): void {
  const { draft, collections } = reading
  if (!collections.some(({ type }) => type === 'SpdxDocument'))
    draft.faults.add('The document has no SpdxDocument element')
  for (const collection of collections) {
    if (listOf(collection['import']).length > 0) draft.hasExternalReferences = true
    for (const root of listOf(collection['rootElement'])) {
      const id = referenceTo(root, reading)
      if (id !== undefined && !isIndividual(id)) draft.roots.push(element(id, reading))
    }
  }
}

/** Elements of other documents need no declaration here (SPDX 3.0.1, Core/Classes/ExternalMap), so this is no fault. */
function checkUndeclared({ draft, global }: Reading): void {
  for (const number of global.elements.values())
    if (draft.elements[number] === UNDECLARED) draft.hasExternalReferences = true
}
