import { expect, it } from 'vitest'
import { inParts } from './batches.ts'

it.each`
  sizes            | parts
  ${[]}            | ${[]}
  ${[0, 0, 0]}     | ${[[0, 0, 0]]}
  ${[4, 6, 1]}     | ${[[4, 6], [1]]}
  ${[25, 1, 9, 1]} | ${[[25], [1, 9], [1]]}
  ${[1, 25, 0, 0]} | ${[[1], [25], [0, 0]]}
`('cuts $sizes', ({ sizes, parts }: { sizes: number[]; parts: number[][] }) => {
  expect(inParts(sizes, { most: 10, sizeOf: (size) => size })).toEqual(parts)
})
