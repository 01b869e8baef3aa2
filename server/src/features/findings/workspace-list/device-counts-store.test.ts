import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countOverlapping } from './device-counts-store.ts'

it('counts a set once, however many of its versions are asked for', () => {
  const sets = [
    { devices: 5, versions: [1, 7, 3] },
    { devices: 20, versions: [7] },
    { devices: 100, versions: [4] },
  ]
  const asked = new Map([
    ['both', [1, 7]],
    ['one', [3, 9]],
    ['none', [9]],
  ])

  expect(Object.fromEntries(countOverlapping(sets, asked))).toEqual({ both: 25, one: 5, none: 0 })
})

it('counts as looking at every set does', () => {
  const versions = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 6 })
  const set = fc.record({ devices: fc.nat(9), versions })
  fc.assert(
    fc.property(fc.array(set), fc.array(versions), (sets, lists) => {
      const counted = countOverlapping(sets, new Map(lists.entries()))

      for (const [index, list] of lists.entries()) {
        const meeting = sets.filter((one) => one.versions.some((version) => list.includes(version)))
        const devices = meeting.reduce((total, one) => total + one.devices, 0)
        expect(counted.get(index)).toBe(devices)
      }
    }),
  )
})
