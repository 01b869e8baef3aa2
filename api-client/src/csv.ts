/** Rows that a client holds as CSV (RFC 4180), by the rules of the service's own exports (server/src/formats/csv.ts). */
export type CsvCell = string | number | null

/** Characters that begin a formula in spreadsheets, also in their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

export function formatCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map((cell) => cellText(cell)).join(',')}\r\n`).join('')
}

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
