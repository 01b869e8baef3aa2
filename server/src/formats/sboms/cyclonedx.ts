/** CycloneDX in its JSON shape, read from JSON or XML → draft. https://cyclonedx.org/specification/overview/ */
import {
  checkCitation,
  checkComponent,
  checkHash,
  checkIdentifiers,
  checkLicenses,
  checkNamedValues,
  checkProperties,
  checkService,
  objectsIn,
  type CheckContext,
} from './cyclonedx-checks.ts'
import { BOM_PROPERTIES, METADATA_PROPERTIES, NEWEST_MINOR } from './cyclonedx-vocabulary.ts'
import {
  addEdge,
  declareComponent,
  declareConnector,
  EDGE,
  openSpace,
  referTo,
  UNDECLARED,
  type Draft,
  type IdSpace,
} from './document.ts'
import { isObject, isText, textOf, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { buildScopeByName } from './scopes.ts'
import { quoted } from './warnings.ts'
import type { ComponentScope, Hash } from './model.ts'

/** How places are named: JSON pointers, or the path of XML elements. */
export interface Places {
  isXml: boolean
  list: (parent: string, name: string) => string
  entry: (list: string, index: number) => string
}

export const JSON_PLACES: Places = {
  isXml: false,
  list: (parent, name) => `${parent}/${name}`,
  entry: (list, index) => `${list}/${index}`,
}

const ITEM_NAMES: Record<string, string> = {
  components: 'component',
  dependencies: 'dependency',
  services: 'service',
  citations: 'citation',
}

export const XML_PLACES: Places = {
  isXml: true,
  list: (parent, name) => `${parent}/${name}/${ITEM_NAMES[name] ?? name}`,
  entry: (list, index) => `${list}[${index + 1}]`,
}

interface Reading {
  draft: Draft
  space: IdSpace
  context: CheckContext
  places: Places
}

const SERIAL_NUMBER = /^(?:urn:uuid:)?\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?$/
const BOM_LINK = /^urn:cdx:([0-9a-f-]{36}\/[0-9]+)#(.+)$/i

export function readCycloneDx(bom: JsonObject, draft: Draft, places: Places): void {
  const minor = readVersion(bom['specVersion'], draft)
  const context = { minor, isXml: places.isXml, faults: draft.faults }
  const root = places.isXml ? '/bom' : ''
  checkProperties(bom, BOM_PROPERTIES, 'BOM', context, () => root || '/')
  checkNamedValues(bom['properties'], context, () => `${root}/properties`)
  const space = openSpace(draft, readSerialNumber(bom, draft))
  space.isComplete = true
  const reading = { draft, space, context, places }
  readMetadata(bom['metadata'], reading, root)
  const { components } = bom
  if (components !== undefined && components !== null) {
    const list = places.list(root, 'components')
    readComponents(listAt(components, list), reading, (i) => places.entry(list, i))
  }
  readServices(bom['services'], reading, places.list(root, 'services'))
  objectsIn(bom['citations']).forEach((citation, i) => {
    checkCitation(citation, context, () => places.entry(places.list(root, 'citations'), i))
  })
  readDependencies(bom['dependencies'], reading, places.list(root, 'dependencies'))
  if (objectsIn(bom['externalReferences']).some(isBomReference)) draft.hasExternalReferences = true
}

/** @returns the minor version whose rules apply. */
function readVersion(specVersion: unknown, draft: Draft): number {
  draft.specVersion = textOf(specVersion)
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(draft.specVersion ?? '') ?? []
  if (major !== undefined && major !== '1')
    throw new SbomError(
      'unsupported',
      `CycloneDX ${quoted(String(specVersion))} is not read, only 1.0 to 1.${NEWEST_MINOR}.`,
    )
  if (minor !== undefined && Number(minor) <= NEWEST_MINOR) return Number(minor)
  const version =
    draft.specVersion === undefined ? 'No CycloneDX version' : 'Unknown CycloneDX version'
  draft.faults.add(
    `${version}, read as 1.${NEWEST_MINOR}`,
    draft.specVersion === undefined ? undefined : quoted(draft.specVersion),
  )
  return NEWEST_MINOR
}

/** @returns the BOM-Link of this document without the element, as others would refer to it. */
function readSerialNumber(bom: JsonObject, draft: Draft): string | undefined {
  const { serialNumber, version = 1 } = bom
  if (!(Number.isInteger(Number(version)) && Number(version) >= 1))
    draft.faults.add('The BOM version is no positive whole number', quoted(String(version)))
  if (serialNumber === undefined) return undefined
  if (!isText(serialNumber) || !SERIAL_NUMBER.test(serialNumber)) {
    draft.faults.add('The serialNumber is not of the form urn:uuid:…', quoted(String(serialNumber)))
    return undefined
  }
  const uuid = serialNumber.replace(/^urn:uuid:|[{}]/gi, '').toLowerCase()
  return `urn:cdx:${uuid}/${String(version)}`
}

function readMetadata(metadata: unknown, reading: Reading, root: string): void {
  if (!isObject(metadata)) return
  const { draft, context } = reading
  const here = `${root}/metadata`
  checkProperties(metadata, METADATA_PROPERTIES, 'metadata object', context, () => here)
  checkNamedValues(metadata['properties'], context, () => `${here}/properties`)
  if (metadata['licenses'] !== undefined)
    checkLicenses(objectsIn(metadata['licenses']), context, () => `${here}/licenses`)
  const timestamp = metadata['timestamp']
  if (timestamp !== undefined && !(isText(timestamp) && DATE_TIME.test(timestamp)))
    draft.faults.add('The timestamp is no date and time', quoted(String(timestamp)))
  checkContacts(metadata, draft, here)
  const tools = metadata['tools']
  if (isObject(tools)) declareConnectors([tools['components'], tools['services']], reading)
  const component = metadata['component']
  if (component === undefined || component === null) return
  const [rootElement] = readComponents([component], reading, () => `${here}/component`)
  if (rootElement !== undefined) draft.roots.push(rootElement)
}

function checkContacts(metadata: JsonObject, draft: Draft, here: string): void {
  const organisations = [metadata['supplier'], metadata['manufacture'], metadata['manufacturer']]
  const contacts = organisations.filter(isObject).flatMap((one) => objectsIn(one['contact']))
  for (const { email } of [...objectsIn(metadata['authors']), ...contacts])
    if (isText(email) && !email.includes('@'))
      draft.faults.add('Not an e-mail address', `${here} (${quoted(email)})`)
}

interface Level {
  list: unknown[]
  next: number
  place: (index: number) => string
  parent: number | undefined
}

/** In document order, without recursion. @returns the elements of the outermost list. */
function readComponents(
  list: unknown[],
  reading: Reading,
  place: (index: number) => string,
): number[] {
  const { draft, places } = reading
  const outermost: number[] = []
  const above: Level[] = []
  let level: Level | undefined = { list, next: 0, place, parent: undefined }
  while (level) {
    if (level.next === level.list.length) {
      level = above.pop()
      continue
    }
    const { parent, next: index, place: placeInLevel }: Level = level
    level.next += 1
    const where = () => placeInLevel(index)
    const component = level.list[index]
    if (component === null) {
      draft.faults.add('Component that is null, left out', where())
      continue
    }
    if (!isObject(component))
      throw new SbomError('malformed', `The component at ${where()} is not an object.`)
    const element = readComponent(component, reading, where)
    if (parent === undefined) outermost.push(element)
    else addEdge(draft, parent, element, EDGE.contains)
    const children = component['components']
    if (children === undefined || children === null) continue
    const childPlace = places.list(where(), 'components')
    above.push(level)
    level = {
      list: listAt(children, childPlace),
      next: 0,
      place: (child) => places.entry(childPlace, child),
      parent: element,
    }
  }
  return outermost
}

function listAt(list: unknown, place: string): unknown[] {
  if (Array.isArray(list)) return list
  throw new SbomError('malformed', `The value at ${place} is not a list of components.`)
}

function readComponent(component: JsonObject, reading: Reading, where: () => string): number {
  const { draft, context, space } = reading
  checkComponent(component, context, where)
  const ref = readRef(component['bom-ref'], draft, where)
  const cpe = textOf(component['cpe'])
  const cpes = cpe === undefined ? [] : [cpe]
  const purl = textOf(component['purl'])
  checkIdentifiers(purl, cpes, draft.faults, where)
  const packageName = readName(component, draft, where)
  const properties = component['properties']
  if (properties !== undefined) checkNamedValues(properties, context, where)
  const supplier = nameOf(component['supplier'])
  return declareComponent(draft, space, {
    node: -1,
    ref,
    vendor: supplier ?? nameOf(component['manufacturer']) ?? vendorOf(component),
    packageName,
    version: textOf(component['version']),
    purl,
    cpes,
    licenses: readLicenses(component['licenses'], context, where),
    hashes: readHashes(component['hashes'], context, where),
    supplier,
    downloadLocation: readExternalReferences(component['externalReferences'], draft),
    scope: readScope(component['scope']) ?? buildScopeByName(packageName, purl),
    builtFrom: undefined,
  })
}

function readRef(ref: unknown, draft: Draft, where: () => string): string | undefined {
  if (ref === '') draft.faults.add('Empty bom-ref', where())
  return textOf(ref)
}

function readName(component: JsonObject, draft: Draft, where: () => string): string {
  const name = textOf(component['name'])
  if (name !== undefined) return name
  draft.faults.add('Component without name', where())
  return (
    textOf(component['purl']) ?? textOf(component['cpe']) ?? textOf(component['bom-ref']) ?? where()
  )
}

function nameOf(organisation: unknown): string | undefined {
  return isObject(organisation) ? textOf(organisation['name']) : undefined
}

/** The group is the namespace a vendor publishes under, where nothing names the vendor. */
function vendorOf(component: JsonObject): string | undefined {
  return textOf(component['publisher']) ?? textOf(component['group'])
}

function readScope(scope: unknown): ComponentScope | undefined {
  return scope === 'required' || scope === 'optional' || scope === 'excluded' ? scope : undefined
}

function readLicenses(list: unknown, context: CheckContext, where: () => string): string[] {
  if (list === undefined || list === null) return []
  const choices = objectsIn(list)
  checkLicenses(choices, context, where)
  const names: string[] = []
  for (const { license, expression } of choices) {
    const name = isObject(license) ? (textOf(license['id']) ?? textOf(license['name'])) : undefined
    const text = name ?? textOf(expression)
    if (text !== undefined) names.push(text)
  }
  return names
}

function readHashes(list: unknown, context: CheckContext, where: () => string): Hash[] {
  if (list === undefined || list === null) return []
  const hashes: Hash[] = []
  for (const hash of objectsIn(list)) {
    checkHash(hash, context, where)
    const algorithm = textOf(hash['alg'])
    const value = textOf(hash['content'])
    if (algorithm !== undefined && value !== undefined) hashes.push({ algorithm, value })
  }
  return hashes
}

/** @returns where the component can be downloaded. */
function readExternalReferences(list: unknown, draft: Draft): string | undefined {
  if (!Array.isArray(list)) return undefined
  let location: string | undefined
  for (const reference of list) {
    if (!isObject(reference)) continue
    if (reference['type'] === 'distribution') location ??= textOf(reference['url'])
    else if (isBomReference(reference)) draft.hasExternalReferences = true
  }
  return location
}

/** A BOM-Link to another CycloneDX document. */
function isBomReference({ type, url }: JsonObject): boolean {
  return type === 'bom' && isText(url) && url.startsWith('urn:cdx:')
}

/** Services may stand between components: paths lead through them. */
function readServices(services: unknown, reading: Reading, place: string): void {
  objectsIn(services).forEach((service, i) => {
    checkService(service, reading.context, () => reading.places.entry(place, i))
  })
  declareConnectors([services], reading)
}

/** Services and tools, also nested ones. */
function declareConnectors(lists: unknown[], { draft, space }: Reading): void {
  const pending = [...lists]
  while (pending.length > 0)
    for (const element of objectsIn(pending.pop())) {
      const ref = textOf(element['bom-ref'])
      if (ref !== undefined) declareConnector(draft, space, ref)
      pending.push(element['services'], element['components'])
    }
}

function readDependencies(list: unknown, reading: Reading, place: string): void {
  if (!Array.isArray(list)) return
  const { draft, places } = reading
  list.forEach((dependency, i) => {
    const ref = isObject(dependency) ? textOf(dependency['ref']) : undefined
    if (!isObject(dependency) || ref === undefined) {
      draft.faults.add('Dependency without ref, left out', places.entry(place, i))
      return
    }
    const from = resolve(ref, reading)
    const targets = dependency['dependsOn']
    if (!Array.isArray(targets)) return
    for (const target of targets) {
      if (!isText(target) || target === '')
        draft.faults.add('Dependency on nothing, left out', quoted(ref))
      else if (target === ref) draft.faults.add('Dependency on itself, left out', quoted(ref))
      else addEdge(draft, from, resolve(target, reading), EDGE.needs)
    }
  })
}

function resolve(ref: string, { draft, space }: Reading): number {
  const known = space.elements.get(ref)
  if (known !== undefined && draft.elements[known] !== UNDECLARED) return known
  const [, document, element] = BOM_LINK.exec(ref) ?? []
  if (document !== undefined && element !== undefined) {
    draft.hasExternalReferences = true
    const other = openSpace(draft, `urn:cdx:${document.toLowerCase()}`)
    return referTo(draft, other, decodeFragment(element))
  }
  draft.faults.add('Dependency names a bom-ref that no element has', quoted(ref))
  return referTo(draft, space, ref)
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
