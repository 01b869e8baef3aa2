/** CycloneDX in its JSON shape, read from JSON or XML → draft. https://cyclonedx.org/specification/overview/ */
import {
  checkCitation,
  checkLicenses,
  checkNamedValues,
  checkProperties,
  checkService,
} from './cyclonedx-checks.ts'
import { isBomReference, listAt, readComponents } from './cyclonedx-components.ts'
import { declareConnectors, readCompositions, readDependencies } from './cyclonedx-dependencies.ts'
import type { CycloneDxReading, Places } from './cyclonedx-reading.ts'
import { BOM_PROPERTIES, METADATA_PROPERTIES, NEWEST_MINOR } from './cyclonedx-vocabulary.ts'
import { noteCycloneDxDocument } from '../sbom-profiles/stated-in-cyclonedx.ts'
import { openSpace } from './document.ts'
import type { Draft } from './draft.ts'
import { isObject, isText, listObjects, readText, type JsonObject } from './json-values.ts'
import { SbomError } from './sbom-error.ts'
import { readCycloneDxStatements } from './statements.ts'
import { quote } from './warnings.ts'

const SERIAL_NUMBER = /^(?:urn:uuid:)?\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?$/

export function readCycloneDx(bom: JsonObject, draft: Draft, places: Places): void {
  const minor = readVersion(bom['specVersion'], draft)
  const context = { minor, isXml: places.isXml, faults: draft.faults }
  const root = places.isXml ? '/bom' : ''
  checkProperties(bom, BOM_PROPERTIES, context, () => root || '/')
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
  listObjects(bom['citations']).forEach((citation, i) => {
    checkCitation(citation, context, () => places.entry(places.list(root, 'citations'), i))
  })
  readDependencies(bom['dependencies'], reading, places.list(root, 'dependencies'))
  readCompositions(bom['compositions'], reading)
  noteCycloneDxDocument(bom, draft.facts)
  if (listObjects(bom['externalReferences']).some(isBomReference))
    draft.hasExternalReferences = true
  readCycloneDxStatements(bom, reading)
}

/** @returns the minor version whose rules apply. */
function readVersion(specVersion: unknown, draft: Draft): number {
  draft.specVersion = readText(specVersion)
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(draft.specVersion ?? '') ?? []
  if (major !== undefined && major !== '1')
    throw new SbomError(
      'unsupported',
      `CycloneDX ${quote(specVersion)} is not read, only 1.0 to 1.${NEWEST_MINOR}.`,
    )
  if (minor !== undefined && Number(minor) <= NEWEST_MINOR) return Number(minor)
  const version =
    draft.specVersion === undefined ? 'No CycloneDX version' : 'Unknown CycloneDX version'
  draft.faults.add(
    `${version}, read as 1.${NEWEST_MINOR}`,
    draft.specVersion === undefined ? undefined : quote(draft.specVersion),
  )
  return NEWEST_MINOR
}

/** @returns the BOM-Link of this document without the element, as others would refer to it. */
function readSerialNumber(bom: JsonObject, draft: Draft): string | undefined {
  const { serialNumber } = bom
  const version = readBomVersion(bom['version'] ?? 1, draft)
  if (serialNumber === undefined) return undefined
  if (!isText(serialNumber) || !SERIAL_NUMBER.test(serialNumber)) {
    draft.faults.add('The serialNumber is not of the form urn:uuid:…', quote(serialNumber))
    return undefined
  }
  const uuid = serialNumber.replace(/^urn:uuid:|[{}]/gi, '').toLowerCase()
  return `urn:cdx:${uuid}/${version}`
}

function readBomVersion(declared: unknown, draft: Draft): number {
  const version = isText(declared) || typeof declared === 'number' ? Number(declared) : Number.NaN
  if (Number.isSafeInteger(version) && version >= 1) return version
  draft.faults.add('The BOM version is not a positive whole number', quote(declared))
  return 1
}

function readMetadata(metadata: unknown, reading: CycloneDxReading, root: string): void {
  if (!isObject(metadata)) return
  const { draft, context } = reading
  const here = `${root}/metadata`
  checkProperties(metadata, METADATA_PROPERTIES, context, () => here)
  checkNamedValues(metadata['properties'], context, () => `${here}/properties`)
  if (metadata['licenses'] !== undefined)
    checkLicenses(listObjects(metadata['licenses']), context, () => `${here}/licenses`)
  const timestamp = metadata['timestamp']
  if (timestamp !== undefined && !(isText(timestamp) && DATE_TIME.test(timestamp)))
    draft.faults.add('The timestamp is not a date and time', quote(timestamp))
  checkContacts(metadata, draft, here)
  const tools = metadata['tools']
  if (isObject(tools)) declareConnectors([tools['components'], tools['services']], reading)
  const component = metadata['component']
  if (component === undefined || component === null) return
  if (isObject(component)) noteDistributionHashes(component, draft)
  const [rootElement] = readComponents([withoutExternal(component, draft)], reading, () => {
    return `${here}/component`
  })
  if (rootElement !== undefined) draft.roots.push(rootElement)
}

/** Of the file that is handed out, where a reference leads to it. */
function noteDistributionHashes(component: JsonObject, { describedBeside }: Draft): void {
  for (const { type, hashes, url } of listObjects(component['externalReferences']))
    if (type === 'distribution' || type === 'distribution-intake')
      describedBeside.push({
        name: readText(url) ?? readText(component['name']) ?? '',
        hashes: listObjects(hashes).map(({ alg, content }) => ({
          algorithm: String(alg),
          value: String(content),
        })),
      })
}

/** "This MUST be set to `false` for the `metadata.component`" (CycloneDX 1.7): it is what the document describes. */
function withoutExternal(component: unknown, draft: Draft): unknown {
  if (!isObject(component) || component['isExternal'] === undefined) return component
  const { isExternal } = component
  if (isExternal === true || isExternal === 'true' || isExternal === '1')
    draft.faults.add('The component of the metadata cannot be external')
  return { ...component, isExternal: undefined }
}

function checkContacts(metadata: JsonObject, draft: Draft, here: string): void {
  const organisations = [metadata['supplier'], metadata['manufacture'], metadata['manufacturer']]
  const contacts = organisations.filter(isObject).flatMap((one) => listObjects(one['contact']))
  for (const { email } of [...listObjects(metadata['authors']), ...contacts])
    if (isText(email) && !email.includes('@'))
      draft.faults.add('Not an e-mail address', `${here} (${quote(email)})`)
}

/** Services may stand between components: paths lead through them. */
function readServices(services: unknown, reading: CycloneDxReading, place: string): void {
  listObjects(services).forEach((service, i) => {
    checkService(service, reading.context, () => reading.places.entry(place, i))
  })
  declareConnectors([services], reading)
}
