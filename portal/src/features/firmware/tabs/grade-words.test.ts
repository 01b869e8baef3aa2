import type { GradedElement } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { describeCounts, describeGrade } from './grade-words.ts'

const element: GradedElement = {
  id: 'supplier',
  title: 'Supplier name',
  section: 'Data Fields',
  level: 'required',
  of: 'component',
  outcome: 'missing',
  total: 300,
  stated: 86,
  unknown: 0,
  examples: ['a@1'],
  reason: null,
}

it.each`
  more                                                                 | text
  ${{}}                                                                | ${'on 214 of 300 components'}
  ${{ unknown: 12 }}                                                   | ${'on 214 of 300 components; 12 say that it is unknown'}
  ${{ outcome: 'met', stated: 1, total: 1 }}                           | ${'by 1 of 1 component'}
  ${{ outcome: 'cannotSay', reason: 'SPDX 2.3 has no place for it.' }} | ${'SPDX 2.3 has no place for it.'}
  ${{ of: 'document', total: 1, stated: 0 }}                           | ${''}
`('says of how many components it is missing: $text', ({ more, text }) => {
  expect(describeCounts({ ...element, ...(more as Partial<GradedElement>) })).toBe(text)
})

it('counts what is required alone', () => {
  const elements: GradedElement[] = [
    element,
    { ...element, outcome: 'met' },
    { ...element, outcome: 'cannotSay' },
    { ...element, level: 'optional' },
  ]

  expect(describeGrade(elements)).toBe('1 of 3 required elements missing, 1 the format cannot say')
  expect(describeGrade([{ ...element, outcome: 'met' }])).toBe('all of 1 required element')
})
