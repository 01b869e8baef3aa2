import { expect, it } from 'vitest'
import { backOffMs } from './service.ts'

it.each`
  attempts | chance | expected
  ${1}     | ${0.5} | ${30_000}
  ${2}     | ${0.5} | ${60_000}
  ${7}     | ${0.5} | ${1_920_000}
  ${8}     | ${0.5} | ${3_600_000}
  ${2000}  | ${0.5} | ${3_600_000}
  ${1}     | ${0}   | ${27_000}
  ${1}     | ${1}   | ${33_000}
`(
  'waits $expected ms after attempt $attempts, where chance says $chance',
  ({ attempts, chance, expected }: { attempts: number; chance: number; expected: number }) => {
    expect(backOffMs(attempts, chance)).toBe(expected)
  },
)
