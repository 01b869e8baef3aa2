import { expect, it } from 'vitest'
import { listQuarters, nameLastQuarter } from './quarters.ts'

it('names the quarters before, also across the turn of a year', () => {
  const now = new Date('2026-02-01T00:00:00Z')

  expect(listQuarters(now, 3)).toEqual(['2026-Q1', '2025-Q4', '2025-Q3'])
  expect(nameLastQuarter(new Date('2026-12-31T23:59:59Z'))).toBe('2026-Q3')
})
