import { expect, it } from 'vitest'
import { batchesOf } from './batches.ts'

it.each`
  sizes            | batches
  ${[]}            | ${[]}
  ${[0, 0, 0]}     | ${[[0, 0, 0]]}
  ${[4, 6, 1]}     | ${[[4, 6], [1]]}
  ${[25, 1, 9, 1]} | ${[[25], [1, 9], [1]]}
  ${[1, 25, 0, 0]} | ${[[1], [25], [0, 0]]}
`('cuts $sizes', ({ sizes, batches }: { sizes: number[]; batches: number[][] }) => {
  expect(batchesOf(sizes, { maxSize: 10, sizeOf: (size) => size })).toEqual(batches)
})
