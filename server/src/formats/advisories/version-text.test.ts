import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { parseVersionText, type VersionRange } from './version-text.ts'

it.each`
  text                                                 | ranges
  ${'< 2.3'}                                           | ${[{ fixed: '2.3' }]}
  ${'<=v1.2'}                                          | ${[{ lastAffected: '1.2' }]}
  ${'> 1.2'}                                           | ${[{ introducedAfter: '1.2' }]}
  ${'>=1.2'}                                           | ${[{ introduced: '1.2' }]}
  ${'≤ 1.2'}                                           | ${[{ lastAffected: '1.2' }]}
  ${'=< 1.2'}                                          | ${[{ lastAffected: '1.2' }]}
  ${'= 2.39.0'}                                        | ${[{ versions: ['2.39.0'] }]}
  ${'>= 1.0, < 2.0'}                                   | ${[{ introduced: '1.0', fixed: '2.0' }]}
  ${'>= 1.0 < 2.0'}                                    | ${[{ introduced: '1.0', fixed: '2.0' }]}
  ${'< 2.0, >= 1.0'}                                   | ${[{ introduced: '1.0', fixed: '2.0' }]}
  ${'>= 5.2, < 5.2.1, >= 5.3, < 5.3.4'}                | ${[{ introduced: '5.2', fixed: '5.2.1' }, { introduced: '5.3', fixed: '5.3.4' }]}
  ${'>= 1.0, < 1.2 || >= 2.0, < 2.1'}                  | ${[{ introduced: '1.0', fixed: '1.2' }, { introduced: '2.0', fixed: '2.1' }]}
  ${'1.0 <= 1.5'}                                      | ${[{ introduced: '1.0', lastAffected: '1.5' }]}
  ${'1.0 < x <= 1.5'}                                  | ${[{ introducedAfter: '1.0', lastAffected: '1.5' }]}
  ${'before 1.2'}                                      | ${[{ fixed: '1.2' }]}
  ${'before version 01.04.0029'}                       | ${[{ fixed: '01.04.0029' }]}
  ${'prior to Ver.3.1.12'}                             | ${[{ fixed: '3.1.12' }]}
  ${'All versions prior to 23.08.07'}                  | ${[{ fixed: '23.08.07' }]}
  ${'all versions 4.x.x before 4.9.17'}                | ${[{ introduced: '4', fixed: '4.9.17' }]}
  ${'7.1.x versions prior to 7.1.19'}                  | ${[{ introduced: '7.1', fixed: '7.1.19' }]}
  ${'All versions < V3.0'}                             | ${[{ fixed: '3.0' }]}
  ${'All versions >= V1.0 < V3.0'}                     | ${[{ introduced: '1.0', fixed: '3.0' }]}
  ${'through 1.2'}                                     | ${[{ lastAffected: '1.2' }]}
  ${'All versions up to and including v1.16.1'}        | ${[{ lastAffected: '1.16.1' }]}
  ${'1.0 through 1.5'}                                 | ${[{ introduced: '1.0', lastAffected: '1.5' }]}
  ${'7.41.0 to and including 7.73.0'}                  | ${[{ introduced: '7.41.0', lastAffected: '7.73.0' }]}
  ${'12.1.1 - 12.1.3'}                                 | ${[{ introduced: '12.1.1', lastAffected: '12.1.3' }]}
  ${'12.1.1 – 12.1.3'}                                 | ${[{ introduced: '12.1.1', lastAffected: '12.1.3' }]}
  ${'12.0.1-12.0.3'}                                   | ${[{ introduced: '12.0.1', lastAffected: '12.0.3' }]}
  ${'1.2.3-4'}                                         | ${[{ versions: ['1.2.3-4'] }]}
  ${'v1.1.0.3 and earlier'}                            | ${[{ lastAffected: '1.1.0.3' }]}
  ${'2023.4 and previous versions'}                    | ${[{ lastAffected: '2023.4' }]}
  ${'1.2, and earlier'}                                | ${[{ lastAffected: '1.2' }]}
  ${'3.2 and later'}                                   | ${[{ introduced: '3.2' }]}
  ${'3.2+'}                                            | ${[{ introduced: '3.2' }]}
  ${'all versions'}                                    | ${[{}]}
  ${'All'}                                             | ${[{}]}
  ${'*'}                                               | ${[{}]}
  ${'5.4.2.x'}                                         | ${[{ introduced: '5.4.2', fixed: '5.4.3', fixedIsDerived: true }]}
  ${'<= 5.x'}                                          | ${[{ fixed: '6', fixedIsDerived: true }]}
  ${'< 5.x'}                                           | ${[{ fixed: '5' }]}
  ${'11.3, 11.4 and 11.5'}                             | ${[{ versions: ['11.3', '11.4', '11.5'] }]}
  ${'1.0, 2.0 - 2.4'}                                  | ${[{ versions: ['1.0'] }, { introduced: '2.0', lastAffected: '2.4' }]}
  ${'12.2\\(11\\)S1'}                                  | ${[{ versions: ['12.2(11)S1'] }]}
  ${'2.7.0 p1'}                                        | ${[{ versions: ['2.7.0 p1'] }]}
  ${'Fixed in OpenSSL 1.0.2t (Affected 1.0.2-1.0.2s)'} | ${[{ introduced: '1.0.2', fixed: '1.0.2t' }]}
  ${'Fixed in OpenSSL 3.0.1 (Affected 3.0.0)'}         | ${[{ introduced: '3.0.0', fixed: '3.0.1' }]}
`('$text means $ranges', ({ text, ranges }: { text: string; ranges: VersionRange[] }) => {
  expect(parseVersionText(text)).toEqual({ ranges })
})

