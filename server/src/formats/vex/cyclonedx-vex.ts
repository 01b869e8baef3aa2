/** CycloneDX 1.4 to 1.7: `vulnerabilities` with an `analysis`, in a document of their own or inside an SBOM. */
import { isObject, isText, listObjects, readText, type JsonObject } from '../sboms/json-values.ts'
import { listHashNames } from './hashes.ts'
import {
  VexError,
  type VexDocument,
  type VexFault,
  type VexProduct,
  type VexStatement,
  type VexThing,
} from './model.ts'
import {
  decodePercent,
  createThing,
  readEntries,
  joinTexts,
  listTexts,
  readIdentifier,
  readTime,
  normaliseVulnerabilityId,
} from './reading.ts'
import {
  CYCLONEDX_STATES,
  isCycloneDxJustification,
  isOpenVexJustification,
  isVexResponse,
  type VexAssessment,
} from './vocabulary.ts'

export const JUSTIFICATION_PROPERTY = 'plimsoll:vex:justification'

export function isCycloneDx(document: JsonObject): boolean {
  return document['bomFormat'] === 'CycloneDX'
}

export function readCycloneDxVex(document: JsonObject): VexDocument {
  const faults: VexFault[] = []
  const { vulnerabilities, ...envelope } = document
  const specVersion = readText(document['specVersion'])
  if (specVersion !== undefined && !/^1\.\d+$/.test(specVersion))
    throw new VexError(`CycloneDX ${specVersion} is not read, only 1.4 to 1.7.`, '/specVersion')
  const metadata = isObject(document['metadata']) ? document['metadata'] : {}
  const statedAt = readTime(metadata['timestamp'])
  const found = readEntries(vulnerabilities, '/vulnerabilities', faults)
  const productOf = productReader(document)
  const statements = found.flatMap(({ entry, pointer }, index) =>
    readCycloneDxStatement(entry, { pointer, entry: index, statedAt, faults, productOf }),
  )
  const bomLink = formatBomLink(document)
  return {
    format: 'CycloneDx',
    specVersion,
    id: bomLink ?? readText(document['serialNumber']),
    author: readAuthor(metadata),
    statedAt,
    envelope,
    entries: found.map(({ entry }) => entry),
    statements,
    faults,
  }
}

/** https://cyclonedx.org/capabilities/bomlink/ */
export function formatBomLink({ serialNumber, version }: JsonObject): string | undefined {
  const [, uuid] = /^(?:urn:uuid:)?([0-9a-f-]{36})$/i.exec(readText(serialNumber) ?? '') ?? []
  if (uuid === undefined) return undefined
  return `urn:cdx:${uuid.toLowerCase()}/${typeof version === 'number' ? version : 1}`
}

function readAuthor(metadata: JsonObject): string | undefined {
  const [author] = listObjects(metadata['authors'])
  const organisations = [metadata['manufacturer'], metadata['manufacture'], metadata['supplier']]
  return [author, ...organisations].flatMap((one) =>
    isObject(one) ? (readText(one['name']) ?? readText(one['email']) ?? []) : [],
  )[0]
}

interface Place {
  pointer: string
  entry: number
  statedAt: string | undefined
  faults: VexFault[]
  /** undefined: several things of the document share the ref. */
  productOf: (ref: string) => VexProduct | undefined
}

/** undefined for a vulnerability without analysis, which is a report and not a statement. */
function readCycloneDxStatement(vulnerability: JsonObject, place: Place): VexStatement[] {
  const { pointer, entry, faults } = place
  const { analysis } = vulnerability
  if (!isObject(analysis)) return []
  const id = readText(vulnerability['id'])
  if (id === undefined) {
    faults.push({ pointer, detail: 'names no vulnerability' })
    return []
  }
  const assessment = CYCLONEDX_STATES.get(analysis['state'])
  if (assessment === undefined) {
    // Some tools write the member without a value, or only other members of the analysis.
    if (readText(analysis['state']) !== undefined)
      faults.push({ pointer: `${pointer}/analysis/state`, detail: 'is not a CycloneDX state' })
    return []
  }
  return [
    {
      pointer,
      entry,
      vulnerability: normaliseVulnerabilityId(id),
      aliases: listObjects(vulnerability['references']).flatMap(
        (reference) => readText(reference['id']) ?? [],
      ),
      products: readAffects(vulnerability['affects'], assessment, place),
      assessment,
      justification: readJustification(vulnerability, analysis, place),
      detail: joinTexts([analysis['detail']]),
      responses: listTexts(analysis['response']).filter(isVexResponse),
      statedAt:
        readTime(analysis['lastUpdated']) ??
        readTime(analysis['firstIssued']) ??
        readTime(vulnerability['updated']) ??
        place.statedAt,
    },
  ]
}

function readJustification(
  vulnerability: JsonObject,
  analysis: JsonObject,
  { pointer, faults }: Place,
): VexStatement['justification'] {
  // Documents of this service keep the word of another standard beside the nearest word of this one.
  const ours = listObjects(vulnerability['properties']).find(
    ({ name }) => name === JUSTIFICATION_PROPERTY,
  )
  const justification = ours?.['value'] ?? analysis['justification']
  if (isCycloneDxJustification(justification) || isOpenVexJustification(justification))
    return justification
  if (readText(justification) !== undefined)
    faults.push({
      pointer: `${pointer}/analysis/justification`,
      detail: 'is not a CycloneDX justification; it is left out',
    })
  return undefined
}

