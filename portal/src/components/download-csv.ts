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

/** Hands a list that the page holds to the browser as a file. */
export function saveCsv(name: string, rows: readonly (readonly CsvCell[])[]): void {
  saveFile(new Blob([formatCsv(rows)], { type: 'text/csv' }), name)
}

function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