it.each`
  text                                                    | because
  ${'n/a'}                                                | ${'no version is stated'}
  ${'-'}                                                  | ${'no version is stated'}
  ${'See references'}                                     | ${'no version is stated'}
  ${'Android kernel'}                                     | ${'not understood: Android kernel'}
  ${'Java SE: 7u231, 8u221'}                              | ${'not understood: Java SE: 7u231, 8u221'}
  ${'Nextcloud Server >= 19.0.0, < 19.0.13'}              | ${'not understood: Nextcloud Server >= 19.0.0, < 19.0.13'}
  ${'< 920c8a1'}                                          | ${'not understood: < 920c8a1'}
  ${'< be59098abd119cda70b15bf3faac596dfd39a744'}         | ${'not understood: < be59098abd119cda70b15bf3faac596dfd39a744'}
  ${'before v2 and v3a'}                                  | ${undefined}
  ${'< 1.9.9, < 1.8.3'}                                   | ${'not understood: < 1.9.9, < 1.8.3'}
  ${'All versions < V4.5 HF1'}                            | ${'not understood: All versions < V4.5 HF1'}
  ${'The first 5 digits of serial No. "26061" and prior'} | ${'not understood: The first 5 digits of serial No. "26061" and prior'}
  ${'https://aka.ms/OfficeSecurityReleases'}              | ${'not understood: https://aka.ms/OfficeSecurityReleases'}
  ${'1.0, 2.0 2.1, 3.0'}                                  | ${'not understood: 1.0, 2.0 2.1, 3.0'}
`('$text is not an exact version', ({ text, because }: { text: string; because?: string }) => {
  const parsed = parseVersionText(text)

  if (because === undefined) expect(parsed).not.toEqual({ ranges: [{ versions: [text] }] })
  else expect(parsed).toEqual({ undecidable: because })
})

it('no text makes it throw or take long', () => {
  const words = fc.constantFrom(
    '<',
    '>=',
    '1.0',
    'v2.x',
    ',',
    ' and ',
    'earlier',
    'before',
    '-',
    ' to ',
    '.*',
    '(',
    '\n',
    'all',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 60 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(text, (value) => {
      const parsed = parseVersionText(value)
      expect('ranges' in parsed || parsed.undecidable.length > 0).toBe(true)
    }),
    { numRuns: propertyRuns(2000) },
  )
  for (const hostile of [
    '1'.repeat(1999),
    ' and '.repeat(399),
    '1.'.repeat(999),
    '< '.repeat(999),
    '\n'.repeat(1999),
    'all '.repeat(499),
    '('.repeat(5e6),
  ])
    expect(parseVersionText(`${hostile}x`)).toHaveProperty('undecidable')
})
