import type { CaseFact } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { tellFacts } from './fact-words.ts'

const fact = (more: Partial<CaseFact>): CaseFact => ({
  id: 'a',
  kind: 'Awareness',
  recordedAt: '2026-11-03T10:00:00.000Z',
  byType: 'User',
  byEmail: 'ines@example.com',
  instant: '2026-11-02T21:40:00.000Z',
  isEstimate: false,
  text: null,
  correctsId: null,
  question: null,
  answer: null,
  stage: null,
  measure: null,
  reference: null,
  names: [],
  reason: null,
  isWithdrawn: false,
  field: null,
  ...more,
})

it('keeps what was corrected in the list, and lets only what holds be corrected', () => {
  const told = tellFacts([
    fact({ id: 'a' }),
    fact({ id: 'b', correctsId: 'a', isEstimate: true, reason: 'The call was at eight.' }),
  ])

  expect(
    told.map(({ text, isReplaced, canBeCorrected }) => [text, isReplaced, canBeCorrected]),
  ).toEqual([
    ['Corrected: aware since, by estimate', false, true],
    ['Aware since', true, false],
  ])
})

it('offers no correction of a withdrawn fact, nor of one that states no instant', () => {
  const told = tellFacts([
    fact({ id: 'a', kind: 'Report', stage: 'EarlyWarning', reference: 'SRP-1' }),
    fact({ id: 'b', kind: 'Report', stage: 'EarlyWarning', correctsId: 'a', isWithdrawn: true }),
    fact({ id: 'c', kind: 'Answer', question: 'WasExploited', answer: 'No' }),
  ])

  expect(told.map(({ text, canBeCorrected }) => [text, canBeCorrected])).toEqual([
    ['Was it exploited in the product? No', false],
    ['Withdrawn: the early warning was submitted, without a reference,', false],
    ['The early warning was submitted as SRP-1,', false],
  ])
})
