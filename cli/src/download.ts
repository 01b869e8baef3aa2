/** Streams answers that are files. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readFailure, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { note } from './print.ts'
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

/** A file that was there stays until the new one is whole. A device or pipe, such as /dev/stdout, is written to as it is. */
export async function writeWhole(body: Readable, output: string): Promise<void> {
  const found = await stat(output).catch(() => undefined)
  if (found && !found.isFile()) await pipeline(body, createWriteStream(output))
  else await replaceFile(body, found ? await realpath(output) : output)
  note(`Wrote ${output}.`)
}

async function replaceFile(body: Readable, path: string): Promise<void> {
  const partial = `${path}.${randomUUID()}.partial`
  try {
    await pipeline(body, createWriteStream(partial, { flags: 'wx' }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
