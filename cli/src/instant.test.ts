import { describe, expect, it } from 'vitest'
import { formatTime, parseEnd, parseInstant, parseSeconds, parseStart } from './instant.ts'

const NOW = Date.parse('2026-08-22T12:00:00Z')

describe('instant', () => {
  it.each`
    text                           | expected
    ${'30m'}                       | ${'2026-08-22T11:30:00.000Z'}
    ${'7d'}                        | ${'2026-08-15T12:00:00.000Z'}
    ${'2026-08-22T09:30Z'}         | ${'2026-08-22T09:30:00.000Z'}
    ${'2026-08-22T09:30:15+02:00'} | ${'2026-08-22T07:30:15.000Z'}
  `('$text is $expected', ({ text, expected }: { text: string; expected: string }) => {
    expect(parseInstant(text, NOW)).toBe(expected)
  })

  it.each(['', 'yesterday', '0m', '-1h', '2026-08-22', '2026-08-22T09:30:00', '2026-13-40T00:00Z'])(
    '%j is none',
    (text) => {
      expect(() => parseInstant(text, NOW)).toThrow('It must be a time')
    },
  )
})

it.each`
  text     | expected
  ${'90s'} | ${90}
  ${'5m'}  | ${300}
  ${'1d'}  | ${86_400}
`('$text is $expected seconds', ({ text, expected }: { text: string; expected: number }) => {
  expect(parseSeconds(text)).toBe(expected)
})

it.each`
  text                      | start                         | end                           | because
  ${'2026-08-01'}           | ${'2026-08-01T00:00:00.000Z'} | ${'2026-08-02T00:00:00.000Z'} | ${'the whole day belongs to the period'}
  ${'2026-08-22'}           | ${'2026-08-22T00:00:00.000Z'} | ${'2026-08-22T12:00:00.000Z'} | ${'it is not over'}
  ${'2026-08-30'}           | ${'2026-08-30T00:00:00.000Z'} | ${'2026-08-30T00:00:00.000Z'} | ${'the service refuses what is to come'}
  ${'2026-08-22T09:30:00Z'} | ${'2026-08-22T09:30:00.000Z'} | ${'2026-08-22T09:30:00.000Z'} | ${'it is no day'}
`(
  'takes a period from $start or to $end by $text, as $because',
  ({ text, start, end }: Record<'text' | 'start' | 'end', string>) => {
    expect([parseStart(text), parseEnd(text, NOW)]).toEqual([start, end])
  },
)

it('takes no day that there is not', () => {
  for (const parse of [parseStart, parseEnd])
    expect(() => parse('2026-13-40')).toThrow('It must be a time')
})

it('shows times to the second', () => {
  expect(formatTime('2026-08-22T09:30:15.123Z')).toBe('2026-08-22 09:30:15')
  expect(formatTime(null)).toBeNull()
})
