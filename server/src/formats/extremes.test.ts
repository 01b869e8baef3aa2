import { expect, it } from 'vitest'
import { findMax, findMin } from './extremes.ts'

interface ExtremesCase {
  numbers: number[]
  largest: number
  smallest: number
}

it('finds the largest and the smallest of more numbers than a call takes arguments', () => {
  const numbers = Array.from({ length: 500_000 }, (_, index) => index)

  expect([findMax(numbers), findMin(numbers)]).toEqual([499_999, 0])
})

it.each`
  numbers            | largest       | smallest      | because
  ${[]}              | ${1}          | ${1}          | ${'there is none'}
  ${[-2, 0.5]}       | ${1}          | ${-2}         | ${'the bound is larger'}
  ${[2, 3]}          | ${3}          | ${1}          | ${'the bound is smaller'}
  ${[Number.NaN, 2]} | ${Number.NaN} | ${Number.NaN} | ${'one is no number, as for Math.max'}
`('bounds both: $because', ({ numbers, largest, smallest }: ExtremesCase) => {
  expect([findMax(numbers, 1), findMin(numbers, 1)]).toEqual([largest, smallest])
})
