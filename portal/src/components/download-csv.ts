import { failureOf } from '@plimsoll/api-client'

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
  if (!response.ok) throw await failureOf(response)
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = NAME.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'list.csv'
  link.click()
  URL.revokeObjectURL(url)
}
