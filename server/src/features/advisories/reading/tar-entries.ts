/** The files of a tar archive as streams, in the order of the archive and at constant memory. */
import { padToBlock, readTarHeader, TAR_BLOCK } from '../../../formats/tar.ts'
import type { Bytes } from '../../../platform/unpacked-bytes.ts'

export interface TarEntry {
  name: string
  /** Valid until the next entry is asked for; what was not read is then skipped. */
  bytes: Bytes
}

export async function* readTarEntries(archive: Bytes): AsyncGenerator<TarEntry> {
  const source = new Cursor(archive[Symbol.asyncIterator]())
  try {
    for (let at = 0; ;) {
      const block = await source.read(TAR_BLOCK)
      const header = block && readTarHeader(block, at)
      if (!header) return
      at += TAR_BLOCK + padToBlock(header.size)
      const content = new Content(source, header.size)
      if (header.isFile) yield { name: header.name, bytes: content.chunks() }
      await content.skip()
    }
  } finally {
    await source.close()
  }
}

/** Reads an archive in pieces of any size. */
class Cursor {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks
  }

  /** At most this number of bytes; undefined at the end. */
  async take(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done === true) return undefined
      this.#rest = next.value
    }
    const taken = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(taken.length)
    return taken
  }

  /** Exactly this number of bytes; undefined where the archive ends before the first of them. */
  async read(count: number): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = []
    for (let left = count; left > 0;) {
      const piece = await this.take(left)
      if (!piece && left === count) return undefined
      if (!piece) throw new Error(ENDS_EARLY)
      pieces.push(piece)
      left -= piece.length
    }
    return Buffer.concat(pieces)
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

const ENDS_EARLY = 'the tar archive ends early'

class Content {
  readonly #source: Cursor
  #left: number
  #padding: number

  constructor(source: Cursor, size: number) {
    this.#source = source
    this.#left = size
    this.#padding = padToBlock(size) - size
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const piece = await this.#source.take(this.#left)
      if (!piece) throw new Error(ENDS_EARLY)
      this.#left -= piece.length
      yield piece
    }
  }

  async skip(): Promise<void> {
    this.#left += this.#padding
    this.#padding = 0
    for await (const piece of this.chunks()) void piece
  }
}
