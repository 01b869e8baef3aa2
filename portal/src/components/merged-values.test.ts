import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listDifferences, mergeValues, pickChanges } from './merged-values.ts'

const values = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  tags: fc.subarray(['x', 'y']),
  days: fc.constantFrom(1, 2),
})

it('sends only what was changed', () => {
  const before = { name: 'a', tags: ['x'] }

  expect(pickChanges(before, { name: 'a', tags: ['y'] })).toEqual({ tags: ['y'] })
  expect(pickChanges(before, { name: 'a', tags: ['x'] })).toEqual({})
})

it('keeps what was typed and takes the rest from others, for any values', () => {
  fc.assert(
    fc.property(values, values, values, (mine, before, theirs) => {
      const merged = mergeValues(mine, before, theirs)

      const typed = listDifferences(mine, before)
      for (const name of ['name', 'tags', 'days'] as const)
        expect(merged.values[name]).toEqual((typed.includes(name) ? mine : theirs)[name])
      expect(merged.changed).toEqual(listDifferences(theirs, before))
      expect(merged.both).toEqual(merged.changed.filter((name) => typed.includes(name)))
    }),
  )
})
