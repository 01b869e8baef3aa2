/** Writes CSV (RFC 4180) in UTF-8 that is safe to open in a spreadsheet. */

export type Cell = string | number | boolean | null | Date | readonly string[]

type CellName<Row> = {
  [Name in keyof Row & string]: Row[Name] extends Cell ? Name : never
}[keyof Row & string]

/** A field of the row under its own name, or a name with what the row says of it. New columns are added at the end only. */
export type CsvColumn<Row> = CellName<Row> | readonly [name: string, cell: (row: Row) => Cell]

/** The header, and the record of a row. */
export function writeCsvTable<Row>(columns: readonly CsvColumn<Row>[]) {
  const named = columns.map((column) =>
    typeof column === 'string' ? ([column, (row: Row) => row[column] as Cell] as const) : column,
  )
  return {
    header: formatCsvLine(named.map(([name]) => name)),
    line: (row: Row) => formatCsvLine(named.map(([, cell]) => cell(row))),
  }
}

/**
 * Characters that begin a formula in spreadsheets (OWASP, "CSV Injection"). Some spreadsheets also read their full-width
 * forms.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One record with its end of line. Several texts in a cell are separated by `; `. */
export function formatCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  if (cell instanceof Date) return cell.toISOString()
  const text = typeof cell === 'string' ? cell : cell.join('; ')
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
