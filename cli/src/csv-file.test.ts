import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseCsv } from './csv-file.ts'

it.each([
  [
    'id,tags\r\nd-1,a\r\n',
    [
      [1, 'id', 'tags'],
      [2, 'd-1', 'a'],
    ],
  ],
  [
    '\uFEFFid\nd-1',
    [
      [1, 'id'],
      [2, 'd-1'],
    ],
  ],
  [
    'id,x\n\n"a ""b"", c",\n',
    [
      [1, 'id', 'x'],
      [3, 'a "b", c', ''],
    ],
  ],
  [
    'id\n"two\nlines"\nd-2\n',
    [
      [1, 'id'],
      [2, 'two\nlines'],
      [4, 'd-2'],
    ],
  ],
  ['', []],
])('reads %j', (text, expected) => {
  const records = parseCsv(text)

  expect(Array.isArray(records) && records.map(({ line, cells }) => [line, ...cells])).toEqual(
    expected,
  )
})

it.each([
  ['id\n"open', 2],
  ['id\na"b', 2],
  ['"a"b', 1],
])('says where %j is not CSV', (text, line) => {
  expect(parseCsv(text)).toEqual({ notCsvAtLine: line })
})

it('reads whatever is written by the rules', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ') })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
      const text = rows.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`))

      const records = parseCsv(text.map((cells) => `${cells.join(',')}\r\n`).join(''))

      expect(Array.isArray(records) && records.map(({ cells }) => cells)).toEqual(rows)
    }),
  )
})
