import { expect, it } from 'vitest'
import { listChanges, formatSupposed, parseSupposed } from './what-if.ts'

it('keeps in the address what is supposed, and leaves out what is not whole', () => {
  const supposed = parseSupposed('east:v1,west:v1,,north:,east:v2')

  expect(formatSupposed(supposed)).toBe('east:v1,west:v1,east:v2')
  expect(listChanges(supposed)).toEqual([
    { deploymentCohortId: 'east', firmwareVersionIds: ['v1', 'v2'] },
    { deploymentCohortId: 'west', firmwareVersionIds: ['v1'] },
  ])
  expect([parseSupposed(undefined), formatSupposed([])]).toEqual([[], undefined])
})
