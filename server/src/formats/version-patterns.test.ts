import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { readVersionPattern } from './version-patterns.ts'

function matches(pattern: string, name: string): boolean {
  const read = readVersionPattern(pattern)
  if ('fault' in read) throw new Error(`${pattern}: ${read.fault}`)
  return read.matches(name)
}

it.each`
  pattern                | name             | expected | because
  ${'^2\\.'}             | ${'2.4.1'}       | ${true}  | ${'it begins so'}
  ${'^2\\.'}             | ${'12.4.1'}      | ${false} | ${'^ is the begin'}
  ${'^2\\.'}             | ${'20.1'}        | ${false} | ${'\\. is a dot only'}
  ${'acme'}              | ${'2.4.1-acme'}  | ${true}  | ${'it is found anywhere'}
  ${'-acme$'}            | ${'2.4.1-acme2'} | ${false} | ${'$ is the end'}
  ${'^(2|3)\\.\\d+$'}    | ${'3.14'}        | ${true}  | ${'one of both'}
  ${'^v?[0-9a-f]+-lts$'} | ${'v2a-lts'}     | ${true}  | ${'a set with ranges'}
  ${'^[^.]+$'}           | ${'2.4'}         | ${false} | ${'a negated set'}
  ${'^[a\\-c\\]-]+$'}    | ${'-a]c-'}       | ${true}  | ${'escaped characters of a set'}
  ${'^(a*)*$'}           | ${'aab'}         | ${false} | ${'nothing is repeated for ever'}
  ${'^größe-\\w+$'}      | ${'größe-2'}     | ${true}  | ${'letters beyond ASCII'}
  ${'|x'}                | ${''}            | ${true}  | ${'a choice may be empty'}
`(
  '$pattern in $name is $expected, as $because',
  ({ pattern, name, expected }: { pattern: string; name: string; expected: boolean }) => {
    expect(matches(pattern, name)).toBe(expected)
  },
)

describe('refuses', () => {
  it.each`
    pattern          | says
    ${'a{2}'}        | ${'"{" is not taken'}
    ${'(a)\\1'}      | ${'"\\1" is not taken'}
    ${'(?=a)'}       | ${'"(?" is not taken'}
    ${'(a'}          | ${'has no ")" after it'}
    ${'a)'}          | ${'has no "(" before it'}
    ${'[a'}          | ${'ends in the middle'}
    ${'[]'}          | ${'"[]" matches nothing'}
    ${'[z-a]'}       | ${'"z-a" is no range'}
    ${'[[:alpha:]]'} | ${'"[" in a set is not taken'}
    ${'*a'}          | ${'"*" repeats nothing'}
    ${'a**'}         | ${'one sign of repetition'}
    ${'^*'}          | ${'it follows ^ or $'}
    ${'a\\'}         | ${'ends in the middle'}
  `('$pattern', ({ pattern, says }: { pattern: string; says: string }) => {
    const read = readVersionPattern(pattern)

    expect('fault' in read ? read.fault : '').toContain(says)
  })
})

it('answers as regular expressions do', () => {
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('a', 'b', '1', '\\.', '.', '\\d', '\\w', '[ab]', '[^a1]', '[0-9b]', '^', '$'),
      tie('pattern').map((one) => `(${one})`),
      tie('pattern').chain((one) => fc.constantFrom(`(${one})*`, `(${one})+`, `(${one})?`)),
    ),
    pattern: fc
      .array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((choices) => choices.map((parts) => parts.join('')).join('|')),
  }))
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', 'ü'), maxLength: 8 })

  fc.assert(
    fc.property(pattern, name, (one, text) => {
      expect(matches(one, text)).toBe(new RegExp(one, 'u').test(text))
    }),
    { numRuns: propertyRuns(2_000) },
  )
})

it('looks at each step once for a character, whatever the pattern', () => {
  const hard = ['(a+)+$', '(a|a)*b', '(a*)*b', `${'a?'.repeat(40)}${'a'.repeat(40)}$`]
  const name = 'a'.repeat(199) + 'c'

  // Regular expressions that go back would take longer than the world is old.
  expect(hard.map((pattern) => matches(pattern, name))).toEqual([false, false, false, false])
})
