/** Rows as CSV (RFC 4180), with the columns of the table. */
import type { Column } from './table.ts'

export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ]
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('')
}

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** A text that a spreadsheet would read as a formula gets an apostrophe in front, as in exports of the service. */
function field(value: string | number | null): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value.replace(FORMULA, "'$&") : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
