/** SPDX 2.2 and 2.3, from JSON or tag-value → draft. https://spdx.github.io/spdx-spec/v2.3/ */
import { noteSpdx2Package } from '../sbom-profiles/stated-in-spdx2.ts'
import { noteFileHashes } from './described-hashes.ts'
import { checkIdentifiers } from './identifiers.ts'
import {
  addEdge,
  declareComponent,
  declareConnector,
  openSpace,
  referTo,
  UNDECLARED,
} from './document.ts'
import type { DocumentPart, Draft, IdSpace } from './draft.ts'
import { SbomError } from './sbom-error.ts'
import { buildScopeByName } from './scope-by-name.ts'
import { readDeclared } from './spdx-values.ts'
import {
  isPatchOfCve,
  noteContainedPatches,
  noteNamedPatch,
  notePackageTexts,
} from './spdx2-facts.ts'
import { noteSourceFile } from './source-files.ts'
import {
  isOfDistribution,
  readSourceTexts,
  readSourceWords,
  formatSystem,
} from './source-packages.ts'
import { SPDX2_OTHER_TYPES, SPDX2_RELATIONS } from './spdx2-relationships.ts'
import { quote } from './warnings.ts'
import type { BuiltFrom, Hash } from './model.ts'

export interface Spdx2Header {
  /** As declared, "SPDX-2.3". */
  version: string | undefined
  namespace: string | undefined
  /** "DocumentRef-…" → namespace of that document. */
  externalDocuments: Map<string, string>
}

export interface Spdx2Package {
  id: string | undefined
  name: string | undefined
  version: string | undefined
  supplier: string | undefined
  originator: string | undefined
  downloadLocation: string | undefined
  homepage: string | undefined
  licenses: (string | undefined)[]
  concludedLicense: string | undefined
  declaredLicense: string | undefined
  fileName: string | undefined
  hashes: Hash[]
  purl: string | undefined
  cpes: string[]
  /** It has an identifier of another kind: SWID, SWHID, gitoid. */
  hasOtherIdentifier: boolean
  /** `SOURCE`, `LIBRARY`, … (SPDX 2.3, section 7.24). */
  purpose: string | undefined
  sourceInfo: string | undefined
  comment: string | undefined
  /** Texts of attribution and annotations. */
  remarks: (string | undefined)[]
}

export interface Spdx2Reading {
  draft: Draft
  space: IdSpace
  header: Spdx2Header
  part: DocumentPart
  /** The position of its first edge in the draft. */
  firstEdge: number
  firstComponent: number
  latestSource: { id: string; element: number | undefined }
  /** Files that are called after a CVE, with their names. */
  patches: Map<number, string>
}

const DOCUMENT_ID = 'SPDXRef-DOCUMENT'
const ELEMENT_ID = /^SPDXRef-[A-Za-z0-9.-]+$/
const VERSION = /^SPDX-(\d+)\.(\d+)(?:\.\d+)?$/
const SUPPORTED_MINORS: ReadonlySet<number> = new Set([2, 3])
/** `Organization: name (e-mail)`, SPDX 2.3 sections 7.5 and 7.6; the e-mail is often empty. */
const AGENT_TYPE = /^(?:Organization|Person|Tool):\s*/i

export function openSpdx2(draft: Draft, header: Spdx2Header): Spdx2Reading {
  draft.specVersion ??= readVersion(header.version, draft)
  if (header.namespace === undefined) draft.faults.add('The document has no documentNamespace')
  const space = openSpace(draft, header.namespace)
  space.isComplete = true
  const part: DocumentPart = {
    namespace: header.namespace,
    refersTo: [...header.externalDocuments.values()],
    roots: [],
  }
  draft.parts.push(part)
  declareConnector(draft, space, DOCUMENT_ID)
  return {
    draft,
    space,
    header,
    part,
    firstEdge: draft.edges.count,
    firstComponent: draft.components.length,
    latestSource: { id: '', element: undefined },
    patches: new Map(),
  }
}

function readVersion(version: string | undefined, draft: Draft): string | undefined {
  const [, major, minor] = VERSION.exec(version ?? '') ?? []
  if (version !== undefined && major !== undefined && major !== '2')
    throw new SbomError(
      'unsupported',
      `${quote(version)} is not read in this form, only SPDX 2.2 and 2.3.`,
    )
  if (version === undefined) draft.faults.add('The document has no spdxVersion, read as SPDX-2.3')
  else if (!SUPPORTED_MINORS.has(Number(minor)))
    draft.faults.add('Unsupported SPDX version, read as SPDX-2.3', quote(version))
  return version?.replace(/^SPDX-/, '')
}

