/** Decompresses gzip and zstd while a file is read. The first bytes tell the format, not the name of the file. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'

export type Bytes = AsyncIterable<Uint8Array>

const CHUNK_BYTES = 256 * 1024

export async function* unpackBytes(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return
  const all = chainBytes([first.value], iterator)
  if (startsWith(first.value, [0x1f, 0x8b])) yield* gunzipped(all)
  else if (startsWith(first.value, [0x28, 0xb5, 0x2f, 0xfd])) yield* unzstd(all)
  else yield* all
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

export async function* chainBytes(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value
  } finally {
    // Closes the file also when the consumer stops early.
    await rest.return?.()
  }
}

/** Fails when there are more bytes than `most`. */
export async function* limitBytes(bytes: Bytes, most: number): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of bytes) {
    count += chunk.length
    if (count > most) throw new Error(`it unpacks to more than ${most} bytes`)
    yield chunk
  }
}

async function* gunzipped(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  // The error is not ignored: reading the result throws it.
  pipeline(Readable.from(bytes), gunzip, () => undefined)
  yield* gunzip as Bytes
}

/** With a larger window a few bytes could claim 128 MiB of memory. */
const ZSTD_WINDOW_LOG_MAX = 23

/** Everything written at once is unpacked in memory. This is little enough even for a zip bomb. */
const SLICE_BYTES = 8 * 1024

/** Node's decoder ends with a frame. The rest of the chunk belongs to the next frame (RFC 8878, 3). */
async function* unzstd(bytes: Bytes): AsyncGenerator<Uint8Array> {
  let frame = new ZstdFrame()
  try {
    for await (const slice of slices(bytes))
      for (let rest = slice; rest.length > 0;) {
        const taken = await frame.write(rest)
        yield* frame.take()
        rest = rest.subarray(taken)
        frame = rest.length > 0 ? new ZstdFrame() : frame
      }
    await frame.end()
    yield* frame.take()
  } finally {
    frame.destroy()
  }
}

async function* slices(bytes: Bytes): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += SLICE_BYTES)
      yield chunk.subarray(at, at + SLICE_BYTES)
}

/** The decoder of one frame, with its output so far. */
class ZstdFrame {
  readonly #stream = createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
  })
  #output: Uint8Array[] = []
  #failure: Error | undefined

  constructor() {
    this.#stream.on('data', (chunk: Buffer) => this.#output.push(chunk))
    this.#stream.on('error', (error) => (this.#failure = error))
  }

  /** Answers how many of the bytes belong to this frame: not all, if the frame ends before. */
  async write(chunk: Uint8Array): Promise<number> {
    const before = this.#stream.bytesWritten
    await new Promise<void>((resolve, reject) => {
      const done = () => (this.#failure ? reject(this.#failure) : resolve())
      this.#stream.once('end', done)
      this.#stream.once('error', done)
      this.#stream.write(chunk, () => {
        this.#stream.off('end', done)
        this.#stream.off('error', done)
        done()
      })
    })
    const taken = this.#stream.bytesWritten - before
    if (taken === 0) throw new Error('the zstd compression is broken: no frame follows the first')
    return taken
  }

  take(): Uint8Array[] {
    return this.#output.splice(0)
  }

  /** Fails if the frame is incomplete. */
  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.once('end', () => resolve())
      this.#stream.once('error', reject)
      if (this.#stream.readableEnded) resolve()
      this.#stream.end()
    })
  }

  destroy(): void {
    this.#stream.destroy()
  }
}
