import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { AppError } from '../platform/errors.ts'
import { findNameFault, cleanName, readName } from './one-line-name.ts'

it.each`
  text                    | fault
  ${'Too hot'}            | ${undefined}
  ${'  Too hot '}         | ${undefined}
  ${'Überhitzt – 🔥 81°'} | ${undefined}
  ${'مراقبت‌ها'}           | ${undefined}
  ${'👩‍🚀 on call'}         | ${undefined}
  ${'x'.repeat(200)}      | ${undefined}
  ${'x'.repeat(201)}      | ${'longer than 200'}
  ${''}                   | ${'empty'}
  ${' \t\n '}             | ${'empty'}
  ${'\u00a0\ufeff'}       | ${'empty'}
  ${'a\nb'}               | ${'line break'}
  ${'a\u2028b'}           | ${'line break'}
  ${'a\u0085b'}           | ${'line break'}
  ${'a\u001b[31mb'}       | ${'control character'}
  ${'\u200b'}             | ${'invisible'}
  ${'\u200d'}             | ${'invisible'}
  ${'a\u200c'}            | ${'invisible'}
  ${'a \u200d b'}         | ${'invisible'}
  ${'a\u200d\u200db'}     | ${'invisible'}
  ${'a\u202eb'}           | ${'invisible'}
  ${'a\u2066b\u2069'}     | ${'invisible'}
  ${'a\u00adb'}           | ${'invisible'}
  ${'2.0\u200c1'}         | ${'invisible character (U+200C)'}
  ${'2.0\ufe0f'}          | ${'invisible character (U+FE0F)'}
  ${'2.\u034f0'}          | ${'invisible character (U+034F)'}
  ${'2.0\u3164'}          | ${'invisible character (U+3164)'}
  ${'2.0\u2800'}          | ${'invisible character (U+2800)'}
  ${'2.0\u{1d159}'}       | ${'invisible character (U+1D159)'}
  ${'2.0\uffff'}          | ${'invisible character (U+FFFF)'}
  ${'2.0\u{e0031}'}       | ${'invisible character (U+E0031)'}
  ${'2.0\ud800'}          | ${'invisible character (U+D800)'}
  ${'2.0\u00a0rc1'}       | ${'space other than the plain one (U+00A0)'}
  ${'2.0\u3000rc1'}       | ${'space other than the plain one (U+3000)'}
  ${'2.0\r'}              | ${undefined}
  ${'⚙️ 2.0'}             | ${undefined}
  ${'👁️‍🗨️ seen'}            | ${undefined}
`('$text as a name: $fault', ({ text, fault }: { text: string; fault: string | undefined }) => {
  const found = findNameFault(text)

  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(fault)
})

it('trims a name, and names the field of one it refuses', () => {
  expect(readName(' Too hot ')).toBe('Too hot')
  expect(() => readName('\u200b', '/cohort')).toThrow(AppError)
})

it('makes of any text a visible line, or a fault', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      if (findNameFault(text) !== undefined) return
      expect(readName(text)).toMatch(/[^\p{Cc}\p{Cf}\p{Z}]/u)
      expect(readName(text)).not.toMatch(/[\r\n\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
    }),
    { numRuns: propertyRuns(1_000) },
  )
})

it('composes a name, so that what looks alike is alike', () => {
  expect(readName('Mu\u0308nchen')).toBe('M\u00fcnchen')
})

it.each`
  reported          | meant
  ${'2.0\r\n'}      | ${'2.0'}
  ${'\ufeff2.0'}    | ${'2.0'}
  ${' 2.0\u200b'}   | ${'2.0'}
  ${'2.\u200b0'}    | ${'2.0'}
  ${'2.0\u00a0rc1'} | ${'2.0 rc1'}
  ${'2.0\u0000'}    | ${'2.0'}
  ${'u\u0308ber'}   | ${'\u00fcber'}
  ${'\u200b'}       | ${'\u200b'}
  ${'مراقبت‌ها'}     | ${'مراقبت‌ها'}
`('takes the reported $reported for $meant', ({ reported, meant }: Record<string, string>) => {
  expect(cleanName(reported ?? '')).toBe(meant)
})

it('takes a name for itself, and any report for a name or for nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      if (findNameFault(text) === undefined) expect(cleanName(readName(text))).toBe(readName(text))
    }),
    { numRuns: propertyRuns(1_000) },
  )
})
