import { expect, it } from 'vitest'
import { describeAskedSupport, SUPPORT_FILTERS } from './support-filters.ts'

it('never has what is not known among what is supported', () => {
  const now = new Date('2026-11-29T23:00:00Z')

  expect(SUPPORT_FILTERS.map((filter) => describeAskedSupport(filter, now))).toEqual([
    { supportStates: ['Ended'] },
    { supportStates: ['Ending'], supportEndsBefore: '2027-02-28' },
    { supportStates: ['Ending', 'NoEndPlanned'] },
    { supportStates: ['NotKnown'] },
  ])
})
