import { expect, it } from 'vitest'
import { describeRange } from './evidence.ts'

it.each`
  range                                    | said
  ${'>= 6.2, < 6.6.137'}                   | ${'from 6.2 on, before 6.6.137'}
  ${'< 8.4.0'}                             | ${'before 8.4.0'}
  ${'> 1.0, <= 1.2'}                       | ${'after 1.0, up to 1.2'}
  ${'every version not named is affected'} | ${'every version except those that the record names'}
  ${'all versions'}                        | ${'all versions'}
  ${'1.2.3'}                               | ${'1.2.3'}
  ${'>= 1.0; see the notes'}               | ${'>= 1.0; see the notes'}
`('says "$said" for $range', ({ range, said }: { range: string; said: string }) => {
  expect(describeRange(range)).toBe(said)
})