export function declarePackage(
  { draft, space }: Spdx2Reading,
  spdxPackage: Spdx2Package,
  where: () => string,
): number {
  const { faults } = draft
  const id = readDeclared(spdxPackage.id)
  checkId(id, 'Package', draft, where)
  const { purl, cpes, hashes } = spdxPackage
  checkIdentifiers(purl, cpes, faults, where)
  const name = readDeclared(spdxPackage.name)
  if (name === undefined) faults.add('Package without name', where())
  if (spdxPackage.downloadLocation === undefined)
    faults.add('Package without downloadLocation', where())
  const packageName = name ?? purl ?? cpes[0] ?? id ?? where()
  noteSpdx2Package(spdxPackage, draft.facts, draft.components.length)
  const supplier = readDeclared(spdxPackage.supplier)
  const homepage = readDeclared(spdxPackage.homepage)
  const element = declareComponent(draft, space, {
    node: -1,
    ref: id,
    vendor: agentName(supplier) ?? agentName(readDeclared(spdxPackage.originator)),
    packageName,
    version: readDeclared(spdxPackage.version),
    purl,
    cpes,
    licenses: declaredOnce(spdxPackage.licenses),
    hashes,
    supplier,
    downloadLocation: readDeclared(spdxPackage.downloadLocation),
    scope: buildScopeByName(packageName, purl),
    builtFrom: readSource(spdxPackage),
    ...(homepage !== undefined && { addresses: [homepage] }),
  })
  if (spdxPackage.purpose === 'SOURCE') draft.sources.add(element)
  if (isSystem(spdxPackage))
    draft.systems.push(formatSystem(packageName, readDeclared(spdxPackage.version)))
  const { sourceInfo, comment } = spdxPackage
  notePackageTexts(draft, { packageName, sourceInfo, comment }, { element, where })
  return element
}

/** The source package of a distribution's package. */
function readSource({ purl, sourceInfo, remarks }: Spdx2Package): BuiltFrom | undefined {
  if (!isOfDistribution(purl)) return undefined
  return readSourceWords(readDeclared(sourceInfo)) ?? readSourceTexts(declaredOnce(remarks))
}

/** Before SPDX 2.3 had the purpose, Trivy wrote the kind into the id alone. */
function isSystem({ id, purpose }: Spdx2Package): boolean {
  return purpose === 'OPERATING-SYSTEM' || id?.startsWith('SPDXRef-OperatingSystem-') === true
}

/** An external reference, its type bare or as an IRI: http://spdx.org/rdf/references/purl. The first purl counts. */
export function addExternalRef(spdxPackage: Spdx2Package, type: string, locator: string): void {
  const name = type.includes('/') ? type.slice(type.lastIndexOf('/') + 1) : type
  if (name === 'purl') spdxPackage.purl ??= locator
  else if (name === 'cpe23Type' || name === 'cpe22Type') spdxPackage.cpes.push(locator)
  else if (OTHER_IDENTIFIERS.has(name)) spdxPackage.hasOtherIdentifier = true
}

/** SPDX 2.3, annex F. */
const OTHER_IDENTIFIERS: ReadonlySet<string> = new Set(['swid', 'swh', 'gitoid'])

function declaredOnce(texts: readonly (string | undefined)[]): string[] {
  const once: string[] = []
  for (const text of texts) {
    const one = readDeclared(text)
    if (one !== undefined && !once.includes(one)) once.push(one)
  }
  return once
}

export interface Spdx2File {
  id: string | undefined
  /** Its path. */
  name: string | undefined
  /** `SOURCE`, `BINARY`, … */
  types: readonly unknown[]
  hashes: readonly Hash[]
}

export function declareFile(
  { draft, space, patches }: Spdx2Reading,
  { id, name, types, hashes }: Spdx2File,
  where: () => string,
): number {
  checkId(id, 'File', draft, where)
  const element = declareConnector(draft, space, id)
  noteFileHashes(draft, element, { name: name ?? id ?? '', hashes })
  if (name !== undefined && isPatchOfCve(name)) patches.set(element, name)
  const isSource = types.includes('SOURCE')
  if (name !== undefined && (isSource || types.length === 0))
    noteSourceFile(draft, element, { path: name, isSource, isOfTree: false })
  return element
}

function checkId(id: string | undefined, what: string, draft: Draft, where: () => string): void {
  if (id === undefined) draft.faults.add(`${what} without SPDXID`, where())
  else if (!ELEMENT_ID.test(id)) draft.faults.add('SPDXID of a wrong form', quote(id))
}

