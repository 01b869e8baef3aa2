import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countHeld } from './device-counts-store.ts'

/** The packages hold the versions of their names. */
function heldBy(lists: readonly (readonly number[])[]) {
  const held = lists.map((versions, index) => {
    const blocks = Map.groupBy(versions, (version) => version >> 5)
    const bitsOf = (some: readonly number[]) =>
      some.reduce((bits, version) => bits | (1 << (version & 31)), 0)
    return [String(index), [...blocks].map(([block, some]) => [block, bitsOf(some)] as const)]
  })
  return new Map(held as [string, (readonly [number, number])[]][])
}

it('counts a version and a device once, however many of the packages have them', () => {
  const sets = [
    { devices: 5, versions: [1, 31, 64] },
    { devices: 20, versions: [31] },
    { devices: 100, versions: [4] },
  ]
  const held = heldBy([[1, 31], [31, 64, 65], [9]])
  const asked = new Map([
    ['both', ['0', '1']],
    ['one', ['1']],
    ['none', ['2', 'unknown']],
  ])

  expect(Object.fromEntries(countHeld({ sets, held }, asked))).toEqual({
    both: { versions: 4, devices: 25 },
    one: { versions: 3, devices: 25 },
    none: { versions: 1, devices: 0 },
  })
})

it('counts as looking at every set does', () => {
  const version = fc.integer({ min: 0, max: 70 })
  const versions = fc.uniqueArray(version, { maxLength: 6 })
  const set = fc.record({ devices: fc.nat(9), versions })
  const lists = fc.array(versions, { maxLength: 5 })
  const chosen = fc.array(fc.uniqueArray(fc.nat(4), { maxLength: 5 }))
  fc.assert(
    fc.property(fc.array(set), lists, chosen, (sets, packages, keys) => {
      const asked = new Map(keys.map((key, index) => [index, key.map(String)]))

      const counts = countHeld({ sets, held: heldBy(packages) }, asked)

      for (const [index, key] of keys.entries()) {
        const all = new Set(key.flatMap((place) => packages[place] ?? []))
        const meeting = sets.filter((one) => one.versions.some((each) => all.has(each)))
        const devices = meeting.reduce((total, one) => total + one.devices, 0)
        expect(counts.get(index)).toEqual({ versions: all.size, devices })
      }
    }),
  )
})
