import { expect, it } from 'vitest'
import { describeLinesChange, readDrafts, writeLines } from './line-drafts.ts'

const counted = { versionCount: 1, statedCount: 0, newest: { id: '1', name: '2.5' } }

it('sends back what it read, and leaves empty patterns out', () => {
  const gate = { releaseGate: 'Block' as const, gateSupport: null }
  const patterns = ['^2\\.', 'lts$']
  const line = { id: 'a', name: '2.x', patterns, supportEndsOn: '2031-12-31', ...gate }
  const drafts = readDrafts({ lines: [{ ...line, ...counted }], withoutLine: counted })

  expect(writeLines(drafts)).toEqual([line])
  expect(
    writeLines([
      { key: 'k', id: undefined, name: ' 3.x ', patterns: ' ^3\n\n', supportEndsOn: '', ...gate },
    ]),
  ).toEqual([{ name: '3.x', patterns: ['^3'], supportEndsOn: null, ...gate }])
})

it('says what would move, what is matched twice, what ends, and what cannot go', () => {
  expect(
    describeLinesChange({
      versionCount: 3,
      movedCount: 2,
      matchedTwiceCount: 1,
      lines: [{ name: '2.x', ...counted, versionCount: 2 }],
      withoutLine: { ...counted, newest: null },
      refusedLines: [{ name: 'Acme', statedCount: 1 }],
      endedDecisionCount: 2,
      moved: [],
    }),
  ).toBe(
    '2 of 3 versions move to another line. 2.x: 2 versions, newest 2.5. Without a line: 1 version. 1 version matched by several lines: the first takes them. 2 standing decisions end, also if you take this back. Acme cannot go: 1 version stated to belong to it.',
  )
})
