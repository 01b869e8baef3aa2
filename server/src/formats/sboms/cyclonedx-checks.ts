/** Finds violations of the CycloneDX standard: each becomes a warning, none stops the parse. */
import deprecatedLicenses from 'spdx-license-ids/deprecated.json' with { type: 'json' }
import licenses from 'spdx-license-ids/index.json' with { type: 'json' }
import {
  COMPONENT_PROPERTIES,
  COMPONENT_TYPES,
  DATA_FLOWS,
  HASH_DIGITS,
  ISSUE_TYPES,
  LICENSE_PROPERTIES,
  PATCH_TYPES,
  SCOPES,
  type PropertyTable,
  type PropertyType,
} from './cyclonedx-vocabulary.ts'
import { isObject, isText, listObjects, type JsonObject } from './json-values.ts'
import { quote, type Warnings } from './warnings.ts'

export interface CheckContext {
  minor: number
  isXml: boolean
  faults: Warnings
}

const LICENSE_IDS = new Set([...licenses, ...deprecatedLicenses])
/** The CycloneDX list of ids also holds the SPDX exceptions and the deprecated `+` ids, which the package leaves out. */
const LICENSE_EXCEPTION = /exception|^(?:Linux-syscall-note|GPL-CC-1\.0|LLGPL|SHL-2\.[01])$/
const HEX = /^[0-9a-fA-F]+$/

/** Checks a component's own members; others check the lists inside. `where` is called only for faults. */
export function checkComponent(
  component: JsonObject,
  context: CheckContext,
  where: () => string,
): void {
  const { faults, minor } = context
  checkProperties(component, COMPONENT_PROPERTIES, context, where)
  const { type, scope, swid, pedigree } = component
  checkType(type, context, where)
  if (isText(scope) && !SCOPES.includes(scope))
    faults.add('Unknown component scope', `${where()} (${quote(scope)})`)
  // Required until CycloneDX 1.3.
  if (minor <= 3 && component['version'] === undefined)
    faults.add('Component without version', where())
  if (isObject(swid) && !(isText(swid['tagId']) && isText(swid['name'])))
    faults.add('SWID tag without tagId or name', where())
  if (isObject(pedigree)) checkPedigree(pedigree, context, where)
  if (component['versionRange'] !== undefined) checkVersionRange(component, context, where)
}

function checkType(type: unknown, { faults, minor }: CheckContext, where: () => string): void {
  if (type === undefined) faults.add('Component without type', where())
  else if (isText(type) && !((COMPONENT_TYPES.get(type) ?? Infinity) <= minor))
    faults.add(`Component type unknown to CycloneDX 1.${minor}`, `${where()} (${quote(type)})`)
}

export function checkProperties(
  object: JsonObject,
  { owner, properties }: PropertyTable,
  { faults, minor, isXml }: CheckContext,
  where: () => string,
): void {
  for (const name in object) {
    const property = properties.get(name)
    if (property === undefined)
      faults.add(`Unknown property of a ${owner}`, `${where()} (${quote(name)})`)
    else if (property.since > minor)
      faults.add(
        `Property that CycloneDX 1.${minor} does not know yet`,
        `${where()} (${quote(name)}, since 1.${property.since})`,
      )
    else if (!hasType(object[name], property.type, isXml))
      faults.add('Property of the wrong type, ignored', `${where()} (${quote(name)})`)
  }
}

function hasType(value: unknown, type: PropertyType, isXml: boolean): boolean {
  if (type === 'list') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  // In XML, numbers and booleans are text.
  return type === 'any' || typeof value === type || (isXml && isText(value))
}

function checkVersionRange(
  component: JsonObject,
  { faults }: CheckContext,
  where: () => string,
): void {
  if (component['version'] !== undefined)
    faults.add('Component with both version and versionRange', where())
  const isExternal = component['isExternal']
  if (isExternal !== true && isExternal !== 'true')
    faults.add('Component with versionRange that is not external', where())
}

