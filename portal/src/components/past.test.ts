import { describe, expect, it } from 'vitest'
import { formatForField } from '../format/dates.ts'
import { describePast, findEndOfDay } from './past.ts'

describe('a day of the past', () => {
  it('is the day that was chosen, in the field and in words', () => {
    const asOf = findEndOfDay('2025-10-11') ?? ''

    expect(formatForField(new Date(asOf))).toBe('2025-10-11T23:59')
    expect(describePast(asOf)).toContain('the end of')
    expect(describePast(asOf)).toMatch(/11/)
    expect(describePast(asOf)).not.toMatch(/12/)
  })

  it('is now where the day is not over', () => {
    const noon = new Date(2026, 4, 3, 12).getTime()

    expect(findEndOfDay('2026-05-03', noon)).toBe(new Date(noon).toISOString())
    expect(describePast(new Date(noon).toISOString())).not.toContain('the end of')
  })

  it('is none while a year is being typed', () => {
    expect(findEndOfDay('0020-05-03')).toBeUndefined()
    expect(findEndOfDay('')).toBeUndefined()
  })
})
