import { formatCountOf } from '../counts.ts'

/** The bytes of an image by their place, so that no image is held in memory whole. */
export interface ImageBytes {
  size: number
  /** The bytes from `offset`; fewer than `length` where the image ends before. */
  read: (offset: number, length: number) => Promise<Buffer>
  /** The bytes from `start` up to `end`, which is not included, piece by piece. */
  stream: (start: number, end: number) => AsyncIterable<Uint8Array>
}

export function createImageBytes(content: Uint8Array): ImageBytes {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const PIECE = 65_536
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
    // eslint-disable-next-line typescript/require-await -- the same shape as a file has
    async *stream(start, end) {
      for (let at = start; at < end; at += PIECE)
        yield bytes.subarray(at, Math.min(end, at + PIECE))
    },
  }
}

export async function readBytes(image: ImageBytes, start: number, end: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of image.stream(start, end)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** What an archive says of the bytes behind its end, which is padded with zeros. */
export async function noteBehindEnd(image: ImageBytes, end: number): Promise<string[]> {
  let at = end
  for await (const piece of image.stream(end, image.size)) {
    const first = piece.findIndex((byte) => byte !== 0)
    if (first !== -1)
      return [
        `${formatCountOf(image.size - at - first, 'byte')} stand behind the end of the archive: no signature covers them.`,
      ]
    at += piece.length
  }
  return []
}
