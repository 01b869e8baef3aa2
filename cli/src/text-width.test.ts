import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { measureText } from './text-width.ts'

const someOf = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code))

it('measures what string-width measures, whatever stands beside what', () => {
  const characters = fc.oneof(
    fc.constantFrom(
      '…',
      '–',
      '→',
      '·',
      'é',
      '\u0301',
      '\u00ad',
      '\u200d',
      '\ufe0f',
      '©',
      '温',
      '👩‍🔧',
      '\u001b[31m',
    ),
    someOf(0x20, 0x2ff),
    someOf(0x2000, 0x2200),
    fc.string({ unit: 'binary', maxLength: 1 }),
  )
  const texts = fc.array(characters, { maxLength: 8 }).map((parts) => parts.join(''))

  fc.assert(
    fc.property(texts, (text) => {
      expect(measureText(text)).toBe(stringWidth(text))
    }),
  )
})
