/** Rows as aligned text: shortened to fit a terminal, whole everywhere else. Widths are columns of a terminal. */
import { styleText } from 'node:util'
import { sanitise } from './printable.ts'
import { findWidth, isColoured } from './terminal.ts'
import { findMax } from './largest.ts'
import { measureText } from './text-width.ts'

export type Style = 'red' | 'yellow' | 'green' | 'magenta' | 'dim'

export interface Column<Row> {
  title: string
  value: (row: Row) => string | number | null
  style?: (row: Row) => Style | undefined
  /** Never shortened, as half of it is of no use. */
  isWhole?: boolean
  /** Never shortened, but left out where a terminal is too narrow. */
  isSpare?: boolean
}

export interface Output {
  write: (text: string) => unknown
  isTTY?: boolean
  columns?: number
}

const GAP = '  '
const NARROWEST = 8

export function writeTable<Row>(
  stream: Output,
  all: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const available = findWidth(stream)
  const columns = available ? fitting(all, rows, available) : all
  const cells = rows.map((row) => columns.map(({ value }) => cellText(value(row))))
  const natural = columns.map(({ title }, index) =>
    cells.reduce((most, line) => Math.max(most, measureText(line[index] ?? '')), title.length),
  )
  const widths = available ? fitted(columns, natural, available) : natural
  const write = (line: readonly string[]) => stream.write(`${line.join(GAP).trimEnd()}\n`)
  write(columns.map(({ title }, index) => fit(title, widths[index] ?? 0)))
  for (const [at, row] of rows.entries())
    write(
      columns.map(({ style }, index) => {
        const text = fit(cells[at]?.[index] ?? '', widths[index] ?? 0)
        const format = style?.(row)
        return format && isColoured(stream)
          ? styleText(format, text, { validateStream: false })
          : text
      }),
    )
}

const COMFORTABLE = 16

/** Leaves out spare columns, the last first, until the others have a comfortable width. */
function fitting<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  available: number,
): readonly Column<Row>[] {
  const widthOf = ({ title, value, isWhole, isSpare }: Column<Row>) => {
    const widths = rows.map((row) => measureText(cellText(value(row))))
    const natural = widths.reduce((most, width) => Math.max(most, width), title.length)
    return isWhole || isSpare ? natural : Math.min(natural, COMFORTABLE)
  }
  const sized = all.map((column) => ({ column, width: widthOf(column) }))
  const total = () => sized.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length)
  while (total() > available) {
    const spare = sized.findLastIndex(({ column }) => column.isSpare)
    if (spare === -1) break
    sized.splice(spare, 1)
  }
  return sized.map(({ column }) => column)
}

/** Twelve digits: what was added up in binary would show its last bits (39.79999999999997). */
const DIGITS = 12

function cellText(value: string | number | null): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(DIGITS)))
  return sanitise(value ?? '')
}

function fit(text: string, width: number): string {
  const textWidth = measureText(text)
  if (textWidth <= width) return text + ' '.repeat(width - textWidth)
  const start = cutToWidth(text, width - 1)
  return `${start}…${' '.repeat(Math.max(0, width - 1 - measureText(start)))}`
}

/** The longest start of a text that needs at most `width` columns; no character is cut in two. */
function cutToWidth(text: string, width: number): string {
  const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })
  let start = ''
  let used = 0
  for (const { segment } of characters.segment(text)) {
    used += measureText(segment)
    if (used > width) break
    start += segment
  }
  return start
}

/** Shortens the widest columns until the line fits. */
function fitted<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  available: number,
): number[] {
  const widths = [...natural]
  const total = () => widths.reduce((sum, width) => sum + width, (widths.length - 1) * GAP.length)
  while (total() > available) {
    const shortable = widths.map((width, index) =>
      columns[index]?.isWhole || columns[index]?.isSpare ? 0 : width,
    )
    const width = findMax(shortable)
    if (width <= NARROWEST) break
    widths[shortable.indexOf(width)] = width - 1
  }
  return widths
}
