import { expect, it } from 'vitest'
import { findMentions } from './comments-service.ts'

it.each`
  text                                                   | addresses
  ${'@ann@example.com, look'}                            | ${['ann@example.com']}
  ${'(@Ann.B+x@mail.example.com).'}                      | ${['ann.b+x@mail.example.com']}
  ${'@a@example.com and @b@example.com, @a@example.com'} | ${['a@example.com', 'b@example.com']}
  ${'write to ann@example.com'}                          | ${[]}
  ${'x@ann@example.com'}                                 | ${[]}
  ${'purl pkg:npm/@scope/name@1.2.3'}                    | ${[]}
  ${'@ann'}                                              | ${[]}
`('finds $addresses in $text', ({ text, addresses }: { text: string; addresses: string[] }) => {
  expect(findMentions(text)).toEqual(addresses)
})

it('names 20 members at the most', () => {
  const text = Array.from({ length: 30 }, (_, index) => `@p${index}@example.com`).join(' ')

  expect(findMentions(text)).toHaveLength(20)
})
