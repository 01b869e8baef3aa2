import { expect, it } from 'vitest'
import { withGaps } from './line-chart.tsx'

const point = (second: number) => ({ at: new Date(second * 1000), value: second })

it('breaks the line where points are missing, not where one came late', () => {
  const [a, b, c] = [point(0), point(20), point(60)]

  expect(withGaps([a, b, c], 10_000)).toEqual([a, b, undefined, c])
})
