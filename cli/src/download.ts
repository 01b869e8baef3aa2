/** Streams answers that are files. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readFailure, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { note } from './print.ts'
import { replaceFile } from './replaced-file.ts'
import { fetchPatiently } from './retry.ts'
import type { Session } from './session.ts'
import { getTerminal } from './terminal.ts'

/** Writes to the file, which appears only when it is complete, or to stdout. */
export async function download(
  { baseUrl, workspaceId, apiKey }: Session,
  path: string,
  output: string | undefined,
): Promise<void> {
  const url = `${baseUrl}/workspaces/${encodeURIComponent(workspaceId)}${path}`
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetchPatiently(url, { method: 'GET', headers })
  if (response.status !== 200) throw await readFailure(response)
  refuseForeign(response)
  const body = Readable.fromWeb(response.body ?? new ReadableStream())
  if (output === undefined) await pipeline(body, getTerminal().stdout, { end: false })
  else await writeWhole(body, output)
}

/** The page of a proxy's login would be kept as the file that was asked for. */
export function refuseForeign(response: Response): void {
  if (!response.headers.has('x-request-id')) throw new UnexpectedAnswer(response)
}

export async function writeWhole(body: Readable, output: string): Promise<void> {
  await replaceFile(output, body)
  note(`Wrote ${output}.`)
}
