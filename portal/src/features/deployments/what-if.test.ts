import { expect, it } from 'vitest'
import { changesOf, runsOf, supposedOf } from './what-if.ts'

it('keeps in the address what is supposed, and leaves out what is not whole', () => {
  const supposed = supposedOf('east:v1,west:v1,,north:,east:v2')

  expect(runsOf(supposed)).toBe('east:v1,west:v1,east:v2')
  expect(changesOf(supposed)).toEqual([
    { deploymentCohortId: 'east', firmwareVersionIds: ['v1', 'v2'] },
    { deploymentCohortId: 'west', firmwareVersionIds: ['v1'] },
  ])
  expect([supposedOf(undefined), runsOf([])]).toEqual([[], undefined])
})
