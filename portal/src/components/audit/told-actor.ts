/** Who acts, at the beginning of the sentence of an entry. */
import type { AuditLogEntry } from '@plimsoll/api-client'

type Part = AuditLogEntry['parts'][number]

const OF_NOBODY = /^The (?:service|operator)(?= )/

/** The sentence in two: who, and what they did. */
export function splitSentence({ parts, actorId }: Pick<AuditLogEntry, 'parts' | 'actorId'>): {
  actor: string
  done: readonly Part[]
} {
  const [first, second] = parts
  if (first === undefined) return { actor: '', done: [] }
  const isActor = (part: Part | undefined) => actorId !== null && part?.subject?.id === actorId
  if (isActor(first)) return { actor: first.text, done: parts.slice(1) }
  // "Key ci", "The key … (its name was not kept)", "The device pump-1".
  if (
    !first.subject &&
    second &&
    /^(?:Key|The key|The device) $/.test(first.text) &&
    isActor(second)
  )
    return { actor: first.text + second.text, done: parts.slice(2) }
  const actor = OF_NOBODY.exec(first.text)?.[0] ?? ''
  return { actor, done: [{ ...first, text: first.text.slice(actor.length) }, ...parts.slice(1)] }
}

/** "ML" of Mara Lindqvist. */
export function pickInitials(name: string): string {
  const words = name.split(/[\s.@]+/).filter(Boolean)
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.charAt(0).toUpperCase() ?? '')
    .join('')
}
