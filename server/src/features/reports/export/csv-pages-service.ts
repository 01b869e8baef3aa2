/** A list as CSV: the rows that its pages have, in their order. */
import type { Readable } from 'node:stream'
import { type Cell, csvLine } from '../../../formats/csv.ts'
import { spoolText } from '../../../platform/http/spooled-text.ts'

/** By name in the header. New columns are added at the end only. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** An answer of a list: its rows under their name. */
type ListPage<Name extends string, Row> = Readonly<Record<Name, readonly Row[]>> & {
  nextCursor?: string
}

interface ExportedRows<Name extends string, Row> {
  name: Name
  columns: CsvColumns<Row>
  list: (page: AskedPage) => Promise<ListPage<Name, Row>>
}

/** What is asked for with each page. */
type AskedPage = { limit: number; cursor?: string }

const PAGE = 1_000

/** Later pages answer as of the first one, so the file shows one moment. */
export function exportList<Name extends string, Row>(
  exported: ExportedRows<Name, Row>,
): Promise<Readable> {
  return spoolText(pagesAsCsv(exported))
}

async function* pagesAsCsv<Name extends string, Row>({
  name,
  columns,
  list,
}: ExportedRows<Name, Row>): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns))
  const cells = Object.values(columns)
  for (let asked: AskedPage | undefined = { limit: PAGE }; asked;) {
    const page: ListPage<Name, Row> = await list(asked)
    yield page[name].map((row) => csvLine(cells.map((cell) => cell(row)))).join('')
    const { nextCursor } = page
    asked = nextCursor === undefined ? undefined : { limit: PAGE, cursor: nextCursor }
  }
}
