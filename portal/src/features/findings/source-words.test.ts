import type { WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { describeSilence, LINE_SOURCES, summariseSources } from './source-words.ts'

const detail = {
  versionLine: { lanes: [{ source: 'nvd' }] },
  records: [
    { source: 'nvd', isWithdrawn: false },
    { source: 'osv', isWithdrawn: true },
  ],
  evidence: [
    { source: 'nvd', verdict: 'affected', outrankedBy: null },
    { source: 'osv', verdict: 'unaffected', outrankedBy: 'the vendor' },
  ],
  lookedAt: {
    sources: [
      { source: 'cvelist', lastCompleteAt: '2026-01-01T00:00:00Z' },
      { source: 'csaf', lastCompleteAt: null },
    ],
  },
} as unknown as WorkspaceVulnerabilityDetail

it('says of each source without a range why it is silent', () => {
  expect(LINE_SOURCES.map((source) => describeSilence(detail, source))).toEqual([
    undefined,
    'has no record of it',
    'withdrew its record',
    'was never read: what it says is not known',
  ])
  expect(describeSilence({ ...detail, records: [] }, 'osv')).toContain('is not loaded')
})

it('counts those that agree, disagree and are silent', () => {
  expect(summariseSources(detail)).toBe('1 source says so, 3 are silent')
  const evidence = detail.evidence.map((one) => ({ ...one, outrankedBy: null }))
  expect(summariseSources({ ...detail, evidence })).toBe(
    '1 source says so, 1 disagrees, 2 are silent',
  )
})
