/** The bytes of a stored image by their places: of a file of this machine, or of a link into the file store. */
import { open } from 'node:fs/promises'
import { type ImageBytes, readBytes } from '../../formats/images/image-bytes.ts'

/** `link`: one that needs no credentials, so that a process which reads what strangers sent has none. */
export type ImageSource = { path: string } | { link: string }

const PIECE_BYTES = 1024 * 1024

export function openImage(source: ImageSource, size: number): ImageBytes {
  const readRange = 'path' in source ? readFile(source.path) : readLink(source.link)
  const stream: ImageBytes['stream'] = (start, end) =>
    start < end ? readRange(start, end) : NOTHING
  const image: ImageBytes = {
    size,
    stream,
    read: (offset, length) => readBytes(image, offset, Math.min(size, offset + length)),
  }
  return image
}

const NOTHING: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    // Ends at once.
  },
}

function readFile(path: string) {
  return async function* (start: number, end: number): AsyncGenerator<Uint8Array> {
    const file = await open(path)
    const range = { start, end: end - 1, highWaterMark: PIECE_BYTES }
    for await (const piece of file.createReadStream(range) as AsyncIterable<Uint8Array>) yield piece
  }
}

function readLink(link: string) {
  return async function* (start: number, end: number): AsyncGenerator<Uint8Array> {
    const response = await fetch(link, { headers: { range: `bytes=${start}-${end - 1}` } })
    // A store that sends the whole file would have other bytes checked.
    if (response.status !== 206 || !response.body)
      throw new Error(`The file store answered ${response.status} instead of a range.`)
    yield* response.body
  }
}
