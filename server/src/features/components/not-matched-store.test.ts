import { expect, it } from 'vitest'
import { findReasonCodes, GAP, describeReason } from './not-matched-store.ts'

it.each`
  code                         | words
  ${`${GAP.release}Debian 11`} | ${'no records of Debian 11 are loaded'}
  ${GAP.distribution}          | ${'no records of this distribution'}
  ${GAP.unknown}               | ${'known to no source'}
  ${'version is a commit'}     | ${'version is a commit'}
  ${null}                      | ${null}
`('$code is $words in words', ({ code, words }: Record<string, string | null>) => {
  expect(describeReason(code ?? null)).toBe(words)
})

it.each`
  text                                    | found
  ${'known to no source'}                 | ${[GAP.unknown]}
  ${'known to'}                           | ${[GAP.unknown]}
  ${'know'}                               | ${[]}
  ${'no records of'}                      | ${[GAP.distribution, '#release Debian 11', '#release Debian 12']}
  ${'no records of Debian'}               | ${['#release Debian 11', '#release Debian 12']}
  ${'no records of Debian 11'}            | ${['#release Debian 11']}
  ${'no records of Debian 11 are'}        | ${['#release Debian 11']}
  ${'no records of Debian 11 are loaded'} | ${['#release Debian 11']}
  ${'no records of Deb'}                  | ${[]}
  ${'no identifier'}                      | ${[]}
`('$text finds $found', ({ text, found }: { text: string; found: string[] }) => {
  const stored = [GAP.distribution, GAP.unknown, '#release Debian 11', '#release Debian 12']

  const { codes, prefixes } = findReasonCodes(text)

  const meeting = stored.filter(
    (code) => codes.includes(code) || prefixes.some((prefix) => code.startsWith(prefix)),
  )
  expect(meeting.toSorted()).toEqual(found.toSorted())
})
