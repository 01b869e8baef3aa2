/** What a streamed body holds, in a few bytes: to tell a repetition of a request from another one with the same key. */
import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'

interface BodyReading {
  stream: Readable
  /** undefined: not all was read yet. */
  digest: string | undefined
}

const readings = new WeakMap<FastifyRequest, BodyReading>()

/** The body as it arrives, to be read once. Where the client sent an `Idempotency-Key`, its digest is computed on the way. */
export function openBody(request: FastifyRequest): Readable {
  const { raw, headers } = request
  if (headers['idempotency-key'] === undefined) return raw
  const known = readings.get(request)
  if (known) return known.stream
  const digesting = new BodyDigest(readBoundary(headers['content-type']))
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digesting.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      reading.digest = digesting.end()
      done()
    },
  })
  const reading: BodyReading = { stream, digest: undefined }
  readings.set(request, reading)
  // Whoever reads the stream gets the error of a body that is cut off.
  pipeline(raw, stream, () => undefined)
  return stream
}

/** undefined: the route did not read the body as a stream, or not to its end. */
export function findBodyDigest(request: FastifyRequest): string | undefined {
  return readings.get(request)?.digest
}

/** What a refused request still sends is read and forgotten: a connection with unread bytes can not be used again. */
export function dropBody(request: FastifyRequest): void {
  readings.get(request)?.stream.resume()
}

/** Reads a body that nobody wants, for its digest. */
export async function computeBodyDigest(request: FastifyRequest): Promise<string | undefined> {
  for await (const _chunk of openBody(request)) continue
  return findBodyDigest(request)
}

/** The boundary of a multipart body is another one each time that a browser sends the same form: it does not count. */
export class BodyDigest {
  readonly #hash = createHash('sha256')
  readonly #boundary: Buffer
  #rest = Buffer.alloc(0)

  constructor(boundary: string) {
    this.#boundary = Buffer.from(boundary)
  }

  update(chunk: Buffer): void {
    const { length } = this.#boundary
    if (length === 0) {
      this.#hash.update(chunk)
      return
    }
    const bytes = Buffer.concat([this.#rest, chunk])
    let from = 0
    for (
      let at = bytes.indexOf(this.#boundary);
      at >= 0;
      at = bytes.indexOf(this.#boundary, from)
    ) {
      this.#hash.update(bytes.subarray(from, at))
      from = at + length
    }
    // The next chunk may go on with the boundary.
    const keptFrom = Math.max(from, bytes.length - length + 1)
    this.#hash.update(bytes.subarray(from, keptFrom))
    this.#rest = bytes.subarray(keptFrom)
  }

  end(): string {
    return this.#hash.update(this.#rest).digest('base64url')
  }
}

function readBoundary(contentType = ''): string {
  if (!/^multipart\//i.test(contentType)) return ''
  const [, quoted, bare] =
    /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? ''
}
