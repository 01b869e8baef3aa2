import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatYaml } from './yaml.ts'

it('is read again as what it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)

      expect(JSON.stringify(parse(formatYaml(JSON.parse(text))))).toBe(text)
    }),
  )
})

it.each(['yes', 'null', '1.0', '2026-08-01', '- a', 'a: b', 'a #b', '', ' a', 'two\nlines', '~'])(
  'keeps %j a text',
  (text) => {
    expect(parse(formatYaml({ text }))).toEqual({ text })
  },
)

it('is easy to read', () => {
  const answer = { name: 'gateway', versions: [{ name: '2.4.1', tags: ['a', 'b c'] }], none: [] }

  expect(formatYaml(answer)).toBe(
    [
      'name: gateway',
      'versions:',
      '  - name: "2.4.1"',
      '    tags:',
      '      - a',
      '      - b c',
      'none: []',
      '',
    ].join('\n'),
  )
})
