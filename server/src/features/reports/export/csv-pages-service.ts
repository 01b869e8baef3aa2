/** A list as CSV: the rows that its pages have, in their order. */
import type { Readable } from 'node:stream'
import { type Cell, csvLine } from '../../../formats/csv.ts'
import { spoolText } from '../../../platform/http/spooled-text.ts'

/** By name in the header. New columns are added at the end only. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>

interface ExportPage<Row> {
  rows: readonly Row[]
  nextCursor?: string
}

/** What is asked for with each page. */
type AskedPage = { limit: number; cursor?: string }

const PAGE = 1_000

/** Later pages answer as of the first one, so the file shows one moment. */
export function exportList<Row>(
  columns: CsvColumns<Row>,
  list: (page: AskedPage) => Promise<ExportPage<Row>>,
): Promise<Readable> {
  return spoolText(pagesAsCsv(columns, list))
}

async function* pagesAsCsv<Row>(
  columns: CsvColumns<Row>,
  list: (page: AskedPage) => Promise<ExportPage<Row>>,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns))
  const cells = Object.values(columns)
  for (let asked: AskedPage | undefined = { limit: PAGE }; asked;) {
    const { rows, nextCursor }: ExportPage<Row> = await list(asked)
    yield rows.map((row) => csvLine(cells.map((cell) => cell(row)))).join('')
    asked = nextCursor === undefined ? undefined : { limit: PAGE, cursor: nextCursor }
  }
}
