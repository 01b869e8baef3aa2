import { expect, it } from 'vitest'
import { editDistance, findSimilarNames } from './similar-names.ts'

const KNOWN = ['battery.voltage', 'cpu.load', 'cpu.temperature', 'memory.free', 'temperature']

it.each`
  name                 | near
  ${'temperatur'}      | ${['temperature', 'cpu.temperature']}
  ${'Cpu_Temperature'} | ${['cpu.temperature', 'temperature']}
  ${'cpu.laod'}        | ${['cpu.load']}
  ${'humidity'}        | ${[]}
  ${'x'}               | ${[]}
`('$name may have meant $near', ({ name, near }: { name: string; near: string[] }) => {
  expect(findSimilarNames(name, KNOWN, 3).toSorted()).toEqual(near.toSorted())
})

it.each`
  a           | b            | distance
  ${''}       | ${''}        | ${0}
  ${'kitten'} | ${'sitting'} | ${3}
  ${'abc'}    | ${'abc'}     | ${0}
  ${'abc'}    | ${''}        | ${3}
`(
  '$a and $b are $distance apart',
  ({ a, b, distance }: { a: string; b: string; distance: number }) => {
    expect(editDistance(a, b, 10)).toBe(distance)
  },
)
