/** What an entry changed, member by member, as people read it. */
import { formatCount } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'

export interface ChangedMember {
  name: string
  /** In words. */
  title: string
  before: string
  after: string
}

/** What things are called, by their ids. */
export type KnownNames = ReadonlyMap<string, string>

/** They follow from others, or say nothing to people. */
const UNTOLD = new Set(['updatedAt', 'createdAt', 'etag'])

/** Members that are equal are left out. */
export function listChangedMembers(
  before: unknown,
  after: unknown,
  names: KnownNames = new Map(),
): ChangedMember[] {
  const old = membersOf(before)
  const now = membersOf(after)
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => !UNTOLD.has(name))
    .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)))
    .map((name) => ({
      name,
      title: titleOf(name),
      before: textOf(old.get(name), names),
      after: textOf(now.get(name), names),
    }))
}

function membersOf(value: unknown): Map<string, unknown> {
  if (value === null || value === undefined) return new Map()
  return typeof value === 'object' ? new Map(Object.entries(value)) : new Map([['value', value]])
}

/** `firmwareVersionIds` → "Firmware version ids". */
function titleOf(name: string): string {
  const words = splitWords(name)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const splitWords = (name: string) =>
  name
    .replaceAll(
      /([a-z0-9])([A-Z])/g,
      (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`,
    )
    .replaceAll(/\b(?:cve|sbom|vex)\b/gi, (short) => short.toUpperCase())

const MOST_LISTED = 20
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/
/** `NotAssessed`, `InTriage`: what the service calls it. */
const NAMED_VALUE = /^[A-Z][a-z]+(?:[A-Z][a-z]+)+$/

function textOf(value: unknown, names: KnownNames): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatCount(value)
  if (typeof value === 'string') return formatText(value, names)
  if (Array.isArray(value)) return listTexts(value, names)
  return Object.entries(value)
    .map(([name, member]) => `${splitWords(name)}: ${textOf(member, names)}`)
    .join('; ')
}

function formatText(text: string, names: KnownNames): string {
  if (INSTANT.test(text)) return formatDateTime(text)
  return names.get(text) ?? (NAMED_VALUE.test(text) ? splitWords(text) : text)
}

function listTexts(values: readonly unknown[], names: KnownNames): string {
  if (values.length === 0) return 'none'
  const shown = values.slice(0, MOST_LISTED).map((value) => textOf(value, names))
  const others = values.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${formatCount(others)} more` : shown.join(', ')
}
