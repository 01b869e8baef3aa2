import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, shortenText } from './shorten.ts'

const TEXT = fc.string({ unit: 'grapheme', maxLength: 40 })
const MOST = fc.integer({ min: 1, max: 30 })

test('a shortened text has no half of a character and is not longer', () => {
  fc.assert(
    fc.property(TEXT, MOST, (text, most) => {
      const [cut, shortened] = [cutText(text, most), shortenText(text, most)]
      expect(cut.isWellFormed() && shortened.isWellFormed()).toBe(true)
      expect(text.startsWith(cut)).toBe(true)
      expect(Math.max(cut.length, shortened.length)).toBeLessThanOrEqual(most)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, most - 1))
    }),
  )
})

test('a text that fits stays as it is', () => {
  expect([
    shortenText('1.2 ', 4),
    cutText('a😀', 3),
    cutText('a😀', 2),
    shortenText('a😀b', 3),
  ]).toEqual(['1.2 ', 'a😀', 'a', 'a…'])
})
