import { expect, it } from 'vitest'
import { drawSparkline } from './sparkline.ts'

it.each`
  values                      | width | expected      | because
  ${[0, 1, 2, 3, 4, 5, 6, 7]} | ${80} | ${'▁▂▃▄▅▆▇█'} | ${'each value has a character of its own where there is room'}
  ${[0, 0, 0, 0]}             | ${80} | ${'▁▁▁▁'}     | ${'nothing is the lowest'}
  ${[0, 1, 1000]}             | ${80} | ${'▁▂█'}      | ${'one among a thousand is seen'}
  ${[0, 0, 9, 0, 0, 0]}       | ${3}  | ${'▁█▁'}      | ${'the highest of neighbours counts'}
  ${[null, null, 0, 4]}       | ${80} | ${'··▁█'}     | ${'where nothing is known there is a gap'}
  ${[null, 4, 0, null]}       | ${2}  | ${'█▁'}       | ${'what is known fills the gap beside it'}
  ${[]}                       | ${80} | ${''}         | ${'nothing is nothing'}
`(
  '$values in $width characters is $expected, as $because',
  ({ values, width, expected }: { values: (number | null)[]; width: number; expected: string }) => {
    expect(drawSparkline(values, width)).toBe(expected)
  },
)
