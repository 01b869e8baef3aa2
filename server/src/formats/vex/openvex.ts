/** OpenVEX 0.2.0, and 0.0.1 as older tools write it. https://github.com/openvex/spec/blob/d29fab0c81cf/OPENVEX-SPEC.md */
import { isObject, isText, readText, type JsonObject } from '../sboms/json-values.ts'
import { listHashNames } from './hashes.ts'
import type { VexDocument, VexFault, VexProduct, VexStatement, VexThing } from './model.ts'
import {
  createThing,
  readEntries,
  joinTexts,
  listTexts,
  readIdentifier,
  readTime,
  normaliseVulnerabilityId,
} from './reading.ts'
import { isCycloneDxJustification, isOpenVexJustification, OPENVEX_STATUSES } from './vocabulary.ts'

const NAMESPACE = 'https://openvex.dev/ns'

export function isOpenVex(document: JsonObject): boolean {
  const { '@context': context, statements } = document
  if (isText(context) && context.startsWith(NAMESPACE)) return true
  return (
    Array.isArray(statements) &&
    statements.some((one) => isObject(one) && 'status' in one && 'vulnerability' in one)
  )
}

export function readOpenVex(document: JsonObject): VexDocument {
  const faults: VexFault[] = []
  const { statements: list, ...envelope } = document
  const found = readEntries(list, '/statements', faults)
  const entries = found.map(({ entry }) => entry)
  // A statement inherits missing members from the document ("Inheritance").
  const statedAt = readTime(document['last_updated']) ?? readTime(document['timestamp'])
  const statements = found.flatMap(({ entry, pointer }, index) =>
    readStatement(entry, { pointer, entry: index, statedAt, faults }),
  )
  const [, specVersion] = /\/v(\d+\.\d+\.\d+)$/.exec(readText(document['@context']) ?? '') ?? []
  return {
    format: 'OpenVex',
    specVersion,
    id: readText(document['@id']),
    author: readText(document['author']),
    statedAt,
    envelope,
    entries,
    statements,
    faults,
  }
}

interface Place {
  pointer: string
  entry: number
  statedAt: string | undefined
  faults: VexFault[]
}

function readStatement(statement: JsonObject, place: Place): VexStatement[] {
  const { pointer, entry, faults } = place
  const vulnerability = readVulnerability(statement['vulnerability'])
  if (vulnerability === undefined) {
    faults.push({ pointer, detail: 'names no vulnerability' })
    return []
  }
  const { status, justification } = statement
  const assessment = OPENVEX_STATUSES.get(status)
  if (assessment === undefined) {
    faults.push({
      pointer: `${pointer}/status`,
      detail: `is not an OpenVEX status: ${shown(status)}`,
    })
    return []
  }
  const isJustification =
    isOpenVexJustification(justification) || isCycloneDxJustification(justification)
  const isStated = justification !== undefined && justification !== null && justification !== ''
  if (isStated && !isJustification)
    faults.push({
      pointer: `${pointer}/justification`,
      detail: `is not a justification: ${shown(justification)}; it is left out`,
    })
  return [
    {
      pointer,
      entry,
      ...vulnerability,
      products: readProducts(statement, pointer, faults),
      assessment,
      justification: isJustification ? justification : undefined,
      detail: joinTexts([
        statement['impact_statement'],
        statement['action_statement'],
        statement['status_notes'],
        // Not in any version of the standard, but tools and its examples use it.
        statement['statement'],
      ]),
      responses: [],
      statedAt:
        readTime(statement['last_updated']) ?? readTime(statement['timestamp']) ?? place.statedAt,
    },
  ]
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 100)
}

/** 0.0.1 has only the name. */
function readVulnerability(value: unknown) {
  if (isText(value) && value !== '')
    return { vulnerability: normaliseVulnerabilityId(value), aliases: [] }
  if (!isObject(value)) return undefined
  const name = readText(value['name']) ?? readText(value['@id'])
  if (name === undefined) return undefined
  const aliases = listTexts(value['aliases']).map(normaliseVulnerabilityId)
  return { vulnerability: normaliseVulnerabilityId(name), aliases }
}

/** 0.0.1 lists ids, with the subcomponents of all products beside them. */
function readProducts(statement: JsonObject, pointer: string, faults: VexFault[]): VexProduct[] {
  const { products, subcomponents } = statement
  const shared = Array.isArray(subcomponents) ? subcomponents.flatMap(readThing) : []
  const list: unknown[] = Array.isArray(products) ? products : []
  return list.flatMap((product, index) => {
    const [thing] = readThing(product)
    if (!thing) {
      const hasHashes = isObject(product) && isObject(product['hashes'])
      faults.push({
        pointer: `${pointer}/products/${index}`,
        detail: hasHashes ? 'names a product by checksums that cannot be read' : 'names no product',
      })
      return []
    }
    const own = isObject(product) ? product['subcomponents'] : undefined
    const parts = Array.isArray(own) ? own.flatMap(readThing) : []
    return { ...thing, subcomponents: [...shared, ...parts] }
  })
}

function readThing(value: unknown): VexThing[] {
  if (isText(value)) return value === '' ? [] : [readIdentifier(value)]
  if (!isObject(value)) return []
  const id = readText(value['@id'])
  const thing = id === undefined ? createThing() : readIdentifier(id)
  const { identifiers } = value
  if (isObject(identifiers)) {
    const { purl, cpe22, cpe23 } = identifiers
    thing.purls = distinct([...thing.purls, ...[purl].filter(isText)])
    thing.cpes = distinct([...thing.cpes, ...[cpe23, cpe22].filter(isText)])
  }
  const hashes = listHashNames(value['hashes'])
  if (hashes.length > 0) thing.hashes = hashes
  const isNamed = thing.purls.length + thing.cpes.length + hashes.length > 0
  return id === undefined && !isNamed ? [] : [thing]
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
