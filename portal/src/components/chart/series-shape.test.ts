import { describe, expect, it } from 'vitest'
import {
  listChanges,
  listGaps,
  findNearestRow,
  listRows,
  listStretches,
  chooseValueRange,
} from './series-shape.ts'

const point = (at: number, value = at) => ({ time: new Date(at).toISOString(), value })
const whole = { from: 0, to: 100, stepMs: 10 }

describe('gaps', () => {
  it.each`
    times                          | gaps                       | because
    ${[0, 10, 20, 30, 90]}         | ${[{ from: 30, to: 90 }]}  | ${'points are missing between two'}
    ${[50, 60, 70, 80, 90]}        | ${[{ from: 0, to: 50 }]}   | ${'the first comes late'}
    ${[0, 10, 20, 30]}             | ${[{ from: 30, to: 100 }]} | ${'nothing came since'}
    ${[0, 10, 30, 40, 50, 60, 80]} | ${[]}                      | ${'one that is late is no gap'}
    ${[0, 30, 60, 90]}             | ${[]}                      | ${'the device reports every third step'}
    ${[]}                          | ${[{ from: 0, to: 100 }]}  | ${'there is no point at all'}
  `('of $times are $gaps, as $because', ({ times, gaps }: { times: number[]; gaps: object[] }) => {
    expect(listGaps(times, whole)).toEqual(gaps)
  })

  it('part the line, and leave a point that stands alone', () => {
    const points = [0, 10, 20, 90].map((at) => ({ at, value: 1 }))

    expect(listStretches(points, 10).map((stretch) => stretch.map(({ at }) => at))).toEqual([
      [0, 10, 20],
      [90],
    ])
  })
})

it('has a row for each instant, with all series', () => {
  const rows = listRows([
    { name: 'a', points: [point(10, 1), point(20, 2)] },
    { name: 'b', points: [point(0, 3), point(20, 4)] },
  ])

  expect(rows).toEqual([
    { at: 0, values: [undefined, 3] },
    { at: 10, values: [1, undefined] },
    { at: 20, values: [2, 4] },
  ])
  expect(findNearestRow(rows, 14)?.at).toBe(10)
  expect(findNearestRow([], 14)).toBeUndefined()
})

it.each`
  values      | limits     | range       | because
  ${[38, 42]} | ${[80]}    | ${[30, 80]} | ${'a limit above is shown with its distance'}
  ${[38, 42]} | ${[5_000]} | ${[38, 42]} | ${'a limit far away would flatten the line'}
  ${[5, 5]}   | ${[]}      | ${[4, 6]}   | ${'a constant stands in the middle'}
  ${[0, 0]}   | ${[100]}   | ${[0, 100]} | ${'zero has no size of its own'}
  ${[]}       | ${[10]}    | ${[0, 10]}  | ${'a limit can stand alone'}
`(
  'shows $range for $values with limits at $limits, as $because',
  ({ values, limits, range }: Record<string, number[]>) => {
    expect(chooseValueRange(values ?? [], limits ?? [])).toEqual(range)
  },
)

it('compares each value with the one before, as the rule does', () => {
  const points = [point(0, 80), point(10, 60), point(20, 0), point(30, 12), point(50, 24)]

  expect(listChanges(points, 10).map(({ value }) => value)).toEqual([-25, -100])
  expect(listChanges([point(0, -10), point(10, -15)], 10).map(({ value }) => value)).toEqual([-50])
})
