/** Files as one multipart/form-data body (RFC 7578), read while it is sent. */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { explainFileFault } from './file-faults.ts'
import { usageError } from './failure.ts'

export interface UploadFile {
  path: string
  name: string
  sizeBytes: number
}

export interface Multipart {
  contentType: string
  contentLength: number
  /** Can be read once. */
  read: (onBytes: (count: number) => void) => AsyncGenerator<Uint8Array>
}

/** Reads of it before anything is sent: a fault of the file later looks like one of the connection. */
export async function findUploadFile(path: string): Promise<UploadFile> {
  const refuse = (error: unknown) => {
    throw usageError(`Cannot read ${path}: ${explainFileFault(error)}.`)
  }
  const found = await stat(path).catch(refuse)
  // To open a pipe would wait for its writer.
  if (!found.isFile()) throw usageError(`Cannot upload ${path}: it is not a file.`)
  const file = await open(path).catch(refuse)
  try {
    await file.read(Buffer.alloc(1), 0, 1, 0).catch(refuse)
  } finally {
    await file.close()
  }
  return { path, name: basename(path), sizeBytes: found.size }
}

export function writeMultipart(files: readonly UploadFile[], boundary: string): Multipart {
  const parts = files.map((file) => ({ file, head: partHead(file, boundary) }))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const LINE_END = Buffer.from('\r\n')
  async function* read(onBytes: (count: number) => void) {
    for (const { file, head } of parts) {
      yield head
      for await (const chunk of readContent(file)) {
        yield chunk
        onBytes(chunk.length)
      }
      yield LINE_END
    }
    yield end
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: parts.reduce(
      (sum, { file, head }) => sum + head.length + file.sizeBytes + LINE_END.length,
      end.length,
    ),
    read,
  }
}

/** Escapes names as browsers do (WHATWG HTML, multipart/form-data encoding algorithm). */
function partHead({ name }: UploadFile, boundary: string): Buffer {
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="sbom"; filename="${escaped}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  )
}

/** Sends exactly as many bytes as the Content-Length says. */
async function* readContent({ path, sizeBytes }: UploadFile): AsyncGenerator<Buffer> {
  if (sizeBytes === 0) return
  let read = 0
  const stream: AsyncIterable<Buffer> = createReadStream(path, { end: sizeBytes - 1 })
  for await (const chunk of stream) {
    read += chunk.length
    yield chunk
  }
  if (read < sizeBytes) throw usageError(`${path} became shorter while it was uploaded.`)
}
