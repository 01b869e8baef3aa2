import { describe, expect, it } from 'vitest'
import { splitIntoBatches, splitByWeight } from './batches.ts'

it.each`
  items              | batches
  ${[]}              | ${[]}
  ${[1, 2]}          | ${[[1, 2]]}
  ${[1, 2, 3, 4, 5]} | ${[[1, 2], [3, 4], [5]]}
`('cuts $items into twos', ({ items, batches }: { items: number[]; batches: number[][] }) => {
  expect([...splitIntoBatches(items, 2)]).toEqual(batches)
})

describe('batches by weight', () => {
  it.each`
    weights       | batches             | because
    ${[]}         | ${[]}               | ${'there is nothing'}
    ${[4, 6]}     | ${[[4, 6]]}         | ${'the limit itself fits'}
    ${[4, 7]}     | ${[[4], [7]]}       | ${'both together are too much'}
    ${[1, 30, 1]} | ${[[1], [30], [1]]} | ${'what is too heavy stands alone'}
    ${[0, 0, 10]} | ${[[0, 0, 10]]}     | ${'nothing weighs nothing'}
  `('gives $batches for $weights: $because', ({ weights, batches }) => {
    const cut = splitByWeight(weights as number[], { most: 10, weightOf: (weight) => weight })

    expect([...cut]).toEqual(batches)
  })
})

it.each`
  sizes            | batches
  ${[]}            | ${[]}
  ${[0, 0, 0]}     | ${[[0, 0, 0]]}
  ${[4, 6, 1]}     | ${[[4, 6], [1]]}
  ${[25, 1, 9, 1]} | ${[[25], [1, 9], [1]]}
  ${[1, 25, 0, 0]} | ${[[1], [25], [0, 0]]}
`('cuts $sizes', ({ sizes, batches }: { sizes: number[]; batches: number[][] }) => {
  expect([...splitByWeight(sizes, { most: 10, weightOf: (size) => size })]).toEqual(batches)
})
