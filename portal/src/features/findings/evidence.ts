/** Why a finding is there, in words: one sentence for each record that was compared. */
import type { FindingDetail } from '@plimsoll/api-client'
import { formatSource } from '../../format/sources.ts'

type Evidence = FindingDetail['evidence'][number]

export interface Reason {
  id: string
  source: string
  advisoryId: string
  /** Whether the record says affected, and no other outranks it. */
  state: 'agrees' | 'disagrees' | 'outranked'
  text: string
  identifier: string
  range: string
  notes: readonly string[]
}

/** Those that count first; of a source, each record once. */
export function listReasons({ evidence }: Pick<FindingDetail, 'evidence'>): Reason[] {
  const order = { agrees: 0, disagrees: 1, outranked: 2 }
  const reasons = evidence.map(reasonOf)
  return [...new Map(reasons.map((reason) => [reason.id, reason])).values()].toSorted(
    (a, b) => order[a.state] - order[b.state],
  )
}

function reasonOf(one: Evidence): Reason {
  const { source, advisoryId, identifier, range, notes } = one
  return {
    id: `${source} ${advisoryId} ${identifier} ${range} ${one.verdict}`,
    source: formatSource(source),
    advisoryId,
    state: stateOf(one),
    text: textOf(one),
    identifier,
    range: describeRange(range),
    notes,
  }
}

function stateOf({ verdict, outrankedBy }: Evidence): Reason['state'] {
  if (outrankedBy !== null) return 'outranked'
  return verdict === 'affected' ? 'agrees' : 'disagrees'
}

function textOf({ verdict, outrankedBy, comparator }: Evidence): string {
  const rule = comparator === '' ? '' : `, compared as ${comparator} versions`
  if (outrankedBy !== null) return `outranked by ${outrankedBy}`
  return verdict === 'affected' ? `is among the affected ones${rule}` : `is not affected${rule}`
}

const OTHERS = /^every version not named is (?:affected|unaffected)$/
const BOUND = /^(>=|>|<=|<) *(\S+)$/
const BOUND_WORDS: Readonly<Record<string, (version: string) => string>> = {
  '>=': (version) => `from ${version} on`,
  '>': (version) => `after ${version}`,
  '<=': (version) => `up to ${version}`,
  '<': (version) => `before ${version}`,
}

/** ">= 6.2, < 6.6.137", as people say it: "from 6.2 on, before 6.6.137". What is no such range stays as the record has it. */
export function describeRange(range: string): string {
  if (OTHERS.test(range)) return 'every version except those that the record names'
  const bounds = range.split(',').map((part) => BOUND.exec(part.trim()))
  const words = bounds.map((bound) => BOUND_WORDS[bound?.[1] ?? '']?.(bound?.[2] ?? ''))
  return words.every((word) => word !== undefined) ? words.join(', ') : range
}
