import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listReturnGroups } from './roll-back.ts'

const artifacts = [
  {
    firmware: { id: 'f', slug: 'gateway' },
    firmwareVersion: { id: 'a', name: '4.1.0' },
    replaces: { id: 'b', name: '4.4.0' },
    running: [],
    notReportingCount: 0,
  },
]
const count = fc.integer({ min: 0, max: 100_000 })

it('makes three groups that add up to the cohort', () => {
  const counts = fc.record({
    reporting: count,
    installing: count,
    staying: count,
    other: count,
    unknown: count,
  })

  fc.assert(
    fc.property(counts, (deviceCounts) => {
      const groups = listReturnGroups({ artifacts, deviceCounts })

      expect(groups).toHaveLength(3)
      expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(
        Object.values(deviceCounts).reduce((sum, one) => sum + one, 0),
      )
    }),
  )
})

it('says of whom those are made that go back', () => {
  const deviceCounts = { reporting: 23, installing: 1, staying: 20, other: 3, unknown: 3 }

  expect(listReturnGroups({ artifacts, deviceCounts })).toEqual([
    {
      id: 'back',
      count: 27,
      text: 'go back and install 4.1.0',
      parts: '23 report 4.4.0; 1 is installing it and is told to stop; 3 report another version',
    },
    { id: 'stay', count: 20, text: 'stay: they report 4.1.0 already', parts: '' },
    {
      id: 'unknown',
      count: 3,
      text: 'report no version that is known',
      parts: 'they get 4.1.0 when they ask for it',
    },
  ])
})
