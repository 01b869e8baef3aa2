import { expect, it } from 'vitest'
import { answerEncoding, readStatedFormat } from './negotiation.ts'

it.each`
  header                               | expected
  ${'application/json'}                | ${'json'}
  ${'Application/JSON; charset=utf-8'} | ${'json'}
  ${'application/cbor'}                | ${'cbor'}
  ${'application/octet-stream'}        | ${undefined}
  ${'text/plain'}                      | ${undefined}
  ${''}                                | ${undefined}
  ${undefined}                         | ${undefined}
`('a body of the type $header is $expected', ({ header, expected }) => {
  expect(readStatedFormat(header as string | undefined)).toBe(expected)
})

it.each`
  accept                                        | asked     | expected
  ${undefined}                                  | ${'cbor'} | ${'cbor'}
  ${undefined}                                  | ${'json'} | ${'json'}
  ${'*/*'}                                      | ${'cbor'} | ${'cbor'}
  ${'application/json'}                         | ${'cbor'} | ${'json'}
  ${'application/cbor'}                         | ${'json'} | ${'cbor'}
  ${'application/json;q=0.5, application/cbor'} | ${'json'} | ${'cbor'}
  ${'application/cbor;q=0.1,application/json'}  | ${'cbor'} | ${'json'}
  ${'application/cbor;q=0, */*'}                | ${'json'} | ${'json'}
  ${'application/json, application/cbor'}       | ${'cbor'} | ${'cbor'}
  ${'text/html'}                                | ${'json'} | ${'json'}
`('who accepts $accept and sent $asked is answered in $expected', ({ accept, asked, expected }) => {
  expect(answerEncoding(accept as string | undefined, asked as 'json' | 'cbor')).toBe(expected)
})
