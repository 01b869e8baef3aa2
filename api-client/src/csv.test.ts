import { expect, it } from 'vitest'
import { formatCsv } from './csv.ts'

it.each`
  cell            | text              | because
  ${'gateway'}    | ${'gateway'}      | ${'plain text stays'}
  ${null}         | ${''}             | ${'nothing is an empty cell'}
  ${12}           | ${'12'}           | ${'numbers are no text'}
  ${-1}           | ${'-1'}           | ${'a number is no formula'}
  ${'a "b", c'}   | ${'"a ""b"", c"'} | ${'quotes are doubled'}
  ${'two\nlines'} | ${'"two\nlines"'} | ${'lines stay in the cell'}
  ${'=cmd()'}     | ${"'=cmd()"}      | ${'spreadsheets must not run it'}
  ${'＋1'}        | ${"'＋1"}         | ${'some read full-width signs alike'}
`('$cell becomes $text, as $because', ({ cell, text }: { cell: string | number; text: string }) => {
  expect(formatCsv([[cell, 'x']])).toBe(`${text},x\r\n`)
})
