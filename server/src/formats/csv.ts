/** Writes CSV (RFC 4180) in UTF-8 that is safe to open in a spreadsheet. */

export type Cell = string | number | boolean | null | readonly string[]

/**
 * Characters that begin a formula in spreadsheets (OWASP, "CSV Injection"). Some spreadsheets also read their full-width
 * forms.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One record with its end of line. Several texts in a cell are separated by `; `. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  const text = typeof cell === 'string' ? cell : cell.join('; ')
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
