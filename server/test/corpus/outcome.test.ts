import { expect, it } from 'vitest'
import type { Label } from './labels.ts'
import { outcomeOf, reportOf } from './outcome.ts'

const label = (component: string, isAffected: boolean): Label => ({
  cve: 'CVE-2024-1',
  component,
  isAffected,
  source: 'https://example.org',
  fact: 'before 2.0',
  because: 'it says so',
})

const LABELS = [label('a@1', true), label('a@1.9', true), label('a@2', false), label('a@3', false)]

it('counts what is right, wrong and missed, and leaves out Low where only active findings count', () => {
  const matches = { 'CVE-2024-1': { 'a@1': 'Low', 'a@2': 'High' } } as const

  const outcome = outcomeOf(LABELS, matches, { accepted: {}, gaps: [] })

  expect(outcome).toMatchObject({ truePositives: 1, trueNegatives: 1 })
  expect(outcome.falsePositives.map(({ component }) => component)).toEqual(['a@2'])
  expect(outcome.falseNegatives.map(({ component }) => component)).toEqual(['a@1.9'])
  expect(reportOf('run', outcome)).toContain(
    'precision 50.0 %   recall 50.0 %   (active findings only: 0.0 %, 0.0 %)',
  )
})

it('calls a true match lost that the accepted run had, also where a gap is known, and no other', () => {
  const accepted = { 'CVE-2024-1': { 'a@1': 'High', 'a@1.9': 'High', 'a@2': 'High' } } as const
  const gaps = [{ cve: 'CVE-2024-1', component: 'a@1', reason: 'known' }]

  const outcome = outcomeOf(LABELS, { 'CVE-2024-1': { 'a@1.9': 'Low' } }, { accepted, gaps })

  expect(outcome.lost.map(({ component }) => component)).toEqual(['a@1'])
  expect(outcome.unexplained).toEqual([])
})

it('tells new matches, disagreements without a reason, and gaps that are closed', () => {
  const matches = { 'CVE-2024-1': { 'a@1': 'High', 'a@1.9': 'High', 'a@2': 'High' } } as const
  const accepted = { 'CVE-2024-1': { 'a@1': 'High' } } as const
  const gaps = [{ cve: 'CVE-2024-1', component: 'a@1.9', reason: 'known' }]

  const outcome = outcomeOf(LABELS, matches, { accepted, gaps })

  expect(outcome.gained.map(({ component }) => component)).toEqual(['a@1.9', 'a@2'])
  expect(outcome.unexplained.map(({ component }) => component)).toEqual(['a@2'])
  expect(outcome.closedGaps).toEqual(gaps)
})
