import { type CsvCell, formatCsv, readFailure } from '@plimsoll/api-client'

export interface CsvRequest {
  path: string
  body: object
}

const NAME = /filename="([^"]+)"/

/** Asks for a list as CSV and hands it to the browser as a file. */
export async function downloadCsv({ path, body }: CsvRequest): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw await readFailure(response)
  const name = NAME.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'list.csv'
  saveFile(await response.blob(), name)
}

type CellName<Row> = {
  [Name in keyof Row & string]: Row[Name] extends CsvCell ? Name : never
}[keyof Row & string]

/** A list that the page holds, as a file. A column is a member of the row by its own name, or a name with what the row says of it. */
export interface ListFile<Row> {
  name: string
  columns: readonly (CellName<Row> | readonly [name: string, cell: (row: Row) => CsvCell])[]
}

export function saveRows<Row>({ name, columns }: ListFile<Row>, rows: readonly Row[]): void {
  const named = columns.map((column) =>
    typeof column === 'string' ? ([column, (row: Row) => row[column] as CsvCell] as const) : column,
  )
  const cells = rows.map((row) => named.map(([, cell]) => cell(row)))
  const content = formatCsv([named.map(([title]) => title), ...cells])
  saveFile(new Blob([content], { type: 'text/csv' }), `${name}.csv`)
}

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
