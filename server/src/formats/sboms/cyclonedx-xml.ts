/** CycloneDX XML → the JSON shape → draft. No document types, only the five entities of XML, no network. */
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { BOM, type Child, type Shape } from './cyclonedx-xml-shape.ts'
import { XML_PLACES } from './cyclonedx-reading.ts'
import { readCycloneDx } from './cyclonedx.ts'
import type { Draft } from './draft.ts'
import { tooDeep, tooManyValues, type Budget } from './json-scan.ts'
import { isObject, isText, listObjects, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { quote } from './warnings.ts'

const NAMESPACE = 'http://cyclonedx.org/schema/bom/'

export function readCycloneDxXml(text: string, draft: Draft, budget: Budget): void {
  const bom = toJsonShape(text, draft, budget)
  const { dependencies } = bom
  if (dependencies !== undefined)
    bom['dependencies'] = flattenDependencies(listObjects(dependencies))
  readCycloneDx(bom, draft, XML_PLACES)
}

/** An open element that is not skipped. */
interface Frame {
  name: string
  shape: Shape
  /** Holds the children; undefined for a text element. */
  target: JsonObject | unknown[] | undefined
  text: string
  child: Child | undefined
}

function toJsonShape(text: string, draft: Draft, budget: Budget): JsonObject {
  const parser = new SaxesParser({ xmlns: true })
  const bom: JsonObject = {}
  const frames: Frame[] = []
  let skippedLevels = 0
  let namespace = ''
  parser.on('error', (error) => {
    throw brokenXml(error.message)
  })
  parser.on('doctype', () => {
    throw new SbomError(
      'malformed',
      'The XML has a DOCTYPE; document types and their entities are refused. Remove the DOCTYPE.',
    )
  })
  parser.on('opentag', (tag) => {
    countElement(tag, frames.length + skippedLevels, budget, parser.position)
    const parent = frames.at(-1)
    if (skippedLevels > 0) skippedLevels += 1
    else if (parent === undefined) {
      namespace = readRoot(tag, bom, draft)
      frames.push({ name: 'bom', shape: BOM, target: bom, text: '', child: undefined })
    } else {
      const frame = tag.uri === namespace ? openElement(tag, parent, draft) : undefined
      if (frame === undefined) skippedLevels = 1
      else frames.push(frame)
    }
  })
  const addText = (part: string) => {
    const frame = skippedLevels === 0 ? frames.at(-1) : undefined
    if (frame !== undefined) frame.text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    if (skippedLevels > 0) skippedLevels -= 1
    else closeElement(frames, draft)
  })
  parser.write(text).close()
  return bom
}

function countElement(tag: SaxesTagNS, depth: number, budget: Budget, position: number): void {
  if (depth >= budget.depth) throw tooDeep(budget.depth, position)
  budget.values -= 1
  for (const _name in tag.attributes) budget.values -= 1
  if (budget.values < 0) throw tooManyValues(budget.valuesLimit)
}

/** saxes says `line:column: what`. */
function brokenXml(message: string): SbomError {
  const [, line, column, what] = /^(\d+):(\d+): (.*)$/s.exec(message) ?? []
  if (line === undefined || column === undefined || what === undefined)
    return new SbomError('malformed', `The XML is broken: ${message}`)
  return new SbomError(
    'malformed',
    `The XML is broken. Line ${line}, column ${column}: ${what.replace(/\.$/, '')}.`,
  )
}

/** @returns the namespace of the document's elements. */
function readRoot(tag: SaxesTagNS, bom: JsonObject, draft: Draft): string {
  const { local, uri } = tag
  if (local !== 'bom' || (uri !== '' && !uri.startsWith(NAMESPACE))) throw notABom(tag)
  if (uri === '') draft.faults.add('The element bom has no CycloneDX namespace')
  else bom['specVersion'] = versionIn(uri)
  readAttributes(tag, BOM, bom)
  return uri
}

