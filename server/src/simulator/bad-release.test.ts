import { expect, it } from 'vitest'
import { drawFaults } from './bad-release.ts'

const SIZE = 2_000
const drawAll = (version: string) =>
  Array.from({ length: SIZE }, (_, sequence) =>
    drawFaults(
      { seed: '1', badRelease: '2.0' },
      { id: 'sim-00001', boots: 1, sequence, firmware: new Map([['gateway', version]]) },
    ),
  )
const count = (faults: ReturnType<typeof drawAll>) => ({
  errors: faults.filter(({ error }) => error !== undefined).length / SIZE,
  restarts: faults.filter(({ isRestarting }) => isRestarting).length / SIZE,
})

it('logs an error in three of ten reports and restarts after one of ten, the same ones every time', () => {
  const { errors, restarts } = count(drawAll('2.0'))

  expect(errors).toBeCloseTo(0.3, 1)
  expect(restarts).toBeCloseTo(0.1, 1)
  expect(drawAll('2.0')).toEqual(drawAll('2.0'))
})

it('does neither with another release', () => {
  expect(count(drawAll('1.0'))).toEqual({ errors: 0, restarts: 0 })
})
