import { expect, it } from 'vitest'
import { formatTickValue, formatValue } from './values.ts'

it.each`
  value              | text               | onAxis
  ${41.2857142857}   | ${'41.2857'}       | ${'41.2857'}
  ${-0.000012345678} | ${'-0.0000123457'} | ${'-0.0000123457'}
  ${1234567.8}       | ${'1,234,570'}     | ${'1.235M'}
  ${0}               | ${'0'}             | ${'0'}
`(
  'reads $value as $text',
  ({ value, text, onAxis }: { value: number; text: string; onAxis: string }) => {
    expect([formatValue(value), formatTickValue(value)]).toEqual([text, onAxis])
  },
)
