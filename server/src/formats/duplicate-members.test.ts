import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countMembers, findDuplicate } from './duplicate-members.ts'
import { scanJson } from './sboms/json-scan.ts'

const UNLIMITED = { depth: Infinity, values: Infinity, valuesLimit: Infinity }

describe('a member that is there twice', () => {
  it.each`
    text                                 | pointer
    ${'{"a":1,"a":2}'}                   | ${'/a'}
    ${'{"a":1,"\\u0061":2}'}             | ${'/a'}
    ${'{"a":{"b":[0,{"c":1,"c":1}]}}'}   | ${'/a/b/1/c'}
    ${'{"a/b~":1, "a/b~" : 1}'}          | ${'/a~1b~0'}
    ${'{"a\\u0000":1,"a\\u0000":2}'}     | ${'/a\ufffd'}
    ${'{"a\\ud83d":1,"a\\ud83d":2}'}     | ${'/a\ufffd'}
    ${'[{"a":1},{"a":1}]'}               | ${undefined}
    ${'{"a":{"a":{"a":"a"}}}'}           | ${undefined}
    ${'{"a":"\\"a\\":1,\\\\","b":"{,"}'} | ${undefined}
    ${'"a"'}                             | ${undefined}
  `('is found in $text at $pointer', ({ text, pointer }: { text: string; pointer?: string }) => {
    expect(findDuplicate(text)).toBe(pointer)
  })

  it('is in nothing that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const written = JSON.stringify(JSON.parse(text))

        expect(findDuplicate(written)).toBeUndefined()
        expect(findDuplicate(`{"x":${written},"y":${written},"x":0}`)).toBe('/x')
        const { members } = scanJson(Buffer.from(text), UNLIMITED)
        expect(members).toBe(countMembers(JSON.parse(text)))
      }),
    )
  })
})
