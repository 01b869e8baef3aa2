import { describe, expect, it } from 'vitest'
import { findDifferences, isWithin, VOLATILE, withoutVolatile } from './comparison.ts'

describe('differences of an answer', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['a new member', { a: 1 }, { a: 1, b: 2 }, []],
    ['a new member of an entry', [{ a: 1 }], [{ a: 1, b: 2 }], []],
    ['a member that is gone', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, ['/a/c']],
    ['a member that is null', { a: null }, {}, ['/a']],
    ['another value', { a: [1, 2] }, { a: [1, 3] }, ['/a/1']],
    ['another type', { a: '1' }, { a: 1 }, ['/a']],
    ['a new entry', { a: [1] }, { a: [1, 2] }, ['/a']],
    ['an entry that is gone', { a: [1, 2] }, { a: [1] }, ['/a']],
    ['another order', ['a', 'b'], ['b', 'a'], ['/0', '/1']],
    ['a name with signs', { 'a/b~c': 1 }, {}, ['/a~1b~0c']],
    ['what changes by itself', { a: VOLATILE, b: 1 }, { a: 7, b: 1 }, []],
    ['a list in place of an object', { a: {} }, { a: [] }, ['/a']],
  ])('%s', (_what, before, after, places) => {
    const found = findDifferences(before, after)

    expect(found.map(({ pointer }) => pointer)).toEqual(places)
  })
})

describe('what changes by itself', () => {
  it('is left out, each value alone', () => {
    const first = { at: 1, list: [{ id: 'a', age: 10 }], other: true }
    const second = { at: 2, list: [{ id: 'a', age: 11 }], other: true }

    const recorded = withoutVolatile(first, second)

    expect(recorded).toEqual({ at: VOLATILE, list: [{ id: 'a', age: VOLATILE }], other: true })
  })

  it('is a whole list, where entries come or go', () => {
    expect(withoutVolatile({ list: [1] }, { list: [1, 2] })).toEqual({ list: VOLATILE })
  })

  it('is the release that answers', () => {
    expect(withoutVolatile({ tooling: 'x 1.0', a: 1 }, { tooling: 'x 1.0', a: 1 })).toEqual({
      a: 1,
    })
  })
})

it.each`
  pointer       | pattern     | expected
  ${'/a/0/b'}   | ${'/a/0/b'} | ${true}
  ${'/a/7/b'}   | ${'/a/*/b'} | ${true}
  ${'/a/7/b/c'} | ${'/a/*/b'} | ${true}
  ${'/a/7'}     | ${'/a/*/b'} | ${false}
  ${'/a'}       | ${'/a/*'}   | ${false}
  ${'/ab'}      | ${'/a'}     | ${false}
  ${'/a/7/b'}   | ${'/a/*/c'} | ${false}
`('$pointer is within $pattern: $expected', ({ pointer, pattern, expected }) => {
  expect(isWithin(pointer as string, pattern as string)).toBe(expected)
})
