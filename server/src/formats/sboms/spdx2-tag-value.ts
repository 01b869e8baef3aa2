/** SPDX 2 tag-value → draft. SPDX 2.3, section 4.4 and the examples of each field. */
import { noteSpdx2Document } from '../sbom-profiles/stated-in-spdx2.ts'
import { addEdge, EDGE } from './document.ts'
import type { Draft } from './draft.ts'
import type { Hash } from './model.ts'
import { tooManyValues, type Budget } from './json-scan.ts'
import { SbomError } from './sbom-error.ts'
import {
  addExternalRef,
  closeSpdx2,
  declareFile,
  declarePackage,
  openSpdx2,
  relate,
  type Spdx2File,
  type Spdx2Header,
  type Spdx2Package,
  type Spdx2Reading,
} from './spdx2.ts'
import { quote, type Warnings } from './warnings.ts'
import { isWest } from './west.ts'

interface TagLine {
  tag: string
  value: string
  line: number
}

type Section =
  | { kind: 'document' }
  | { kind: 'package'; line: number; fields: Spdx2Package }
  | { kind: 'file'; line: number; fields: FileFields; owner: number | undefined }
  | { kind: 'other' }

interface FileFields extends Spdx2File {
  types: string[]
  hashes: Hash[]
}

/** A document while its lines are read. Relationships are resolved at the end, when all external documents are known. */
interface TagValueReading {
  reading: Spdx2Reading
  section: Section
  /** The package whose section came last; the files that follow belong to it. */
  owner: number | undefined
  owned: { owner: number; file: number }[]
  relationships: TagLine[]
  seen: Set<string>
  creation: { created: string | undefined; creators: string[] }
}

const RELATIONSHIP = /^(\S+)\s+(\S+)\s+(\S+)$/
const EXTERNAL_REF = /^\S+\s+(\S+)\s+(\S.*)$/
const EXTERNAL_DOCUMENT = /^(\S+)\s+(\S+)/
const CHECKSUM = /^([^:\s]+):\s*(\S+)/
const REQUIRED_TAGS = ['SPDXVersion', 'DataLicense', 'DocumentName', 'Creator', 'Created']

export function readSpdx2TagValue(declaredText: string, draft: Draft, budget: Budget): void {
  // pub.dev's generator mixes in line ends of old Macs.
  const text = declaredText.includes('\r') ? declaredText.replace(/\r\n?/g, '\n') : declaredText
  const reading = openSpdx2(draft, readHeader(text))
  const state: TagValueReading = {
    reading,
    section: { kind: 'document' },
    owner: undefined,
    owned: [],
    relationships: [],
    seen: new Set(),
    creation: { created: undefined, creators: [] },
  }
  forEachTag(text, { budget, faults: draft.faults }, (line) => {
    readTag(line, state)
  })
  closeSection(state)
  noteSpdx2Document({ ...state.creation, namespace: reading.header.namespace }, draft.facts)
  for (const tag of REQUIRED_TAGS)
    if (!state.seen.has(tag) && tag !== 'SPDXVersion')
      draft.faults.add(`The document has no ${tag}`)
  for (const relationship of state.relationships) readRelationship(relationship, state)
  ownFiles(state)
  closeSpdx2(reading)
}

/** Reads first what every reference needs, wherever it is in the document. */
function readHeader(text: string): Spdx2Header {
  const externalDocuments = new Map<string, string>()
  for (const [, value = ''] of text.matchAll(/^[ \t]*ExternalDocumentRef:[ \t]*(.*)$/gm)) {
    const [, id, namespace] = EXTERNAL_DOCUMENT.exec(value) ?? []
    if (id !== undefined && namespace !== undefined) externalDocuments.set(id, namespace)
  }
  return {
    version: /^[ \t]*SPDXVersion:[ \t]*(\S+)/m.exec(text)?.[1],
    namespace: /^[ \t]*DocumentNamespace:[ \t]*(\S+)/m.exec(text)?.[1],
    externalDocuments,
  }
}

