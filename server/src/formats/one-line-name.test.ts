import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { AppError } from '../platform/errors.ts'
import { faultOfName, readName } from './one-line-name.ts'

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
`('$text as a name: $fault', ({ text, fault }: { text: string; fault: string | undefined }) => {
  const found = faultOfName(text)

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
      if (faultOfName(text) !== undefined) return
      expect(readName(text)).toMatch(/[^\p{Cc}\p{Cf}\p{Z}]/u)
      expect(readName(text)).not.toMatch(/[\r\n\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
    }),
    { numRuns: propertyRuns(1_000) },
  )
})
