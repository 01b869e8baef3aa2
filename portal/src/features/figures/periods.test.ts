import { expect, it } from 'vitest'
import { findPeriods } from './periods.ts'

it('names whole quarters and the months until today', () => {
  expect(findPeriods(new Date('2026-01-15T23:00:00Z'))).toMatchObject({
    lastQuarter: { from: '2025-10-01', to: '2025-12-31' },
    quarter: { from: '2026-01-01', to: '2026-01-15' },
    year: { from: '2025-02-01', to: '2026-01-15' },
  })
})
