/** Reads the files of a request as streams: multipart/form-data with file parts, or one file as the raw body. */
import { PassThrough, pipeline, type Readable, Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { AppError } from '../errors.ts'

export interface UploadRequest {
  headers: Record<string, string | string[] | undefined>
  body: Readable
  /** The name of the file, for a raw body. */
  fileName: string | undefined
}

export interface UploadLimits {
  files: number
  /** The size of one file, after Content-Encoding is undone. */
  fileBytes: number
}

/** Stores one file. Files are stored one after the other. A stream that is cut off fails. */
export type StoreFile<Stored> = (fileName: string, content: Readable) => Promise<Stored>

const badUpload = (detail: string) => new AppError('invalid', 'upload-invalid', detail)
const MEBIBYTE = 1024 * 1024

/** Answers the results of `store` in order. On an error the caller deletes what was stored. */
export async function readUpload<Stored>(
  request: UploadRequest,
  limits: UploadLimits,
  store: StoreFile<Stored>,
): Promise<Stored[]> {
  const type = readHeader(request, 'content-type') ?? ''
  const body = decodeTransfer(request, limits)
  try {
    return await readBody(request, { type, body, limits, store })
  } catch (error) {
    // Discards the rest: a connection with unread bytes can neither be used again nor closed.
    if (body === request.body) body.resume()
    else body.destroy()
    throw error
  }
}

async function readBody<Stored>(
  { fileName }: UploadRequest,
  { type, body, limits, store }: Multipart<Stored>,
): Promise<Stored[]> {
  if (/^multipart\/form-data\b/i.test(type)) return readMultipart({ type, body, limits, store })
  if (/^(multipart\/|application\/x-www-form-urlencoded)/i.test(type))
    throw badUpload(
      `The content type ${JSON.stringify(type)} is not taken here. Send multipart/form-data, or one document as the raw body (curl: --data-binary with -H 'content-type: application/octet-stream').`,
    )
  const content = limited(body, limits, fileName)
  try {
    return [await store(cleanFileName(fileName), content)]
  } finally {
    content.destroy()
  }
}

function readHeader({ headers }: UploadRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Undoes Content-Encoding, which belongs to the transfer: the decoded bytes are stored and hashed. */
function decodeTransfer(request: UploadRequest, limits: UploadLimits): Readable {
  const encoding = (readHeader(request, 'content-encoding') ?? 'identity').trim().toLowerCase()
  const { body } = request
  if (encoding === 'identity' || encoding === '') return body
  const decoder = createDecoder(encoding)
  let received = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      done(null, chunk)
    },
  })
  // Stops a compression bomb, even if each part of a multipart body is small.
  const most = capBytes((limits.fileBytes + MEBIBYTE) * limits.files, () =>
    tooLarge('The upload', limits),
  )
  // Refuses a second frame, as Node's zstd decoder reads the first one and drops the rest silently.
  const whole = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) =>
      done(
        encoding === 'zstd' && decoder.bytesWritten < received
          ? badUpload(
              'A body with content encoding zstd must be one frame; this body continues after the first frame.',
            )
          : null,
      ),
  })
  return relay(body, count, decoder, whole, most)
}

function createDecoder(encoding: string): Transform & { bytesWritten: number } {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    default:
      throw badUpload(
        `The content encoding ${JSON.stringify(encoding)} is not taken. Use gzip, deflate, br or zstd.`,
      )
  }
}

function tooLarge(what: string, { fileBytes }: UploadLimits): AppError {
  const detail = `${what} is larger than the ${Math.floor(fileBytes / MEBIBYTE)} MiB a file may have.`
  return new AppError('tooLarge', 'upload-too-large', detail)
}

function capBytes(most: number, failure: () => Error): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > most) done(failure())
      else done(null, chunk)
    },
  })
}

function limited(source: Readable, limits: UploadLimits, fileName: string | undefined): Readable {
  const what =
    fileName === undefined ? 'The file' : `The file ${JSON.stringify(cleanFileName(fileName))}`
  const cap = capBytes(limits.fileBytes, () => tooLarge(what, limits))
  return relay(source, cap)
}

/**
 * Pipes through all stages. A failure of any stage reaches the reader as a fault of the request. The source stays open:
 * it is the request, which still has to be answered. When nobody reads any more, the rest of it is discarded.
 */
