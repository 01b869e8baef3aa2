import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CanonicalFault, canonicalizeJson } from './canonical-json.ts'

// RFC 8785, sections 3.2.2 and 3.2.3, and the vectors of https://github.com/cyberphone/json-canonicalization (Apache-2.0).
it.each([
  [
    String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    String.raw`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`,
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  ['[56, {"d": true, "10": null, "1": []}]', '[56,{"1":[],"10":null,"d":true}]'],
  ['[-0, 9007199254740992, 295147905179352830000]', '[0,9007199254740992,295147905179352830000]'],
])('is the canonical text of %s', (text, canonical) => {
  expect(canonicalizeJson(JSON.parse(text))).toBe(canonical)
})

it('is the same text however a value is written, and another one for another value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = canonicalizeJson(value)
      expect(canonicalizeJson(JSON.parse(JSON.stringify(value, undefined, 3)))).toBe(text)
      expect(canonicalizeJson(JSON.parse(text))).toBe(text)
    }),
  )
})

it.each([
  ['half of a character', JSON.parse(String.raw`{"a": "\ud800"}`)],
  ['a number', JSON.parse('[1e400]')],
  ['deeper than', JSON.parse('['.repeat(600) + ']'.repeat(600))],
])('refuses %s', (words, value) => {
  expect(() => canonicalizeJson(value)).toThrow(CanonicalFault)
  expect(() => canonicalizeJson(value)).toThrow(words)
})