function checkPedigree(pedigree: JsonObject, { faults }: CheckContext, where: () => string): void {
  for (const patch of listObjects(pedigree['patches'])) {
    checkWord(patch['type'], PATCH_TYPES, () => faults.add('Unknown patch type', where()))
    for (const issue of listObjects(patch['resolves']))
      checkWord(issue['type'], ISSUE_TYPES, () => faults.add('Unknown issue type', where()))
  }
}

function checkWord(value: unknown, words: readonly string[], fault: () => void): void {
  if (!isText(value) || !words.includes(value)) fault()
}

export function checkHash(hash: JsonObject, context: CheckContext, where: () => string): void {
  const { alg, content } = hash
  const { faults } = context
  const digits = isText(alg) ? HASH_DIGITS.get(alg) : undefined
  if (digits === undefined) faults.add('Unknown hash algorithm', `${where()} (${quote(alg)})`)
  else if (!isText(content) || !digits.includes(content.length) || !HEX.test(content))
    faults.add(
      'Hash value that does not fit its algorithm',
      `${where()} (${quote(alg)}: ${quote(content)})`,
    )
}

/** `choices` is the list of a `licenses` property: each entry a licence or an expression, never both. */
export function checkLicenses(
  choices: readonly JsonObject[],
  context: CheckContext,
  where: () => string,
): void {
  const { faults, minor, isXml } = context
  for (const choice of choices) {
    const { license, expression } = choice
    if ((license === undefined) === (expression === undefined))
      faults.add('Licence entry that is not either a licence or an expression', where())
    if (isObject(license)) checkLicense(license, context, where)
  }
  const expressions = choices.filter((choice) => choice['expression'] !== undefined).length
  // Before 1.7: licences, or one expression alone. The JSON schemas say so since 1.5 only.
  const isExclusive = minor < 7 && (isXml || minor >= 5)
  if (isExclusive && expressions > 0 && choices.length > 1)
    faults.add('Licence expression beside other licences', where())
}

function checkLicense(license: JsonObject, context: CheckContext, where: () => string): void {
  const { faults } = context
  const { id, name, text } = license
  checkProperties(license, LICENSE_PROPERTIES, context, where)
  if ((id === undefined) === (name === undefined))
    faults.add('Licence without id and name, or with both', where())
  if (isText(id) && !isLicenseId(id))
    faults.add('Unknown SPDX licence id', `${where()} (${quote(id)})`)
  if (isObject(text)) {
    const encoding = text['encoding']
    if (encoding !== undefined && encoding !== 'base64')
      faults.add('Unknown encoding of a licence text', `${where()} (${quote(encoding)})`)
  }
  checkNamedValues(license['properties'], context, where)
}

function isLicenseId(id: string): boolean {
  return LICENSE_IDS.has(id) || LICENSE_IDS.has(id.replace(/\+$/, '')) || LICENSE_EXCEPTION.test(id)
}

/** Entries of a `properties` list; CycloneDX 1.6 made the name compulsory and closed the object. */
export function checkNamedValues(
  list: unknown,
  { faults, minor }: CheckContext,
  where: () => string,
): void {
  if (minor < 6 || list === undefined) return
  for (const entry of listObjects(list)) {
    if (!isText(entry['name'])) faults.add('Entry of "properties" without name', where())
    for (const key in entry)
      if (key !== 'name' && key !== 'value')
        faults.add('Unknown member in an entry of "properties"', `${where()} (${quote(key)})`)
  }
}

export function checkService(
  service: JsonObject,
  context: CheckContext,
  where: () => string,
): void {
  if (!isText(service['name'])) context.faults.add('Service without name', where())
  checkNamedValues(service['properties'], context, where)
  for (const flow of listObjects(service['data']))
    if (flow['flow'] !== undefined)
      checkWord(flow['flow'], DATA_FLOWS, () =>
        context.faults.add('Unknown data flow direction', where()),
      )
}

export function checkCitation(
  citation: JsonObject,
  { faults }: CheckContext,
  where: () => string,
): void {
  const { attributedTo, process, pointers, expressions } = citation
  if (attributedTo === undefined && process === undefined)
    faults.add('Citation without attributedTo and process', where())
  if ((pointers === undefined) === (expressions === undefined))
    faults.add('Citation without pointers and expressions, or with both', where())
}
