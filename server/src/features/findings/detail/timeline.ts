/** The timeline of a finding, oldest first: detection, resolution and decisions. */
import { describeAcceptance } from '../../../formats/acceptances.ts'
import type { StatedIn } from '../../../formats/assessments.ts'
import type { DecidedLine } from '../../firmware/index.ts'
import type { TimelineRow } from '../decisions-store.ts'
import type { Span } from './store.ts'

export interface TimelineEntry {
  type: 'Published' | 'Detected' | 'Resolved' | 'Reopened' | TimelineRow['type']
  timestamp: string
  cause?: string
  source?: TimelineRow['source']
  createdByEmail?: string | null
  origin?: TimelineRow['origin']
  statedIn?: StatedIn | null
  isUndo?: boolean
  line?: DecidedLine
  acceptance?: NonNullable<ReturnType<typeof describeAcceptance>>
  assessment?: Pick<
    TimelineRow,
    'assessment' | 'justification' | 'responses' | 'detail' | 'recheckReason'
  > & { response: string | null }
}

export function buildTimeline(
  publishedAt: Date | null,
  spans: readonly Span[],
  decisions: readonly TimelineRow[],
): TimelineEntry[] {
  const published: TimelineEntry[] = publishedAt
    ? [{ type: 'Published', timestamp: publishedAt.toISOString() }]
    : []
  const entries = [...published, ...entriesOfSpans(spans), ...entriesOfDecisions(decisions)]
  return entries.toSorted((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
  )
}

/** Adjacent spans are one: a match that only changed its confidence was not interrupted. */
function entriesOfSpans(spans: readonly Span[]): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  for (const [index, { since, cause, until, endedCause }] of spans.entries()) {
    const before = spans[index - 1]?.until ?? undefined
    const after = spans[index + 1]?.since
    if (index === 0) entries.push({ type: 'Detected', timestamp: iso(since), cause })
    else if (before !== undefined && iso(before) !== iso(since))
      entries.push({ type: 'Reopened', timestamp: iso(since), cause })
    if (until !== null && (after === undefined || iso(after) !== iso(until)))
      entries.push({
        type: 'Resolved',
        timestamp: iso(until),
        ...(endedCause !== null && { cause: endedCause }),
      })
  }
  return entries
}

/** An assessment that was carried over may also ignore the finding: then it makes two entries. */
function entriesOfDecisions(decisions: readonly TimelineRow[]): TimelineEntry[] {
  let wasIgnored = false
  let said = JSON.stringify(null)
  return decisions.flatMap(({ type, createdAt, source, createdByEmail, ignored, ...rest }) => {
    const { origin, statedIn, isUndo, acceptance, line, ...stated } = rest
    const described = describeAcceptance(acceptance)
    const more = { ...(isUndo && { isUndo }), ...(line && { line }) }
    const entry = { timestamp: createdAt.toISOString(), source, createdByEmail, ...more }
    const becameIgnored: TimelineEntry[] =
      ignored === wasIgnored && said === JSON.stringify(described)
        ? []
        : [
            {
              type: ignored ? 'Ignored' : 'Unignored',
              ...entry,
              ...(described && { acceptance: described }),
            },
          ]
    wasIgnored = ignored
    said = JSON.stringify(described)
    if (type !== 'Assessment') return becameIgnored
    const assessment = { ...stated, response: stated.responses[0] ?? null }
    const by = { origin, statedIn: statedIn && limitStatedIn(statedIn) }
    return [{ type, ...entry, ...by, assessment }, ...becameIgnored]
  })
}

export function limitStatedIn(statedIn: StatedIn): StatedIn {
  return { ...statedIn, statedAt: iso(statedIn.statedAt) }
}

function iso(timestamp: string): string {
  return new Date(timestamp).toISOString()
}