/** `Tag: value`, a value of several lines between <text> and </text>; lines that begin with # are comments. */
function forEachTag(
  text: string,
  { budget, faults }: { budget: Budget; faults: Warnings },
  read: (line: TagLine) => void,
): void {
  let line = 0
  let at = 0
  while (at < text.length) {
    line += 1
    const start = at
    const end = lineEnd(text, start)
    const content = text.slice(start, end).trim()
    at = end + 1
    if (content === '' || content.startsWith('#')) continue
    budget.values -= 1
    if (budget.values < 0) throw tooManyValues(budget.valuesLimit)
    const colon = content.indexOf(':')
    if (colon <= 0) {
      faults.add(
        'Line that is not of the form "Tag: value", passed over',
        `line ${line} (${quote(content)})`,
      )
      continue
    }
    const tag = content.slice(0, colon)
    const value = content.slice(colon + 1).trim()
    if (!value.startsWith('<text>')) read({ tag, value, line })
    else {
      const open = text.indexOf('<text>', start) + '<text>'.length
      const close = text.indexOf('</text>', open)
      if (close === -1)
        throw new SbomError('malformed', `Line ${line}: the <text> of ${quote(tag)} never ends.`)
      read({ tag, value: text.slice(open, close).trim(), line })
      const last = lineEnd(text, close)
      line += countLineBreaks(text, start, last)
      at = last + 1
    }
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

function countLineBreaks(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1))
    count += 1
  return count
}

function readTag(tagLine: TagLine, state: TagValueReading): void {
  const { tag, value, line } = tagLine
  if (tag === 'PackageName') {
    closeSection(state)
    state.section = { kind: 'package', line, fields: newPackage(value) }
  } else if (tag === 'FileName') {
    closeSection(state)
    const fields = { id: undefined, name: value, types: [], hashes: [] }
    state.section = { kind: 'file', line, fields, owner: state.owner }
  } else if (tag === 'SnippetSPDXID' || tag === 'SnippetSPDXIdentifier') {
    closeSection(state)
    declareFile(
      state.reading,
      { id: value, name: undefined, types: [], hashes: [] },
      () => `line ${line}`,
    )
    state.section = { kind: 'other' }
  } else if (tag === 'LicenseID') {
    closeSection(state)
    state.section = { kind: 'other' }
  } else if (tag === 'Relationship') state.relationships.push(tagLine)
  else if (state.section.kind === 'package') readPackageTag(tagLine, state.section.fields, state)
  else if (state.section.kind === 'file') readFileTag(tagLine, state.section.fields)
  else if (state.section.kind === 'document') readDocumentTag(tagLine, state)
}

function readDocumentTag(
  { tag, value }: TagLine,
  { seen, reading, creation }: TagValueReading,
): void {
  seen.add(tag)
  if (tag === 'Creator') creation.creators.push(value)
  else if (tag === 'Created') creation.created = value
  if (tag === 'Creator' && isWest(value)) reading.draft.isOfWest = true
}

function newPackage(name: string): Spdx2Package {
  return {
    id: undefined,
    name,
    version: undefined,
    supplier: undefined,
    originator: undefined,
    downloadLocation: undefined,
    homepage: undefined,
    licenses: [],
    concludedLicense: undefined,
    declaredLicense: undefined,
    fileName: undefined,
    hashes: [],
    purl: undefined,
    cpes: [],
    hasOtherIdentifier: false,
    purpose: undefined,
    sourceInfo: undefined,
    remarks: [],
    comment: undefined,
  }
}

const ATTRIBUTION = 'PackageAttributionText'
const LISTS_OF_TAGS = new Set(['PackageLicenseConcluded', 'PackageLicenseDeclared', ATTRIBUTION])
type PlainField =
  | 'id'
  | 'version'
  | 'supplier'
  | 'originator'
  | 'downloadLocation'
  | 'homepage'
  | 'fileName'
  | 'purpose'
  | 'sourceInfo'
  | 'comment'

