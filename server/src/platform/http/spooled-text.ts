/** Writes a long answer to a file as fast as it is made, so that a slow reader does not hold a database connection. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** An error while the text is made happens before the answer begins. */
export async function spoolText(texts: AsyncIterable<string>): Promise<Readable> {
  const file = await openUnnamedFile()
  try {
    for await (const chunk of gathered(texts)) await file.writeFile(chunk)
    // The only stream on the handle; its end closes the file.
    return file.createReadStream({ start: 0 })
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The file is unlinked at once, so that it disappears with its handle, also when the service is killed. */
async function openUnnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-answer-'))
  try {
    return await open(join(folder, 'answer'), 'w+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const CHUNK_CHARACTERS = 65_536

/** Writes large chunks instead of each text. */
async function* gathered(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const text of texts) {
    chunk += text
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}
