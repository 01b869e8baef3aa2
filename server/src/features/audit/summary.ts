/** The sentence of an entry: who did it, what, and to what; the same for the API, the command line, exports and the portal. */
import type { AuditKind } from './kinds.ts'
import { findSentence } from './sentences.ts'
import type { Subject } from './subjects.ts'
import { joinParts, mergeParts, type Part, readFacts, write, type ToldEntry } from './telling.ts'

export interface EntrySentence {
  /** null: of a release that did what this one does not. */
  kind: AuditKind | null
  summary: string
  /** The pieces of the summary. */
  parts: Part[]
  /** What somebody wrote to it. */
  note: string | null
  subjects: Subject[]
}

export function tellEntry(entry: ToldEntry): EntrySentence {
  const facts = readFacts(entry)
  const told = findSentence(entry.action)
  const done = told?.tell(facts) ?? write`did what this release has no words for (${entry.action})`
  const parts = mergeParts(write`${nameActor(entry)} ${done}`)
  return {
    kind: told?.kind ?? null,
    summary: joinParts(parts),
    parts,
    note: readNote(facts.after) ?? readNote(facts.before),
    subjects: [...entry.subjects.values()].flatMap(({ first }) => first),
  }
}

function nameActor(entry: ToldEntry): Part[] {
  if (entry.actorType === 'System') return write`The service`
  if (entry.actorType === 'Operator') return write`The operator`
  if (entry.actorType === 'Device') return nameDevice(entry)
  return entry.actorType === 'ApiKey' ? nameKeyOf(entry) : nameMember(entry)
}

function nameMember({ actorId: id, actorEmail, subjects }: ToldEntry): Part[] {
  const known = subjects.get('member')?.first.find((one) => one.id === id)
  if (!known?.name) return write`${actorEmail ?? 'Somebody'}`
  return [{ text: known.name, subject: { type: 'member', id: known.id } }]
}

function nameDevice({ actorId: id }: ToldEntry): Part[] {
  return id === null
    ? write`A device`
    : write`The device ${{ text: id, subject: { type: 'device', id } }}`
}

function nameKeyOf({ actorId: id, subjects }: ToldEntry): Part[] {
  if (id === null) return write`A key`
  const subject = { type: 'api-key', id } as const
  const known = subjects.get('api-key')?.first.find((one) => one.id === id)
  return known?.name
    ? write`Key ${{ text: known.name, subject }}`
    : write`The key ${{ text: id, subject }} (its name was not kept)`
}

const NOTES = ['detail', 'text', 'note', 'reason'] as const

function readNote(state: Readonly<Record<string, unknown>>): string | null {
  for (const name of NOTES) {
    const value = state[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return null
}
