/** An image of this machine, read by places: one of 4 GiB is never in memory. */
import { type FileHandle, open } from 'node:fs/promises'
import type { ImageBytes } from '../../server/src/formats/images/image-bytes.ts'
import { EXIT } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { explainFileFault } from './file-faults.ts'

const PIECE_BYTES = 1024 * 1024

/** Hands the image to `examine`, and refuses what it says where the file was changed meanwhile. */
export async function withImageFile<Found>(
  path: string,
  examine: (image: ImageBytes) => Promise<Found>,
): Promise<Found> {
  const file = await open(path).catch((error: unknown) => {
    throw usageError(`Cannot read ${path}: ${explainFileFault(error)}.`)
  })
  try {
    const before = await file.stat()
    if (!before.isFile()) throw usageError(`Cannot read ${path}: it is not a file.`)
    if (before.size === 0) throw usageError(`${path} is empty: there is nothing to check.`)
    const found = await examine(readByPlace(file, before.size))
    const { size, mtimeMs } = await file.stat()
    if (size !== before.size || mtimeMs !== before.mtimeMs)
      throw new CliError(EXIT.error, `${path} was changed while it was read. Check it again.`)
    return found
  } finally {
    await file.close()
  }
}

function readByPlace(file: FileHandle, size: number): ImageBytes {
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
    let filled = 0
    while (filled < bytes.length) {
      const rest = bytes.length - filled
      const { bytesRead } = await file.read(bytes, filled, rest, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }
  return {
    size,
    read,
    async *stream(start, end) {
      for (let at = start; at < end;) {
        const piece = await read(at, Math.min(PIECE_BYTES, end - at))
        if (piece.length === 0) return
        yield piece
        at += piece.length
      }
    },
  }
}
