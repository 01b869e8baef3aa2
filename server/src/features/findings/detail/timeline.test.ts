import { describe, expect, it } from 'vitest'
import type { TimelineRow } from '../decisions-store.ts'
import type { Span } from './store.ts'
import { buildTimeline } from './timeline.ts'

const day = (number: number) => `2024-01-0${number}T00:00:00.000Z`

const span = (since: number, until: number | null, causes: Partial<Span> = {}): Span => ({
  since: day(since),
  until: until === null ? null : day(until),
  cause: 'PackageMatched',
  endedCause: until === null ? null : 'KnowledgeChanged',
  ...causes,
})

const decided = (at: number, row: Partial<TimelineRow> & Pick<TimelineRow, 'type'>) => ({
  createdAt: new Date(day(at)),
  source: 'ApiKey' as const,
  origin: 'Person' as const,
  statedIn: null,
  createdByEmail: 'a@example.com',
  assessment: 'NotAssessed' as const,
  ignored: false,
  justification: null,
  responses: [],
  detail: null,
  recheckReason: null,
  acceptance: null,
  line: null,
  isUndo: false,
  ...row,
})

describe('the timeline', () => {
  it.each`
    because                              | spans                          | types
    ${'it still holds'}                  | ${[span(1, null)]}             | ${['Detected']}
    ${'it held once'}                    | ${[span(1, 2)]}                | ${['Detected', 'Resolved']}
    ${'it came back'}                    | ${[span(1, 2), span(3, null)]} | ${['Detected', 'Resolved', 'Reopened']}
    ${'only its confidence has changed'} | ${[span(1, 2), span(2, null)]} | ${['Detected']}
    ${'it changed and then went'}        | ${[span(1, 2), span(2, 3)]}    | ${['Detected', 'Resolved']}
  `('has $types, as $because', ({ spans, types }: { spans: Span[]; types: string[] }) => {
    expect(buildTimeline(null, spans, []).map(({ type }) => type)).toEqual(types)
  })

  it('is oldest first, also where a vulnerability is published after it was found', () => {
    const spans = [span(1, 3), span(7, null, { cause: 'SbomParsed' })]

    const timeline = buildTimeline(new Date(day(5)), spans, [])

    expect(timeline).toEqual([
      { type: 'Detected', timestamp: day(1), cause: 'PackageMatched' },
      { type: 'Resolved', timestamp: day(3), cause: 'KnowledgeChanged' },
      { type: 'Published', timestamp: day(5) },
      { type: 'Reopened', timestamp: day(7), cause: 'SbomParsed' },
    ])
  })

  it('tells what was decided, by whom, and what came with it', () => {
    const timeline = buildTimeline(
      null,
      [span(1, null)],
      [
        decided(2, { type: 'Assessment', assessment: 'NotAffected', responses: ['update', 'x'] }),
        decided(3, { type: 'Ignored', assessment: 'NotAffected', ignored: true }),
        decided(4, { type: 'Unignored', assessment: 'NotAffected' }),
      ],
    )

    const by = { source: 'ApiKey', createdByEmail: 'a@example.com' }
    expect(timeline).toEqual([
      { type: 'Detected', timestamp: day(1), cause: 'PackageMatched' },
      {
        type: 'Assessment',
        timestamp: day(2),
        ...by,
        origin: 'Person',
        statedIn: null,
        assessment: {
          assessment: 'NotAffected',
          justification: null,
          detail: null,
          response: 'update',
          responses: ['update', 'x'],
          recheckReason: null,
        },
      },
      { type: 'Ignored', timestamp: day(3), ...by },
      { type: 'Unignored', timestamp: day(4), ...by },
    ])
  })

  it('tells of both where an assessment and being ignored were taken over at once', () => {
    const taken = decided(1, { type: 'Assessment', assessment: 'NotAffected', ignored: true })

    const types = buildTimeline(null, [], [taken]).map(({ type }) => type)

    expect(types).toEqual(['Assessment', 'Ignored'])
  })
})
