import { expect, it } from 'vitest'
import { formatProgress } from './roll-out.ts'

const counts = {
  reporting: 1,
  failed: 2,
  installing: 1,
  waiting: 3,
  cancelled: 4,
  movedOn: 0,
  left: 0,
}

it('says what devices report, as nobody knows what they installed', () => {
  expect(formatProgress({ deviceCounts: counts })).toBe(
    '1 reports it, 2 failed, 4 to go, 4 cancelled',
  )
  expect(formatProgress({ deviceCounts: { ...counts, reporting: 2, cancelled: 0 } })).toBe(
    '2 report it, 2 failed, 4 to go',
  )
})
