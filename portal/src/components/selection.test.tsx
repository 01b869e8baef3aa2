import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { type Selection, useSelection } from './selection.ts'

/** `now` is the selection as it is drawn; `change` acts as a person does. */
function givenSelection(order: readonly string[], of = 'active') {
  const { result, rerender } = renderHook((props) => useSelection(props.order, props.of), {
    initialProps: { order, of },
  })
  return {
    now: () => result.current,
    keys: () => [...result.current.keys],
    change: (how: (selection: Selection) => void) => act(() => how(result.current)),
    show: (shown: readonly string[], what = of) => rerender({ order: shown, of: what }),
  }
}

it('selects a row, a range from it in either direction, and takes a range back', () => {
  const { change, keys } = givenSelection(['a', 'b', 'c', 'd', 'e'])

  change(({ toggle }) => toggle('b'))
  change(({ toggle }) => toggle('d', true))
  expect(keys()).toEqual(['b', 'c', 'd'])

  change(({ toggle }) => toggle('a', true))
  expect(keys()).toEqual(['a', 'b', 'c', 'd'])

  change(({ toggle }) => toggle('c', true))
  expect(keys()).toEqual(['d'])
})

it('selects all loaded rows, and none again', () => {
  const { change, now, keys } = givenSelection(['a', 'b'])

  change(({ toggleLoaded }) => toggleLoaded())
  expect([keys(), now().isAll]).toEqual([['a', 'b'], false])
  change(({ toggleLoaded }) => toggleLoaded())
  expect(now().isEmpty).toBe(true)
})

it('keeps how many all were, also rows that are loaded later, until a row is taken out', () => {
  const { change, now, keys, show } = givenSelection(['a', 'b'])
  const total = { totalCount: 450, totalCountIsLowerBound: false }

  change(({ selectAll }) => selectAll(total))
  show(['a', 'b', 'c'])
  expect([now().isAll, now().allTotal, now().has('c'), now().isEmpty]).toEqual([
    true,
    total,
    true,
    false,
  ])

  change(({ toggle }) => toggle('b'))
  expect([keys(), now().isAll, now().allTotal]).toEqual([['a', 'c'], false, undefined])
})

it('forgets rows that left the list, and all of them when it lists something else', () => {
  const { change, now, keys, show } = givenSelection(['a', 'b', 'c'])

  change(({ toggleLoaded }) => toggleLoaded())
  show(['b', 'c'])
  expect(keys()).toEqual(['b', 'c'])
  change(({ selectAll }) => selectAll({ totalCount: 3, totalCountIsLowerBound: false }))
  show(['b', 'c'], 'ignored')

  expect([keys(), now().isAll, now().isEmpty, now().allTotal]).toEqual([[], false, true, undefined])
})
