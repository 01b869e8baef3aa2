import { expect, it } from 'vitest'
import { SigningKey } from './signing-key.ts'

const at = (second: number) => new Date(second * 1_000)
const first = { value: Buffer.from('first'), beginsAt: null, endsAt: at(50) }
const second = { value: Buffer.from('second'), beginsAt: at(20), endsAt: null }

it.each`
  second | signs       | accepts
  ${0}   | ${'first'}  | ${['first', 'second']}
  ${19}  | ${'first'}  | ${['first', 'second']}
  ${20}  | ${'second'} | ${['first', 'second']}
  ${49}  | ${'second'} | ${['first', 'second']}
  ${50}  | ${'second'} | ${['second']}
`('signs at second $second with the $signs key and accepts $accepts', (row: Row) => {
  const alone = [first, second].map(
    (key) => new SigningKey([{ ...key, endsAt: null }], () => at(100)),
  )
  const rotating = new SigningKey([first, second], () => at(row.second))
  const names = ['first', 'second']

  const signature = rotating.sign('a')

  expect(names.filter((_, index) => alone[index]?.isSigned('a', signature))).toEqual([row.signs])
  const accepted = names.filter((_, index) =>
    rotating.isSigned('a', alone[index]?.sign('a') ?? Buffer.alloc(0)),
  )
  expect(accepted).toEqual(row.accepts)
})

interface Row {
  second: number
  signs: string
  accepts: string[]
}

it('takes whole signatures of the content alone, in one spelling', () => {
  const key = new SigningKey([second], () => at(60))
  const signature = key.sign('a', 16)
  const text = key.sign('a').toString('base64url')

  expect(key.isSigned('a', signature, 16)).toBe(true)
  expect(key.isSigned('b', signature, 16)).toBe(false)
  expect(key.isSigned('a', signature)).toBe(false)
  expect(key.isSigned('a', signature.subarray(1), 16)).toBe(false)
  expect(key.isSigned('a', Buffer.alloc(0))).toBe(false)
  expect(key.isSigned('a', text)).toBe(true)
  for (const spelling of [`${text}=`, `${text} `, text.slice(1), ''])
    expect(key.isSigned('a', spelling)).toBe(false)
})