function agentName(agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined
  const name = agent.replace(AGENT_TYPE, '').trim()
  if (!name.endsWith(')')) return readDeclared(name)
  const open = name.lastIndexOf('(')
  const inside = name.slice(open + 1, -1)
  return readDeclared(
    open !== -1 && (inside === '' || inside.includes('@')) ? name.slice(0, open).trim() : name,
  )
}

export function describe(reading: Spdx2Reading, id: string): void {
  const element = resolve(reading, id)
  if (element !== undefined) reading.part.roots.push(element)
}

export function contain(reading: Spdx2Reading, containerId: string, id: string): void {
  relate(reading, containerId, 'CONTAINS', id)
}

export function relate(reading: Spdx2Reading, from: string, type: string, to: string): void {
  const { draft } = reading
  const relation = SPDX2_RELATIONS.get(type)
  if (relation === undefined) {
    if (type === 'DESCRIBES') describe(reading, to)
    else if (type === 'DESCRIBED_BY') describe(reading, from)
    else if (type === 'PATCH_APPLIED') applyPatch(reading, from, to)
    else if (!SPDX2_OTHER_TYPES.has(type))
      draft.faults.add('Unknown relationship type', quote(type))
    return
  }
  const source = relation.isReversed ? to : from
  const target = relation.isReversed ? from : to
  if (source === target) draft.faults.add('Relationship of an element to itself', quote(from))
  // A document describes what it contains or needs.
  else if (source === DOCUMENT_ID) describe(reading, target)
  else {
    const sourceElement = resolveSource(reading, source)
    const targetElement = resolve(reading, target)
    if (sourceElement === undefined) return
    if (targetElement === undefined) noteNoTarget(draft, sourceElement, target)
    else addEdge(draft, sourceElement, targetElement, relation.kind)
  }
}

/** NONE: it has none of these; NOASSERTION: which ones is not known (SPDX 2.3, section 11.1). */
function noteNoTarget({ facts }: Draft, element: number, target: string): void {
  facts.completenessOf.push(element)
  if (target === 'NONE') facts.listedAsNone.push(element)
}

/** SPDX 2.3, table 68: the file is a patch "that has been applied to" the other element. */
function applyPatch(reading: Spdx2Reading, patch: string, to: string): void {
  const [file, element] = [resolve(reading, patch), resolve(reading, to)]
  const name = reading.patches.get(file ?? -1)
  if (element !== undefined && name !== undefined) noteNamedPatch(reading.draft, element, name)
}

/** Relationships of one element are neighbours, so comparing with the last id is cheaper than a look-up. */
function resolveSource(reading: Spdx2Reading, id: string): number | undefined {
  const { latestSource } = reading
  if (id !== latestSource.id) {
    latestSource.element = resolve(reading, id)
    latestSource.id = id
  }
  return latestSource.element
}

/** `SPDXRef-x`, or `DocumentRef-d:SPDXRef-x` for an element of another document. */
function resolve(reading: Spdx2Reading, id: string): number | undefined {
  const { draft, space, header } = reading
  if (readDeclared(id) === undefined) return undefined
  if (!id.startsWith('DocumentRef-')) return referTo(draft, space, id)
  const colon = id.indexOf(':')
  const documentRef = colon === -1 ? id : id.slice(0, colon)
  const element = colon === -1 ? DOCUMENT_ID : id.slice(colon + 1)
  const namespace = header.externalDocuments.get(documentRef)
  if (namespace !== undefined) return referTo(draft, openSpace(draft, namespace), element)
  draft.faults.add('Reference to a document that externalDocumentRefs does not name', quote(id))
  return referTo(draft, space, id)
}

export function closeSpdx2(reading: Spdx2Reading): void {
  const { draft, space, part, firstComponent, firstEdge, patches } = reading
  if (patches.size > 0) noteContainedPatches(draft, firstEdge, patches)
  const [only, another] = draft.components.slice(firstComponent, firstComponent + 2)
  // A document with one package describes it even without saying so, as Yocto's image does.
  if (part.roots.length === 0 && another === undefined && only?.ref !== undefined)
    part.roots.push(referTo(draft, space, only.ref))
  if (!draft.elements.includes(UNDECLARED)) return
  for (const [id, element] of space.elements)
    if (draft.elements[element] === UNDECLARED && !id.startsWith('DocumentRef-'))
      draft.faults.add('Relationship with an element that is not declared', quote(id))
}
