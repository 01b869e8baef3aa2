import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readEmailAddress } from './email-address.ts'

it.each`
  text                          | address
  ${'ops@example.com'}          | ${'ops@example.com'}
  ${'Ops.Team@Example.COM'}     | ${'ops.team@example.com'}
  ${"o'neil+alerts@example.io"} | ${"o'neil+alerts@example.io"}
  ${'root@localhost'}           | ${'root@localhost'}
  ${'info@bücher.example'}      | ${'info@xn--bcher-kva.example'}
  ${'info@BÜCHER。example'}     | ${'info@xn--bcher-kva.example'}
  ${`${'a'.repeat(64)}@a.de`}   | ${`${'a'.repeat(64)}@a.de`}
  ${'a@1and1.com'}              | ${'a@1and1.com'}
`('takes $text as $address', ({ text, address }: { text: string; address: string }) => {
  expect(readEmailAddress(text)).toEqual({ emailAddress: text, address })
})

const LONG_DOMAIN = Array.from({ length: 40 }, () => 'abcde').join('.')

it.each`
  text                                   | because
  ${''}                                  | ${'empty'}
  ${'ops'}                               | ${'has no @'}
  ${'@example.com'}                      | ${'nothing before'}
  ${'a@b@example.com'}                   | ${'more than one @'}
  ${'Ops <ops@example.com>'}             | ${'brackets'}
  ${'ops(on call)@example.com'}          | ${'parentheses'}
  ${'"on call"@example.com'}             | ${'quotation marks'}
  ${'a@example.com,b@example.com'}       | ${'separate entry'}
  ${'a@example.com;b@example.com'}       | ${'separate entry'}
  ${' ops@example.com'}                  | ${'space'}
  ${'ops@example.com\r\nBcc: x@evil.io'} | ${'line break'}
  ${'ops\u202e@example.com'}             | ${'invisible'}
  ${'.ops@example.com'}                  | ${'a dot before its @'}
  ${'o..ps@example.com'}                 | ${'a dot before its @'}
  ${'ops.@example.com'}                  | ${'a dot before its @'}
  ${'größe@example.com'}                 | ${'not ASCII'}
  ${`${'a'.repeat(65)}@example.com`}     | ${'64 characters'}
  ${`${'a'.repeat(60)}@${LONG_DOMAIN}`}  | ${'254 characters'}
  ${'ops@'}                              | ${'no valid domain'}
  ${'ops@intranet'}                      | ${'no valid domain'}
  ${'ops@example.com.'}                  | ${'no valid domain'}
  ${'ops@.example.com'}                  | ${'no valid domain'}
  ${'ops@-a.example'}                    | ${'no valid domain'}
  ${'ops@a_b.example'}                   | ${'no valid domain'}
  ${'ops@192.0.2.1'}                     | ${'no valid domain'}
  ${'ops@[192.0.2.1]'}                   | ${'no valid domain'}
  ${'ops@example.com:25'}                | ${'no valid domain'}
  ${'ops@%65xample.com'}                 | ${'no valid domain'}
`('refuses $text: $because', ({ text, because }: { text: string; because: string }) => {
  expect(readEmailAddress(text)).toEqual({ fault: expect.stringContaining(because) as string })
})

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
const mailbox = fc
  .tuple(
    fc.stringMatching(/^[a-zA-Z0-9_+-]{1,20}(\.[a-zA-Z0-9_+-]{1,20})?$/),
    fc.array(label, { minLength: 1, maxLength: 4 }),
    fc.stringMatching(/^[a-z]{2,10}$/),
  )
  // Two hyphens there announce a punycode that has to be one.
  .filter(([, labels]) => labels.every((one) => !one.startsWith('--', 2)))
  .map(([local, labels, top]) => `${local}@${[...labels, top].join('.')}`)

it('knows an address whatever its case', () => {
  fc.assert(
    fc.property(mailbox, (text) => {
      expect(readEmailAddress(text.toUpperCase())).toEqual({
        emailAddress: text.toUpperCase(),
        address: text.toLowerCase(),
      })
    }),
  )
})

it('makes of any text an address a mail command may hold, or a fault', () => {
  const near = fc.stringMatching(/^[a-zA-Zäß.@ "<>\r\n\0,;()\u202e。-]{0,30}$/u)
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ unit: 'binary' }), mailbox), (text) => {
      const read = readEmailAddress(text)
      if ('fault' in read) expect(read.fault).not.toBe('')
      else {
        expect(read.address).toMatch(/^[!-;=?-~]+@[a-z0-9.-]+$/)
        expect(read.address.length).toBeLessThanOrEqual(254)
        expect(readEmailAddress(read.address)).toMatchObject({ address: read.address })
      }
    }),
  )
})
