import { expect, it } from 'vitest'
import { faultOfName, oneLine } from './one-line.ts'

it.each`
  name               | isTaken  | because
  ${'Gateway rule'}  | ${true}  | ${'it is plain text'}
  ${'می\u200cخواهم'} | ${true}  | ${'Persian needs the joiner'}
  ${'👩\u200d🔧'}    | ${true}  | ${'emoji need the joiner'}
  ${'a\nb'}          | ${false} | ${'a line break ends a subject'}
  ${'a\u200bb'}      | ${false} | ${'a zero-width space hides'}
  ${'a\u202eb'}      | ${false} | ${'an override turns the direction'}
  ${'\u200d'}        | ${false} | ${'nothing of it can be seen'}
  ${'  '}            | ${false} | ${'nothing of it can be seen'}
`(
  'takes $name for a name: $isTaken, as $because',
  ({ name, isTaken }: { name: string; isTaken: boolean }) => {
    expect(faultOfName(name) === undefined).toBe(isTaken)
  },
)

it.each`
  text                 | line
  ${' a \r\n\t b '}    | ${'a b'}
  ${'a\u202eb\u001bc'} | ${'a b c'}
  ${'123456789'}       | ${'1234567…'}
  ${'123456😀9'}       | ${'123456…'}
`('puts $text on one line', ({ text, line }: { text: string; line: string }) => {
  expect(oneLine(text, 8)).toBe(line)
})