function readAffects(affects: unknown, assessment: VexAssessment, place: Place): VexProduct[] {
  return listObjects(affects).flatMap((affected, index) => {
    const ref = readText(affected['ref'])
    if (ref === undefined) {
      place.faults.push({
        pointer: `${place.pointer}/affects/${index}`,
        detail: 'names no component',
      })
      return []
    }
    const list = listObjects(affected['versions'])
    const versions = versionsMeant(list, assessment)
    if (list.length > 0 && versions.length === 0) {
      place.faults.push({
        pointer: `${place.pointer}/affects/${index}/versions`,
        detail: `names no version that is ${assessment === 'Exploitable' ? 'affected' : 'unaffected'}`,
      })
      return []
    }
    const product = place.productOf(ref)
    if (product === undefined) {
      place.faults.push({
        pointer: `${place.pointer}/affects/${index}`,
        detail: `names a component by an id that several share: ${JSON.stringify(ref.slice(0, 100))}`,
      })
      return []
    }
    return limitedTo({ ...product, localRef: ref }, versions)
  })
}

/**
 * Each version has its own status. Versions whose status contradicts the analysis are left out. Where all contradict it, as in
 * trivy's documents for `not_affected`, they name the examined versions.
 */
function versionsMeant(list: readonly JsonObject[], assessment: VexAssessment): string[] {
  const statusOf = ({ status }: JsonObject) => readText(status) ?? 'affected'
  const textsOf = (some: readonly JsonObject[]) =>
    some.flatMap(({ version, range }) => readText(version) ?? readText(range) ?? [])
  const having = (status: string) => list.filter((one) => statusOf(one) === status)
  if (assessment === 'Exploitable') return textsOf(having('affected'))
  if (assessment === 'InTriage') return textsOf(list)
  const unaffected = having('unaffected')
  return textsOf(unaffected.length > 0 ? unaffected : having('affected'))
}

function limitedTo(product: VexProduct, versions: readonly string[]): VexProduct {
  if (versions.length === 0) return product
  const [part, ...others] = product.subcomponents
  if (!part || others.length > 0) return { ...product, versions: [...versions] }
  return { ...product, subcomponents: [{ ...part, versions: [...versions] }] }
}

/**
 * Resolves refs of this document. If the document describes a product in `metadata.component`, its other components are parts
 * of that product.
 */
function productReader(document: JsonObject): Place['productOf'] {
  const { metadata, components, services } = document
  const root = isObject(metadata) && isObject(metadata['component']) ? metadata['component'] : {}
  const rootRef = readText(root['bom-ref'])
  const rootThing = readText(root['name']) === undefined ? undefined : thingOfComponent(root)
  const byRef = new Map<string, VexThing>()
  // Merged documents may use a ref twice. Which of the two is meant, nobody can tell.
  const shared = new Set<string>()
  if (rootRef !== undefined && rootThing) byRef.set(rootRef, rootThing)
  const own = formatBomLink(document)
  const pending: unknown[] = [components, root['components'], services]
  for (let list = pending.pop(); pending.length > 0 || list !== undefined; list = pending.pop())
    for (const component of listObjects(list)) {
      const ref = readText(component['bom-ref'])
      if (ref !== undefined) noteThing(byRef, shared, { ref, thing: thingOfComponent(component) })
      if (component['components'] !== undefined) pending.push(component['components'])
    }
  return (link) => {
    // The document's own BOM-Link refers to itself.
    const ref = own !== undefined && link.startsWith(`${own}#`) ? link.slice(own.length + 1) : link
    if (shared.has(ref) || shared.has(decodePercent(ref))) return undefined
    if (ref === rootRef && rootThing) return { ...rootThing, subcomponents: [] }
    const part = byRef.get(ref)
    if (!part) return { ...thingOfRef(link), subcomponents: [] }
    return rootThing ? { ...rootThing, subcomponents: [part] } : { ...part, subcomponents: [] }
  }
}

/** A component that is declared again in the same words is still one thing. */
function noteThing(
  byRef: Map<string, VexThing>,
  shared: Set<string>,
  { ref, thing }: { ref: string; thing: VexThing },
): void {
  const known = byRef.get(ref)
  if (!known) byRef.set(ref, thing)
  else if (formatWords(known) !== formatWords(thing)) shared.add(ref)
}

const formatWords = ({ purls, cpes, name, version }: VexThing) =>
  JSON.stringify([purls, cpes, name, version])

function thingOfComponent(component: JsonObject): VexThing {
  const { purl, cpe, name, version, group } = component
  const thing = createThing()
  if (isText(purl) && purl !== '') thing.purls.push(purl)
  if (isText(cpe) && cpe !== '') thing.cpes.push(cpe)
  const [vendor, product] = [readText(group), readText(name)]
  if (product !== undefined) thing.name = vendor === undefined ? product : `${vendor}/${product}`
  const text = readText(version)
  if (text !== undefined) thing.version = text
  const hashes = listHashNames(component['hashes'])
  if (hashes.length > 0) thing.hashes = hashes
  return thing
}

/** Tools often use the purl as the ref; a BOM-Link then ends with it. */
function thingOfRef(ref: string): VexThing {
  const hash = ref.indexOf('#')
  const [, element] = /^urn:cdx:[^#]*#(.+)$/.exec(ref) ?? []
  if (hash < 0 || element === undefined) return readIdentifier(ref)
  const id = /^(?:pkg|cpe)%3a/i.test(element) ? decodePercent(element) : element
  return { ...readIdentifier(id), ref }
}
