/** Reads CSV (RFC 4180): records with the line that each begins on. */

export interface CsvRecord {
  line: number
  cells: string[]
}

/** A cell, in quotation marks or not, and what ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\r|\n|$)/y

/** @returns where it is not CSV, the line. */
export function parseCsv(text: string): CsvRecord[] | { notCsvAtLine: number } {
  const records: CsvRecord[] = []
  const content = text.replace(/^\uFEFF/, '')
  let record: CsvRecord = { line: 1, cells: [] }
  let line = 1
  CELL.lastIndex = 0
  while (CELL.lastIndex < content.length || record.cells.length > 0) {
    const match = CELL.exec(content)
    if (!match) return { notCsvAtLine: line }
    const [whole, quoted, plain = '', end] = match
    record.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += whole.match(/\r\n|\r|\n/g)?.length ?? 0
    if (end === ',') continue
    if (record.cells.length > 1 || record.cells[0] !== '') records.push(record)
    record = { line, cells: [] }
  }
  return records
}