function relay(source: Readable, ...stages: Transform[]): Readable {
  const entrance = new PassThrough()
  const out = new PassThrough()
  // The reader gets the error. Without this listener, an error before the first read would end the process.
  out.on('error', () => undefined)
  pipeline([entrance, ...stages], (error) => {
    if (error) out.destroy(error instanceof AppError ? error : cutOff(error))
  })
  stages.at(-1)?.pipe(out)
  source.once('error', (error) => entrance.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) entrance.destroy(new Error('the connection was closed'))
  })
  out.once('close', () => {
    source.unpipe(entrance)
    entrance.destroy()
    source.resume()
  })
  source.pipe(entrance)
  return out
}

const MOST_NAME_CHARACTERS = 255

/** The last part of a path, without control characters. It is shown to people and names downloads. */
export function cleanFileName(name: string | undefined, fallback = 'sbom'): string {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? ''
  // eslint-disable-next-line no-control-regex -- cutting these out is the point
  const printable = last.replaceAll(/[\u0000-\u001f\u007f]/g, '').trim()
  // Does not cut a surrogate pair, as the database refuses half of one.
  const clean = Array.from(printable).slice(0, MOST_NAME_CHARACTERS).join('').toWellFormed()
  return clean === '' || clean === '.' || clean === '..' ? fallback : clean
}

interface Multipart<Stored> {
  type: string
  body: Readable
  limits: UploadLimits
  store: StoreFile<Stored>
}

function readMultipart<Stored>({
  type,
  body,
  limits,
  store,
}: Multipart<Stored>): Promise<Stored[]> {
  const parser = createParser(type, limits)
  return new Promise((resolve, reject) => {
    const stored: Promise<Stored>[] = []
    let failed: Error | undefined
    const fail = (error: Error) => {
      if (failed) return
      failed = error
      body.unpipe(parser)
      // Fails the stream that is being stored, so that no part of a file is kept.
      for (const file of open) file.destroy(error)
      void Promise.allSettled(stored).then(() => reject(error))
    }
    const open = new Set<Readable>()
    parser.on('file', (_field, file, name) => {
      if (failed) {
        file.resume()
        return
      }
      // The reader of the stream gets the error too. Without a listener it would end the process.
      file.on('error', () => undefined)
      open.add(file)
      file.once('close', () => open.delete(file))
      // The parser only stops passing on bytes at its limit, which must not look like the end of the file.
      file.once('limit', () =>
        fail(tooLarge(`The file ${JSON.stringify(cleanFileName(name))}`, limits)),
      )
      const storing = store(cleanFileName(name), file)
      storing.catch(fail)
      stored.push(storing)
    })
    parser.once('filesLimit', () =>
      fail(
        new AppError(
          'tooLarge',
          'upload-too-large',
          `An upload takes at most ${limits.files} files.`,
        ),
      ),
    )
    parser.once('partsLimit', () => fail(badUpload('The multipart body has too many parts.')))
    parser.once('fieldsLimit', () =>
      fail(badUpload('The multipart body has too many parts that are not files.')),
    )
    parser.on('error', (error) => fail(badUpload(multipartFault(error))))
    parser.once('finish', () => {
      if (failed) return
      if (stored.length === 0)
        fail(badUpload('The multipart body holds no file; send at least one file part.'))
      else Promise.all(stored).then(resolve, fail)
    })
    body.on('error', (error) => fail(error instanceof AppError ? error : cutOff(error)))
    body.once('aborted', () => fail(badUpload('The upload was cut off.')))
    body.pipe(parser)
  })
}

function cutOff(error: Error): AppError {
  return badUpload(`The body cannot be read: ${error.message}.`)
}

function multipartFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /unexpected end/i.test(message)
    ? 'The multipart body ends before its last boundary.'
    : `The multipart body is malformed: ${message}.`
}

const MOST_FIELDS = 50

function createParser(type: string, { files, fileBytes }: UploadLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        files,
        fileSize: fileBytes,
        fields: MOST_FIELDS,
        fieldSize: 64 * 1024,
        parts: files + MOST_FIELDS + 1,
        headerPairs: 100,
      },
    })
  } catch (error) {
    throw badUpload(multipartFault(error))
  }
}
