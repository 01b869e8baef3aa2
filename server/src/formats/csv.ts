/** CSV as RFC 4180 has it, UTF-8, safe to open in a spreadsheet. */

export type Cell = string | number | boolean | null | readonly string[]

/**
 * What spreadsheets take for the beginning of a formula (OWASP, "CSV Injection"), also in the full width that some of
 * them read alike.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One record with its end of line. Several texts in a cell are parted by `; `. */
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
