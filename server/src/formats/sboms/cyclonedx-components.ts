/** Components of CycloneDX at any depth. */
import {
  checkComponent,
  checkHash,
  checkLicenses,
  checkNamedValues,
  type CheckContext,
} from './cyclonedx-checks.ts'
import { noteCycloneDxComponent } from '../sbom-profiles/stated-in-cyclonedx.ts'
import { notePatches } from './cyclonedx-patches.ts'
import type { CycloneDxReading } from './cyclonedx-reading.ts'
import { addEdge, declareComponent, EDGE } from './document.ts'
import type { Draft } from './draft.ts'
import { checkIdentifiers } from './identifiers.ts'
import { isObject, isText, listObjects, readText, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { noteSourceFile } from './source-files.ts'
import { isOfDistribution, readSourceProperties, formatSystem } from './source-packages.ts'
import { buildScopeByName } from './scope-by-name.ts'
import type { ComponentScope, Hash } from './model.ts'

interface Level {
  list: unknown[]
  next: number
  place: (index: number) => string
  parent: number | undefined
  /** They are part of a component that the environment provides. */
  isExternal: boolean
}

/** Reads in document order, without recursion. @returns the elements of the outermost list. */
export function readComponents(
  list: unknown[],
  reading: CycloneDxReading,
  place: (index: number) => string,
): number[] {
  const { draft, places } = reading
  const outermost: number[] = []
  const above: Level[] = []
  let level: Level | undefined = { list, next: 0, place, parent: undefined, isExternal: false }
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
    const isExternal = level.isExternal || isDeclaredExternal(component, reading)
    const element = readComponent(component, reading, { where, isExternal })
    if (parent === undefined) outermost.push(element)
    else {
      addEdge(draft, parent, element, EDGE.contains)
      noteFile(component, draft, element)
    }
    const children = component['components']
    if (children === undefined || children === null) continue
    const childPlace = places.list(where(), 'components')
    above.push(level)
    level = {
      list: listAt(children, childPlace),
      next: 0,
      place: (child) => places.entry(childPlace, child),
      parent: element,
      isExternal,
    }
  }
  return outermost
}

/** A file that is part of a component. */
function noteFile({ type, name }: JsonObject, draft: Draft, element: number): void {
  const path = type === 'file' ? readText(name) : undefined
  if (path !== undefined) noteSourceFile(draft, element, { path, isSource: true, isOfTree: false })
}

export function listAt(list: unknown, place: string): unknown[] {
  if (Array.isArray(list)) return list
  throw new SbomError('malformed', `The value at ${place} is not a list of components.`)
}

/**
 * "An external component is one that is not part of an assembly, but is expected to be provided by the environment,
 * regardless of the component's `scope`" (CycloneDX 1.7, isExternal). Documents of earlier versions do not know it.
 */
function isDeclaredExternal({ isExternal }: JsonObject, { context }: CycloneDxReading): boolean {
  const isTrue = isExternal === true || (context.isXml && /^(true|1)$/.test(String(isExternal)))
  return isTrue && context.minor >= 7
}

function readComponent(
  component: JsonObject,
  reading: CycloneDxReading,
  { where, isExternal }: { where: () => string; isExternal: boolean },
): number {
  const { draft, context, space } = reading
  checkComponent(component, context, where)
  const ref = readRef(component['bom-ref'], draft, where)
  const cpe = readText(component['cpe'])
  const cpes = cpe === undefined ? [] : [cpe]
  const purl = readText(component['purl'])
  checkIdentifiers(purl, cpes, draft.faults, where)
  const packageName = readName(component, draft, where)
  if (component['type'] === 'operating-system')
    draft.systems.push(formatSystem(packageName, readText(component['version'])))
  const properties = component['properties']
  if (properties !== undefined) checkNamedValues(properties, context, where)
  noteCycloneDxComponent(component, draft.facts, draft.components.length)
  const supplier = readOrganisation(component['supplier'])
  const { location, addresses } = readExternalReferences(component['externalReferences'], draft)
  const element = declareComponent(draft, space, {
    node: -1,
    ref,
    vendor: supplier ?? readOrganisation(component['manufacturer']) ?? readVendor(component),
    packageName,
    version: readText(component['version']),
    purl,
    cpes,
    licenses: readLicenses(component['licenses'], context, where),
    hashes: readHashes(component['hashes'], context, where),
    supplier,
    downloadLocation: location,
    scope: isExternal
      ? 'external'
      : (readScope(component['scope']) ?? buildScopeByName(packageName, purl)),
    builtFrom: isOfDistribution(purl) ? readSourceProperties(properties) : undefined,
    ...(addresses.length > 0 && { addresses }),
  })
  notePatches(component, draft, { element, where })
  return element
}

function readRef(ref: unknown, draft: Draft, where: () => string): string | undefined {
  if (ref === '') draft.faults.add('Empty bom-ref', where())
  return readText(ref)
}

function readName(component: JsonObject, draft: Draft, where: () => string): string {
  const name = readText(component['name'])
  if (name !== undefined) return name
  draft.faults.add('Component without name', where())
  return (
    readText(component['purl']) ??
    readText(component['cpe']) ??
    readText(component['bom-ref']) ??
    where()
  )
}

function readOrganisation(organisation: unknown): string | undefined {
  return isObject(organisation) ? readText(organisation['name']) : undefined
}

/** Uses the group, a vendor's namespace, where nothing names the vendor. */
function readVendor(component: JsonObject): string | undefined {
  return readText(component['publisher']) ?? readText(component['group'])
}

function readScope(scope: unknown): ComponentScope | undefined {
  return scope === 'required' || scope === 'optional' || scope === 'excluded' ? scope : undefined
}

function readLicenses(list: unknown, context: CheckContext, where: () => string): string[] {
  if (list === undefined || list === null) return []
  const choices = listObjects(list)
  checkLicenses(choices, context, where)
  const names: string[] = []
  for (const { license, expression } of choices) {
    const name = isObject(license)
      ? (readText(license['id']) ?? readText(license['name']))
      : undefined
    const text = name ?? readText(expression)
    if (text !== undefined) names.push(text)
  }
  return names
}

function readHashes(list: unknown, context: CheckContext, where: () => string): Hash[] {
  if (list === undefined || list === null) return []
  const hashes: Hash[] = []
  for (const hash of listObjects(list)) {
    checkHash(hash, context, where)
    const algorithm = readText(hash['alg'])
    const value = readText(hash['content'])
    if (algorithm !== undefined && value !== undefined) hashes.push({ algorithm, value })
  }
  return hashes
}

/** Where the component can be downloaded, and where its project is at home. */
function readExternalReferences(
  list: unknown,
  draft: Draft,
): { location: string | undefined; addresses: string[] } {
  const addresses: string[] = []
  let location: string | undefined
  if (!Array.isArray(list)) return { location, addresses }
  for (const reference of list) {
    if (!isObject(reference)) continue
    const url = readText(reference['url'])
    if (reference['type'] === 'distribution') location ??= url
    else if (isBomReference(reference)) draft.hasExternalReferences = true
    else if (url !== undefined && ADDRESSES.has(reference['type'])) addresses.push(url)
  }
  return { location, addresses: addresses.slice(0, MOST_ADDRESSES) }
}

const ADDRESSES: ReadonlySet<unknown> = new Set(['vcs', 'website'])
const MOST_ADDRESSES = 5

/** A BOM-Link to another CycloneDX document. */
export function isBomReference({ type, url }: JsonObject): boolean {
  return type === 'bom' && isText(url) && url.startsWith('urn:cdx:')
}
