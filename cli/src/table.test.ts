import { describe, expect, it } from 'vitest'
import { type Column, writeTable } from './table.ts'

interface Row {
  name: string
  purl: string | null
}

const COLUMNS: Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name, style: () => 'red' },
  { title: 'PURL', value: ({ purl }) => purl },
]

function written(rows: Row[], terminal: { isTTY?: boolean; columns?: number } = {}): string[] {
  const parts: string[] = []
  writeTable({ write: (text) => parts.push(text), ...terminal }, COLUMNS, rows)
  return parts.join('').trimEnd().split('\n')
}

const LONG = { name: 'zlib', purl: `pkg:generic/${'z'.repeat(100)}@1` }

describe('a table', () => {
  it('aligns its columns and leaves out what is absent', () => {
    const lines = written([
      { name: 'busybox', purl: 'pkg:generic/busybox@1' },
      { name: 'zlib', purl: null },
    ])

    expect(lines).toEqual(['NAME     PURL', 'busybox  pkg:generic/busybox@1', 'zlib'])
  })

  it('cuts nothing outside a terminal', () => {
    expect(written([LONG])[1]).toBe(`zlib  ${LONG.purl}`)
  })

  it('cuts its widest column to fit a terminal', () => {
    const [, line] = written([LONG], { isTTY: true, columns: 40 })

    // eslint-disable-next-line no-control-regex -- colours are control characters
    const bare = line?.replaceAll(/\u001b\[\d+m/g, '')
    expect(bare).toHaveLength(40)
    expect(bare).toMatch(/^zlib  pkg:generic\/z+…$/)
  })

  it('aligns names by the columns that a terminal needs for them', () => {
    const lines = written([
      { name: '温度センサ', purl: 'a' },
      { name: 'caf\u0065\u0301', purl: 'b' },
      { name: '👩‍🔧', purl: 'c' },
    ])

    expect(lines.slice(1)).toEqual(['温度センサ  a', 'caf\u0065\u0301        b', '👩‍🔧          c'])
  })

  it('cuts wide characters whole', () => {
    const wide = { name: '温'.repeat(30), purl: null }

    const [, line] = written([wide], { isTTY: true, columns: 21 })

    // eslint-disable-next-line no-control-regex -- colours are control characters
    expect(line?.replaceAll(/\u001b\[\d+m/g, '').trimEnd()).toBe(`${'温'.repeat(7)}…`)
  })

  it('colours on a terminal alone', () => {
    expect(written([LONG], { isTTY: true, columns: 200 })[1]).toMatch(/^\u001b\[31mzlib/)
    expect(written([LONG])[1]).toMatch(/^zlib/)
  })

  it('shows no control characters of a name to the terminal', () => {
    const hostile = { name: 'a\u001b[2J\nb\u202e\u009b', purl: null }

    expect(written([hostile])[1]).toBe('a\ufffd[2J b\ufffd\ufffd')
  })
})
