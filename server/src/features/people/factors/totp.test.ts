import { expect, it } from 'vitest'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import { base32, computeCode, formatKeyUri, findMatchingStep, stepAt } from './totp.ts'

/** RFC 6238, appendix B, of which the last six digits. */
const SECRET = Buffer.from('12345678901234567890')

it.each`
  seconds        | code
  ${59}          | ${'287082'}
  ${1111111109}  | ${'081804'}
  ${1111111111}  | ${'050471'}
  ${1234567890}  | ${'005924'}
  ${2000000000}  | ${'279037'}
  ${20000000000} | ${'353130'}
`('has the code $code at $seconds', ({ seconds, code }: { seconds: number; code: string }) => {
  const step = stepAt(new Date(seconds * 1000))

  expect(computeCode(SECRET, step)).toBe(code)
})

it('takes the codes of the steps beside the present one, and each once', () => {
  const at = new Date(1234567890_000)
  const present = stepAt(at)
  const match = (step: number, lastStep?: number) =>
    findMatchingStep(SECRET, computeCode(SECRET, step), { at, lastStep })

  expect([-2, -1, 0, 1, 2].map((offset) => match(present + offset))).toEqual([
    undefined,
    present - 1,
    present,
    present + 1,
    undefined,
  ])
  expect([
    match(present, present),
    match(present, present + 1),
    match(present, present - 1),
  ]).toEqual([undefined, undefined, present])
})

it.each(['', '1', '00592', '0059240', 'abcdef', '００５９２４'])('refuses %s', (code) => {
  expect(
    findMatchingStep(SECRET, code, { at: new Date(1234567890_000), lastStep: undefined }),
  ).toBe(undefined)
})

it('takes a code with a space in it', () => {
  const at = new Date(1234567890_000)

  expect(findMatchingStep(SECRET, '005 924', { at, lastStep: undefined })).toBe(stepAt(at))
})

it.each`
  text        | encoded
  ${''}       | ${''}
  ${'f'}      | ${'MY'}
  ${'fo'}     | ${'MZXQ'}
  ${'foobar'} | ${'MZXW6YTBOI'}
`('writes $text as $encoded (RFC 4648)', ({ text, encoded }: { text: string; encoded: string }) => {
  expect(base32(Buffer.from(text))).toBe(encoded)
})

it('makes a URI that apps read', () => {
  expect(formatKeyUri('ABC', 'ada+x@example.com')).toBe(
    'otpauth://totp/Plimsoll%3Aada%2Bx%40example.com?secret=ABC&issuer=Plimsoll',
  )
})

it('makes ten recovery codes, which may be typed in any form', () => {
  const codes = createRecoveryCodes()

  expect(new Set(codes).size).toBe(10)
  for (const code of codes) {
    expect(code).toMatch(/^([A-Z2-7]{4}-){6}[A-Z2-7]{2}$/)
    expect(hashRecoveryCode(` ${code.replaceAll('-', '').toLowerCase()} `)).toEqual(
      hashRecoveryCode(code),
    )
  }
})
