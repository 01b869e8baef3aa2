/** Why a finding is there, in words: one sentence for each record that was compared. */
import type { FindingDetail } from '@plimsoll/api-client'
import { formatSource } from '../../format/sources.ts'

type Evidence = FindingDetail['evidence'][number]

export interface Reason {
  id: string
  source: string
  /** Whether the record says affected, and no other outranks it. */
  state: 'agrees' | 'disagrees' | 'outranked'
  /** What of ours was compared. */
  compared: { key: string; version: string }
  text: string
  /** The affected versions, in words. */
  range: string
  /** As the record and the SBOM have it. */
  raw: readonly { label: string; text: string }[]
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

/** Records that say the same of the same versions: one line for all of them. */
export interface AgreeingReasons {
  first: Reason
  all: readonly Reason[]
  /** Each once. */
  sources: readonly string[]
}

/** What differs in its verdict, its range or the version compared stays apart. */
export function groupReasons(reasons: readonly Reason[]): AgreeingReasons[] {
  const same = ({ state, text, range, compared }: Reason) =>
    JSON.stringify([state, text, range, compared.version])
  return [...Map.groupBy(reasons, same).values()].flatMap((all) => {
    const [first] = all
    return first ? [{ first, all, sources: [...new Set(all.map(({ source }) => source))] }] : []
  })
}

function reasonOf(one: Evidence): Reason {
  const { source, advisoryId, identifier, range, rangeInWords, comparator, notes } = one
  return {
    id: `${source} ${advisoryId} ${identifier} ${range} ${one.verdict}`,
    source: formatSource(source),
    state: stateOf(one),
    compared: one,
    text: textOf(one),
    range: rangeInWords,
    raw: [
      { label: 'Record', text: advisoryId },
      { label: 'Range', text: range },
      { label: 'Identifier', text: identifier },
      { label: 'Versions compared as', text: comparator },
    ],
    notes,
  }
}

function stateOf({ verdict, outrankedBy }: Evidence): Reason['state'] {
  if (outrankedBy !== null) return 'outranked'
  return verdict === 'affected' ? 'agrees' : 'disagrees'
}

function textOf({ verdict, outrankedBy }: Evidence): string {
  if (outrankedBy !== null) return `outranked by ${outrankedBy}`
  return verdict === 'affected' ? 'is among the affected ones' : 'is not affected'
}
