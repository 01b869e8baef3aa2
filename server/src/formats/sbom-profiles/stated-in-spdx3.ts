/** What SPDX 3 states. Places: BSI TR-03183-2 v2.1.0 section 8.2, and the model of SPDX 3.0.1. */
import { isObject, isText, listObjects, readText, type JsonObject } from '../sboms/json-values.ts'
import {
  chooseIdSpace,
  readList,
  readReference,
  type Spdx3Reading,
} from '../sboms/spdx3-reading.ts'
import {
  type ComponentFact,
  isContact,
  isTimestamp,
  isUri,
  noteFact,
  noteText,
  noteUnknown,
  type StatedFacts,
} from './stated-facts.ts'

const LISTED_LICENSE = /^https?:\/\/spdx\.org\/licenses\/([^/]+)$/
const NO_ASSERTION = /(?:^|[/_])NoAssertion(?:Element|License)$/

export function noteSpdx3Package(element: JsonObject, reading: Spdx3Reading, node: number): void {
  const { facts } = reading.draft
  const note = (fact: ComponentFact, text: unknown) => {
    noteText(facts, node, { fact, text: readText(text) })
  }
  note('name', element['name'])
  note('version', element['software_packageVersion'])
  for (const agent of [...readList(element['suppliedBy']), ...readList(element['originatedBy'])])
    note(
      'producer',
      isUnknownElement(agent) ? 'NOASSERTION' : findElement(agent, reading)?.['name'],
    )
  for (const agent of readList(element['originatedBy']))
    note('creatorContact', findContact(findElement(agent, reading), reading))
  note('identifier', element['software_packageUrl'])
  for (const one of listInline(element['externalIdentifier'], reading))
    if (IDENTIFIERS.has(one['externalIdentifierType'])) note('identifier', one['identifier'])
  for (const method of listInline(element['verifiedUsing'], reading)) {
    note('hash', method['hashValue'])
    if (method['algorithm'] === 'sha512') note('sha512', method['hashValue'])
  }
  note('deployableUri', element['software_downloadLocation'])
  noteReferences(element, reading, note)
}

/** microsoft/sbom-tool writes "purl". */
const IDENTIFIERS: ReadonlySet<unknown> = new Set(
  'packageUrl purl cpe22 cpe23 swid swhid gitoid urlScheme'.split(' '),
)

function noteReferences(
  element: JsonObject,
  reading: Spdx3Reading,
  note: (fact: ComponentFact, text: unknown) => void,
): void {
  for (const reference of listInline(element['externalRef'], reading)) {
    const type = String(reference['externalRefType']).toLowerCase()
    const locator = readList(reference['locator'])[0]
    if (type === 'sourceartifact' || type === 'vcs') note('sourceUri', locator)
    else if (type === 'binaryartifact') note('deployableUri', locator)
    else if (type === 'securityother') note('securityTxt', locator)
  }
}

/** What a file states of the package that it is the distribution artifact of (section 8.2). */
function listFileFacts(file: JsonObject): ComponentFact[] {
  const facts: ComponentFact[] = []
  if (readText(file['name']) !== undefined) facts.push('fileName')
  for (const { algorithm } of listObjects(file['verifiedUsing']))
    if (algorithm === 'sha512') facts.push('deployableHash', 'sha512')
  // A purpose that is not in the list is denied by that.
  if (Array.isArray(file['software_additionalPurpose']))
    facts.push('executable', 'archive', 'structured')
  return facts
}

/** An element that is no package. */
export function noteSpdx3Element(element: JsonObject, reading: Spdx3Reading, place: number): void {
  const type = element['type'] ?? element['@type']
  if (isText(type) && type.startsWith('security_'))
    reading.draft.facts.ofDocument.add('vulnerabilities')
  if (type !== 'software_File') return
  const facts = listFileFacts(element)
  if (facts.length > 0) reading.fileFacts.set(place, facts)
}

/** The fact that a licence relationship states. */
const FACT_OF_LICENCE: ReadonlyMap<string, ComponentFact> = new Map([
  ['hasConcludedLicense', 'concludedLicence'],
  ['hasDeclaredLicense', 'declaredLicence'],
])

export function isLicenceType(type: string): boolean {
  return FACT_OF_LICENCE.has(type)
}

function isUnknownElement(id: unknown): boolean {
  return isText(id) && NO_ASSERTION.test(id)
}

export function noteSpdx3Document(reading: Spdx3Reading): void {
  const { draft, collections, byId } = reading
  const { facts } = draft
  for (const collection of collections) {
    if (isUri(collection['spdxId'])) facts.ofDocument.add('uri')
    if (readList(collection['software_sbomType']).some(isText))
      facts.ofDocument.add('generationContext')
  }
  const infos = collections
    .map(({ creationInfo }) => findElement(creationInfo, reading))
    .filter((info) => info !== undefined)
  // microsoft/sbom-tool gives it two ids, and refers to the one that counts less.
  const others = infos.length > 0 ? infos : [...byId.values()]
  for (const info of others) if (info['type'] === 'CreationInfo') noteCreation(info, reading, facts)
}