function versionIn(uri: string): string {
  const version = uri.slice(NAMESPACE.length)
  if (/^\d+(?:\.\d+)?$/.test(version)) return version
  throw new SbomError('unsupported', `The namespace ${quote(uri)} names no CycloneDX version.`)
}

function notABom({ local, uri }: SaxesTagNS): SbomError {
  if (local === 'Document' || uri.startsWith('http://spdx.org/rdf/'))
    return new SbomError(
      'unsupported',
      'The file is SPDX in XML, which is not read. Convert it to JSON.',
    )
  if (local === 'RDF')
    return new SbomError(
      'unsupported',
      'The file is SPDX in RDF/XML, which is not read. Convert it to JSON.',
    )
  if (local.toLowerCase() === 'html')
    return new SbomError('not-an-sbom', 'The file is an HTML page, not an SBOM.')
  return new SbomError(
    'not-an-sbom',
    `The XML document is not CycloneDX: its root element is ${quote(local)}${uri === '' ? '' : ` of ${quote(uri)}`}.`,
  )
}

/** undefined: the element and its content are skipped. */
function openElement(tag: SaxesTagNS, parent: Frame, draft: Draft): Frame | undefined {
  const child = parent.shape.children?.get(tag.local)
  if (child === undefined) {
    draft.faults.add('Unknown element', `${quote(tag.local)} in ${quote(parent.name)}`)
    return undefined
  }
  if (child.kind === 'skip') return undefined
  const name = tag.local
  if (child.kind === 'text' || child.kind === 'text-entry')
    return { name, shape: {}, target: undefined, text: '', child }
  if (child.kind === 'list') return { name, shape: child.shape, target: [], text: '', child }
  const target: JsonObject = {}
  readAttributes(tag, child.shape, target)
  return { name, shape: child.shape, target, text: '', child }
}

function readAttributes(tag: SaxesTagNS, shape: Shape, target: JsonObject): void {
  for (const name in tag.attributes) {
    const attribute = tag.attributes[name]
    if (attribute === undefined || attribute.uri !== '' || name === 'xmlns') continue
    // The XSDs allow any other attribute everywhere.
    const member = shape.attributes?.get(name)
    if (member !== undefined) target[member] = attribute.value
  }
}

function closeElement(frames: Frame[], draft: Draft): void {
  const frame = frames.pop()
  const parent = frames.at(-1)
  if (frame === undefined) return
  const { shape, target } = frame
  if (shape.text !== undefined && isObject(target)) {
    const text = frame.text.trim()
    if (text !== '') target[shape.text] = text
  }
  if (parent !== undefined) store(frame, parent, draft)
}

function store(frame: Frame, parent: Frame, draft: Draft): void {
  const { child, target } = frame
  if (child === undefined || child.kind === 'skip') return
  const value = target ?? frame.text.trim()
  const into = parent.target
  if (child.kind === 'entry' || child.kind === 'text-entry') {
    const { wrappedIn } = child
    if (Array.isArray(into)) into.push(wrappedIn === undefined ? value : { [wrappedIn]: value })
  } else if (isObject(into)) {
    const known = into[child.member]
    if (child.kind === 'repeated') {
      if (Array.isArray(known)) known.push(value)
      else into[child.member] = [value]
    } else if (known === undefined) into[child.member] = value
    else
      draft.faults.add(
        'Element that may stand once only, the first counts',
        `${quote(frame.name)} in ${quote(parent.name)}`,
      )
  }
}

/** Dependencies may nest in XML: `a` on `b` on `c`. */
function flattenDependencies(dependencies: readonly JsonObject[]): JsonObject[] {
  const flat: JsonObject[] = []
  const pending: JsonObject[] = dependencies.toReversed()
  for (let next = pending.pop(); next; next = pending.pop()) {
    const nested = listObjects(next['dependencies'])
    const dependsOn = nested.map(({ ref }) => ref).filter(isText)
    flat.push({ ref: next['ref'], dependsOn })
    for (const one of nested) if (one['dependencies'] !== undefined) pending.push(one)
  }
  return flat
}
