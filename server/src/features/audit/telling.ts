/** What sentences of the audit log are made of. */
import { lowerWords } from '../../formats/words.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Subject, SubjectKey, SubjectType } from './subjects.ts'

/** A piece of a sentence. With a subject, it is the name of that. */
export interface Part {
  text: string
  subject?: SubjectKey
}

/** The first subjects of one type, and how many there are. */
interface SubjectsOfType {
  first: readonly Subject[]
  total: number
}

export interface ToldEntry {
  actorType: Actor['type']
  actorId: string | null
  actorEmail: string | null
  action: string
  resourceType: string
  resourceId: string
  before: unknown
  after: unknown
  subjects: ReadonlyMap<SubjectType, SubjectsOfType>
}

type Fields = Readonly<Record<string, unknown>>

/** An entry as its sentence reads it. */
export interface Facts extends Omit<ToldEntry, 'before' | 'after'> {
  before: Fields
  after: Fields
}

export function readFacts(entry: ToldEntry): Facts {
  return { ...entry, before: fieldsOf(entry.before), after: fieldsOf(entry.after) }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

type Said = string | number | Part | readonly Part[]

/** Puts a sentence together: texts stay as they are, parts keep their subjects. */
export function write(texts: TemplateStringsArray, ...said: readonly Said[]): Part[] {
  const parts = texts.flatMap((text, index) => [{ text }, ...partsOf(said[index] ?? '')])
  return parts.filter(({ text }) => text !== '')
}

function partsOf(said: Said): readonly Part[] {
  if (typeof said === 'string') return [{ text: said }]
  if (typeof said === 'number') return [{ text: formatCount(said) }]
  return 'text' in said ? [said] : said
}

export const joinParts = (parts: readonly Part[]) => parts.map(({ text }) => text).join('')

/** Neighbours without a subject become one. */
export function mergeParts(parts: readonly Part[]): Part[] {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (last && !last.subject && !part.subject)
      merged[merged.length - 1] = { text: last.text + part.text }
    else merged.push(part)
  }
  return merged
}

/** The name of the resource, or of the first subject of this type. Nobody knows it: its id, and that. */
export function nameThe({ subjects, resourceId, resourceType }: Facts, type: SubjectType): Part[] {
  const first = subjects.get(type)?.first ?? []
  const one = resourceType === type ? first.find(({ id }) => id === resourceId) : first[0]
  if (one) return nameOf(one)
  return resourceType === type
    ? nameOf({ type, id: resourceId, name: null })
    : [{ text: 'unknown to this log' }]
}

function nameOf({ type, id, name }: Subject): Part[] {
  const subject = { type, id }
  if (name !== null) return [{ text: name, subject }]
  return [{ text: id, subject }, { text: ' (its name was not kept)' }]
}

const MOST_NAMED = 2

/** "A", "A and B", "A, B and 5 more". `total`: how many there are, if more than the log names. */
export function list(facts: Facts, type: SubjectType, total?: unknown): Part[] {
  const { first = [], total: known = 0 } = facts.subjects.get(type) ?? {}
  const named = first.slice(0, MOST_NAMED)
  const others = Math.max(known, typeof total === 'number' ? total : 0) - named.length
  const [one, two] = named
  if (!one) return []
  if (!two) return others > 0 ? write`${nameOf(one)} and ${others} more` : nameOf(one)
  return others > 0
    ? write`${nameOf(one)}, ${nameOf(two)} and ${others} more`
    : write`${nameOf(one)} and ${nameOf(two)}`
}

/** The first parts, in front of what follows if there is any. */
export function addLead(lead: string, parts: readonly Part[]): Part[] {
  return parts.length === 0 ? [] : write`${lead}${parts}`
}

const formatCount = (count: number) => count.toLocaleString('en')

export function formatCounted(value: unknown, one: string, many = `${one}s`): string {
  if (typeof value !== 'number') return `an unknown number of ${many}`
  return `${formatCount(value)} ${value === 1 ? one : many}`
}

/** A text that somebody wrote, or what a device or a file is called. */
export function readText(value: unknown, none = 'unnamed'): string {
  return typeof value === 'string' && value !== '' ? value : none
}

export function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

export function joinTexts(all: readonly string[]): string {
  const [first = '', second] = all
  if (second === undefined) return first
  const others = all.length - MOST_NAMED
  return others > 0
    ? `${first}, ${second} and ${formatCount(others)} more`
    : `${first} and ${second}`
}

/** Members that people do not know, or that follow from others. */
const UNTOLD = new Set(['id', 'updatedAt', 'createdAt', 'etag'])

/** "name and description": the members that the change left different. */
export function listChanged({ before: old, after }: Facts): string {
  const names = Object.keys(after)
    .filter((name) => !UNTOLD.has(name))
    .filter((name) => JSON.stringify(old[name] ?? null) !== JSON.stringify(after[name] ?? null))
  if (names.length === 0) return 'nothing'
  return joinTexts(names.map((name) => lowerWords(name)))
}

/** Who did it, and to whom: themselves, or another member. */
export function isOwn({ actorId, resourceId }: Facts): boolean {
  return actorId === resourceId
}

/** Which components an override is for, as one text. */
export function describeSelector(selector: {
  selectedName?: unknown
  selectedVersion?: unknown
  selectedPurl?: unknown
  selectedCpe?: unknown
}): string {
  const { selectedName, selectedVersion, selectedPurl, selectedCpe } = selector
  const said = selectedPurl ?? selectedCpe ?? [selectedName, selectedVersion]
  return [said]
    .flat()
    .filter((one) => typeof one === 'string')
    .join(' ')
}
