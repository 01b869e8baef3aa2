/** What CycloneDX states, in its JSON shape. Places: BSI TR-03183-2 v2.1.0 section 8.2, and the specification of CycloneDX. */
import { isObject, isText, listObjects, readText, type JsonObject } from '../sboms/json-values.ts'
import {
  type ComponentFact,
  isContact,
  isTimestamp,
  isUri,
  noteFact,
  noteText,
  type StatedFacts,
} from './stated-facts.ts'

export function noteCycloneDxComponent(
  component: JsonObject,
  facts: StatedFacts,
  node: number,
): void {
  const note = (fact: ComponentFact, text: unknown) => {
    noteText(facts, node, { fact, text: readText(text) })
  }
  note('name', component['name'])
  note('version', component['version'])
  noteProducer(component, note)
  for (const text of listIdentifiers(component)) note('identifier', text)
  for (const choice of listObjects(component['licenses'])) noteLicence(choice, note)
  for (const { alg, content } of listObjects(component['hashes'])) {
    note('hash', content)
    if (alg === 'SHA-512') note('sha512', content)
  }
  for (const reference of listObjects(component['externalReferences']))
    noteReference(reference, note)
  for (const { name, value } of listObjects(component['properties'])) {
    const fact = FACT_OF_PROPERTY.get(name)
    if (fact !== undefined && isText(value) && value !== '') noteFact(facts, node, fact)
  }
}

type Note = (fact: ComponentFact, text: unknown) => void

/** The publisher is what NTIA's survey of formats (2021) maps the supplier to. */
function noteProducer(component: JsonObject, note: Note): void {
  const { supplier, manufacturer, publisher, authors } = component
  for (const one of [supplier, manufacturer]) if (isObject(one)) note('producer', one['name'])
  note('producer', publisher)
  const addresses = [...listAddresses(manufacturer), ...listEmails(authors)]
  note('creatorContact', addresses.find(isContact))
}

function listIdentifiers(component: JsonObject): unknown[] {
  const { purl, cpe, swid, omniborId, swhid } = component
  const more = [omniborId, swhid].flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
  return [purl, cpe, isObject(swid) ? swid['tagId'] : undefined, ...more]
}

/** Only an SPDX id or an expression tells the licence where profiles ask for the kind of it (BSI TR-03183-2 section 6.1). */
function noteLicence({ license, expression, ...choice }: JsonObject, note: Note): void {
  const inside = isObject(license) ? license : {}
  const identified = inside['id'] ?? expression
  note('licence', identified ?? inside['name'])
  const acknowledgement = inside['acknowledgement'] ?? choice['acknowledgement']
  if (acknowledgement === 'concluded') note('concludedLicence', identified)
  if (acknowledgement === 'declared') note('declaredLicence', identified)
}

function noteReference({ type, url, hashes }: JsonObject, note: Note): void {
  const sha512 = listObjects(hashes).find(({ alg }) => alg === 'SHA-512')?.['content']
  if (type === 'distribution') {
    note('deployableUri', url)
    note('deployableHash', sha512)
  } else if (type === 'source-distribution') {
    note('sourceUri', url)
    note('sourceHash', sha512)
  } else if (type === 'vcs') note('sourceUri', url)
  else if (type === 'rfc-9116') note('securityTxt', url)
}

/** https://github.com/BSI-Bund/tr-03183-cyclonedx-property-taxonomy */
const FACT_OF_PROPERTY: ReadonlyMap<unknown, ComponentFact> = new Map<unknown, ComponentFact>([
  ['bsi:component:filename', 'fileName'],
  ['bsi:component:executable', 'executable'],
  ['bsi:component:archive', 'archive'],
  ['bsi:component:structured', 'structured'],
  ['bsi:component:effectiveLicense', 'effectiveLicence'],
])

/** A list in JSON; in XML, each is an element with its text. */
function listAddresses(organisation: unknown): unknown[] {
  if (!isObject(organisation)) return []
  const { url, contact } = organisation
  const urls: unknown[] = Array.isArray(url) ? url : [url]
  return [...urls.map((one) => (isObject(one) ? one['text'] : one)), ...listEmails(contact)]
}

function listEmails(contacts: unknown): unknown[] {
  return listObjects(contacts).map(({ email }) => email)
}

export function noteCycloneDxDocument(bom: JsonObject, { ofDocument }: StatedFacts): void {
  if (isUri(bom['serialNumber'])) ofDocument.add('uri')
  if (listObjects(bom['vulnerabilities']).length > 0) ofDocument.add('vulnerabilities')
  const { metadata } = bom
  if (!isObject(metadata)) return
  const { authors, manufacturer, timestamp, lifecycles, tools } = metadata
  const people = [...listObjects(authors), ...(isObject(manufacturer) ? [manufacturer] : [])]
  const addresses = [...listEmails(authors), ...listAddresses(manufacturer)]
  if (addresses.some(isContact)) ofDocument.add('authorContact')
  if (people.some(({ name }) => readText(name) !== undefined) || addresses.some(isContact))
    ofDocument.add('author')
  if (isTimestamp(timestamp)) ofDocument.add('timestamp')
  if (listObjects(lifecycles).some(({ phase, name }) => readText(phase ?? name) !== undefined))
    ofDocument.add('generationContext')
  if (listTools(tools).some(({ name }) => readText(name) !== undefined)) ofDocument.add('tool')
}

/** A list until CycloneDX 1.4, components and services from then on; `tool` is that list in XML. */
function listTools(tools: unknown): JsonObject[] {
  if (!isObject(tools)) return listObjects(tools)
  return [tools['components'], tools['services'], tools['tool']].flatMap((list) =>
    listObjects(list),
  )
}