const FIELD_OF_TAG: ReadonlyMap<string, PlainField> = new Map([
  ['SPDXID', 'id'],
  ['PackageVersion', 'version'],
  ['PackageSupplier', 'supplier'],
  ['PackageOriginator', 'originator'],
  ['PackageDownloadLocation', 'downloadLocation'],
  ['PackageHomePage', 'homepage'],
  ['PackageFileName', 'fileName'],
  ['PrimaryPackagePurpose', 'purpose'],
  ['PackageSourceInfo', 'sourceInfo'],
  ['PackageComment', 'comment'],
])

function addToList(tag: string, value: string, fields: Spdx2Package): void {
  if (tag === ATTRIBUTION) fields.remarks.push(value)
  else fields.licenses.push(value)
  if (tag === 'PackageLicenseConcluded') fields.concludedLicense = value
  if (tag === 'PackageLicenseDeclared') fields.declaredLicense = value
}

function readPackageTag(
  { tag, value, line }: TagLine,
  fields: Spdx2Package,
  { reading, seen }: TagValueReading,
): void {
  const { faults } = reading.draft
  const field = FIELD_OF_TAG.get(tag)
  if (field !== undefined) fields[field] = value
  else if (LISTS_OF_TAGS.has(tag)) {
    addToList(tag, value, fields)
  } else if (tag === 'PackageChecksum') {
    const hash = readChecksum(value)
    if (hash) fields.hashes.push(hash)
    else faults.add('PackageChecksum of a wrong form', `line ${line}`)
  } else if (tag === 'ExternalRef') {
    const [, type, locator] = EXTERNAL_REF.exec(value) ?? []
    if (type !== undefined && locator !== undefined) addExternalRef(fields, type, locator)
    else faults.add('ExternalRef of a wrong form', `line ${line}`)
  }
  // A header after the packages is unusual but allowed.
  else if (REQUIRED_TAGS.includes(tag)) seen.add(tag)
}

function readFileTag({ tag, value }: TagLine, fields: FileFields): void {
  const hash = tag === 'FileChecksum' ? readChecksum(value) : undefined
  if (hash) fields.hashes.push(hash)
  else if (tag === 'SPDXID') fields.id = value
  else if (tag === 'FileType') fields.types.push(value)
}

/** undefined: it is of a wrong form. */
function readChecksum(text: string): Hash | undefined {
  const [, algorithm, value] = CHECKSUM.exec(text) ?? []
  return algorithm !== undefined && value !== undefined ? { algorithm, value } : undefined
}

function closeSection(state: TagValueReading): void {
  const { section, reading } = state
  state.section = { kind: 'other' }
  if (section.kind === 'package')
    state.owner = declarePackage(reading, section.fields, () => `line ${section.line}`)
  else if (section.kind === 'file') {
    const file = declareFile(reading, section.fields, () => `line ${section.line}`)
    if (section.owner !== undefined) state.owned.push({ owner: section.owner, file })
  }
}

function readRelationship({ value, line }: TagLine, { reading }: TagValueReading): void {
  const [, from, type, to] = RELATIONSHIP.exec(value) ?? []
  if (from !== undefined && type !== undefined && to !== undefined)
    relate(reading, from, type.toUpperCase(), to)
  else reading.draft.faults.add('Relationship of a wrong form', `line ${line}`)
}

/** Files that follow a package are its own (SPDX 2.3, section 8.1), unless relationships place them elsewhere. */
function ownFiles({ reading, owned }: TagValueReading): void {
  const { draft, firstEdge } = reading
  const { to, kind, count } = draft.edges
  const contained = new Set<number>()
  for (let i = firstEdge; i < count; i++) if (kind[i] === EDGE.contains) contained.add(to[i] ?? -1)
  for (const { owner, file } of owned)
    if (!contained.has(file)) addEdge(draft, owner, file, EDGE.contains)
}
