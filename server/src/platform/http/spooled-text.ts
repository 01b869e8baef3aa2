/** Writes a long answer to a file as fast as it is made, so that a slow reader does not hold a database connection. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** An error while the text is made happens before the answer begins. */
export function spoolText(texts: AsyncIterable<string>): Promise<Readable> {
  return spoolFile(async (file) => {
    for await (const chunk of gathered(texts)) await file.writeFile(chunk)
  })
}

/** As `spoolText`, of what is written at places of the file. */
export async function spoolFile(write: (file: FileHandle) => Promise<void>): Promise<Readable> {
  const file = await openUnnamedFile()
  try {
    await write(file)
    // The only stream on the handle; its end closes the file.
    return file.createReadStream({ start: 0 })
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The file is unlinked at once, so that it disappears with its handle, also when the service is killed. */
async function openUnnamedFile(): Promise<FileHandle> {
  const { file, unlink } = await openFile()
  await unlink()
  return file
}

/** The file with its path, until it is unlinked. */
async function openFile() {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-answer-'))
  const unlink = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'answer')
  try {
    return { file: await open(path, 'w+', 0o600), path, unlink }
  } catch (error) {
    await unlink()
    throw error
  }
}

/** Another process writes the file. It is unlinked as soon as `write` says that the process has opened it. */
export async function spoolElsewhere(
  write: (path: string, opened: () => Promise<void>) => Promise<void>,
): Promise<Readable> {
  const { file, path, unlink } = await openFile()
  try {
    await write(path, unlink)
    return file.createReadStream({ start: 0 })
  } catch (error) {
    await file.close()
    throw error
  } finally {
    await unlink()
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
