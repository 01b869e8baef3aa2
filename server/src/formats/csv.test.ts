import { describe, expect, it } from 'vitest'
import { formatCsvLine } from './csv.ts'

describe('a CSV record', () => {
  it.each`
    cells                             | line                                                   | because
    ${['busybox', 1, true, null, '']} | ${'busybox,1,true,,'}                                  | ${'plain values stand for themselves'}
    ${['a "b", c']}                   | ${'"a ""b"", c"'}                                      | ${'quotes are doubled'}
    ${['one\ntwo', 'three\r\nfour']}  | ${'"one\ntwo","three\r\nfour"'}                        | ${'ends of lines are quoted'}
    ${[' x ', 'a;b']}                 | ${'" x ","a;b"'}                                       | ${'so are blanks at the ends, and what parts cells elsewhere'}
    ${['=1+1', '+1', '-1', '@a']}     | ${"'=1+1,'+1,'-1,'@a"}                                 | ${'a formula becomes text'}
    ${['\t=1', '\r=1', '\n=1']}       | ${'"\'\t=1"'.replace(/"/g, '') + ',"\'\r=1","\'\n=1"'} | ${'also behind white space'}
    ${['＝1', '＠a']}                 | ${"'＝1,'＠a"}                                         | ${'and in full width'}
    ${['=HYPERLINK("http://x","y")']} | ${'"\'=HYPERLINK(""http://x"",""y"")"'}                | ${'a formula with quotes is both'}
    ${[-1.5]}                         | ${'-1.5'}                                              | ${'numbers are no formulas'}
    ${[['a', 'b'], []]}               | ${'"a; b",'}                                           | ${'several texts share a cell'}
    ${[['=a', 'b']]}                  | ${'"\'=a; b"'}                                         | ${'and cannot begin a formula'}
    ${['<script>alert(1)</script>']}  | ${'<script>alert(1)</script>'}                         | ${'script is only text'}
  `('$because', ({ cells, line }: { cells: string[]; line: string }) => {
    expect(formatCsvLine(cells)).toBe(`${line}\r\n`)
  })
})
