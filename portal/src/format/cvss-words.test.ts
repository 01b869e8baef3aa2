import { expect, it } from 'vitest'
import { describeCvss } from './cvss-words.ts'

it.each`
  vector                                                               | words
  ${'CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H'}                    | ${'local access, low effort, full control'}
  ${'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N'}                    | ${'over the network, high effort, no login, needs a person to act, secrets lost'}
  ${'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N'} | ${'over the network, high effort, no login, availability lost'}
  ${'AV:N/AC:L/Au:N/C:P/I:P/A:P'}                                      | ${''}
`('reads $vector', ({ vector, words }: { vector: string; words: string }) => {
  expect(describeCvss(vector)).toBe(words)
})