function noteCreation(info: JsonObject, reading: Spdx3Reading, { ofDocument }: StatedFacts): void {
  if (isTimestamp(info['created'])) ofDocument.add('timestamp')
  if (readList(info['createdUsing']).some((tool) => isNamed(tool, reading))) ofDocument.add('tool')
  for (const agent of readList(info['createdBy'])) {
    const element = findElement(agent, reading)
    if (element?.['type'] === 'SoftwareAgent') ofDocument.add('tool')
    else if (isNamed(agent, reading)) {
      ofDocument.add('author')
      if (findContact(element, reading) !== undefined) ofDocument.add('authorContact')
    }
  }
}

function isNamed(reference: unknown, reading: Spdx3Reading): boolean {
  return readText(findElement(reference, reading)?.['name']) !== undefined
}

function findContact(agent: JsonObject | undefined, reading: Spdx3Reading): unknown {
  return listInline(agent?.['externalIdentifier'], reading)
    .map(({ identifier }) => identifier)
    .find(isContact)
}

/** The element, inline or by reference. */
function findElement(value: unknown, reading: Spdx3Reading): JsonObject | undefined {
  if (isObject(value) && value['type'] !== undefined) return value
  return reading.byId.get(readReference(value, reading) ?? '')
}

function listInline(value: unknown, reading: Spdx3Reading): JsonObject[] {
  return readList(value)
    .map((one) => findElement(one, reading))
    .filter((one) => one !== undefined)
}

/** Types that list what an element needs or contains, as edges of the graph do. */
const LISTING: ReadonlySet<string> = new Set(['contains', 'dependsOn'])

/** Packages are read before relationships. */
export function noteSpdx3Relationship(
  relationship: JsonObject,
  { from, type }: { from: string; type: string },
  reading: Spdx3Reading,
): void {
  const { draft } = reading
  const element = chooseIdSpace(from, reading).elements.get(from) ?? -1
  const node = draft.elements[element] ?? -1
  if (type === 'generates') noteSource(from, relationship, reading)
  if (node < 0) return
  if (type === 'other' && relationship['comment'] === 'hasEffectiveLicense')
    noteFact(draft.facts, node, 'effectiveLicence')
  if (LISTING.has(type)) noteCompleteness(relationship, element, reading)
  for (const target of readList(relationship['to'])) {
    const to = readReference(target, reading)
    if (to === undefined) continue
    if (isLicenceType(type)) noteLicence(to, { type, node }, reading)
    else if (type === 'hasDistributionArtifact') noteDistribution(to, node, reading)
  }
}

function noteDistribution(to: string, node: number, reading: Spdx3Reading): void {
  const file = chooseIdSpace(to, reading).elements.get(to) ?? -1
  for (const fact of reading.fileFacts.get(file) ?? []) noteFact(reading.draft.facts, node, fact)
}

/** From source code to the packages that are made of it. */
function noteSource(from: string, relationship: JsonObject, reading: Spdx3Reading): void {
  const { draft, byId } = reading
  const source = byId.get(from)
  if (source === undefined) return
  const hash = listInline(source['verifiedUsing'], reading).find(
    ({ algorithm }) => algorithm === 'sha512',
  )
  for (const target of readList(relationship['to'])) {
    const to = readReference(target, reading) ?? ''
    const node = draft.elements[chooseIdSpace(to, reading).elements.get(to) ?? -1] ?? -1
    if (node < 0) continue
    noteReferences(source, reading, (fact, text) => {
      if (fact === 'sourceUri') noteText(draft.facts, node, { fact, text: readText(text) })
    })
    noteText(draft.facts, node, { fact: 'sourceHash', text: readText(hash?.['hashValue']) })
  }
}

/** "complete", "incomplete" or "noAssertion" (SPDX 3.0.1, RelationshipCompleteness); to none: it has none of these. */
function noteCompleteness(
  { completeness, to }: JsonObject,
  element: number,
  { draft: { facts }, expand }: Spdx3Reading,
): void {
  if (isText(completeness)) facts.completenessOf.push(element)
  const targets = readList(to).filter(isText).map(expand)
  if (targets.length > 0 && targets.every((id) => id.endsWith('NoneElement')))
    facts.listedAsNone.push(element)
}

function noteLicence(
  to: string,
  { type, node }: { type: string; node: number },
  { draft: { facts }, byId }: Spdx3Reading,
): void {
  const kind = FACT_OF_LICENCE.get(type) ?? 'licence'
  for (const fact of ['licence', kind] as const)
    if (isUnknownElement(to)) noteUnknown(facts, node, fact)
    else noteText(facts, node, { fact, text: readLicence(to, byId) })
}

/** The text of a licence element: an expression, an id of the list, a name. */
export function readLicence(id: string, byId: Spdx3Reading['byId']): string | undefined {
  const license = byId.get(id)
  return (
    readText(license?.['simplelicensing_licenseExpression']) ??
    // As section 8.2 of BSI TR-03183-2 writes it.
    readText(license?.['licenseExpression']) ??
    LISTED_LICENSE.exec(id)?.[1] ??
    readText(license?.['name'])
  )
}
