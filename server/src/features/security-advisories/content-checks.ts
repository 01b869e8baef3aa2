/** What the schema cannot say of an advisory that people write. */
import { findWeaknessName } from '../../formats/advisories/cwe-names.ts'
import { readBaseVector } from '../../formats/cvss.ts'
import { invalid } from '../../platform/errors.ts'
import type { NamedProduct, WrittenVulnerability } from './content.ts'

const MOST_STATUSES = 5_000

export function requireSound(
  vulnerabilities: readonly WrittenVulnerability[],
  products: readonly NamedProduct[],
): void {
  const known = new Set(products.map(({ firmwareVersionId }) => firmwareVersionId))
  const ids = new Set<string>()
  for (const [index, one] of vulnerabilities.entries()) {
    const at = `/vulnerabilities/${index}`
    if (ids.has(one.vulnerabilityId))
      throw invalid(`${one.vulnerabilityId} is there twice.`, `${at}/vulnerabilityId`)
    ids.add(one.vulnerabilityId)
    requireSoundRating(one, at)
    requireSoundStatuses(one, { at, known })
    requireSoundRemediations(one, { at, known })
  }
  const statusCount = vulnerabilities.reduce((sum, { statuses }) => sum + statuses.length, 0)
  if (statusCount > MOST_STATUSES)
    throw invalid(`An advisory has ${MOST_STATUSES} statuses at most.`, '/vulnerabilities')
}

function requireSoundRating({ cvssVector, cweId }: WrittenVulnerability, at: string): void {
  if (cvssVector !== null && !readBaseVector(cvssVector))
    throw invalid(
      'It is no complete vector of CVSS 2.0, 3.0 or 3.1; CSAF 2.0 knows no other.',
      `${at}/cvssVector`,
    )
  if (cweId !== null && findWeaknessName(cweId) === undefined)
    throw invalid(`The list of weaknesses has no ${cweId}, or it is a category.`, `${at}/cweId`)
}

interface Place {
  at: string
  known: ReadonlySet<string>
}

function requireSoundStatuses({ statuses }: WrittenVulnerability, { at, known }: Place): void {
  const versions = new Set<string>()
  for (const [index, { firmwareVersionId: id }] of statuses.entries()) {
    const pointer = `${at}/statuses/${index}/firmwareVersionId`
    if (!known.has(id)) throw invalid(`No firmware version has the id ${id}.`, pointer)
    if (versions.has(id)) throw invalid('The firmware version has two statuses.', pointer)
    versions.add(id)
  }
}

function requireSoundRemediations(
  { remediations }: WrittenVulnerability,
  { at, known }: Place,
): void {
  for (const [index, { firmwareVersionIds, url }] of remediations.entries()) {
    const pointer = `${at}/remediations/${index}`
    const unknown = firmwareVersionIds.findIndex((id) => !known.has(id))
    if (unknown >= 0)
      throw invalid(
        `No firmware version has the id ${firmwareVersionIds[unknown] ?? ''}.`,
        `${pointer}/firmwareVersionIds/${unknown}`,
      )
    if (url !== null && !isWebAddress(url))
      throw invalid('The address must begin with https:// or http://.', `${pointer}/url`)
  }
}

const isWebAddress = (text: string) =>
  /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text) && !/[<>"{}|\\^`]/.test(text)

/** PostgreSQL stores no U+0000, and half a character is no Unicode. */
export function refuseUnstorable(value: unknown, pointer: string): void {
  if (typeof value === 'string' && (value.includes('\u0000') || !value.isWellFormed()))
    throw invalid('The text has U+0000, or half a character.', pointer)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) refuseUnstorable(member, `${pointer}/${name}`)
}

/** In one order of members, as the database keeps another one. */
export function sortMembers<Value>(value: Value): Value {
  const text = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
  return JSON.parse(text) as Value
}
