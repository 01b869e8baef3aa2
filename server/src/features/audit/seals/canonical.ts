/** What a seal of the audit log is computed over, byte by byte: docs/design/audit-seals.md. */
import { createHash } from 'node:crypto'

/** Of the first day that is sealed. */
export const NO_SEAL = '0'.repeat(64)

export interface SealedEntry {
  id: string
  createdAt: Date
  actorType: string
  actorId: string | null
  actorEmail: string | null
  action: string
  resourceType: string
  resourceId: string
  before: unknown
  after: unknown
  requestId: string | null
  /** What it is about, as it was called then. */
  about: { type: string; id: string; name: string | null }[]
}

export interface SealBuilder {
  add: (entry: SealedEntry) => void
  finish: () => string
}

export function beginSeal(of: { workspaceId: string; day: string; previous: string }): SealBuilder {
  const hash = createHash('sha256')
  const write = (line: string) => hash.update(`${line}\n`)
  write('plimsoll audit seal 1')
  write(of.workspaceId)
  write(of.day)
  write(of.previous)
  return {
    add: (entry) => void write(writeCanonical(entry)),
    finish: () => hash.digest('hex'),
  }
}

/** JSON as RFC 8785 writes it: members in the order of their names (UTF-16), no blanks. */
export function writeCanonical(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).toSorted(([one], [two]) => (one < two ? -1 : 1))
  return `{${members.map(([name, held]) => `${JSON.stringify(name)}:${writeCanonical(held)}`).join(',')}}`
}
