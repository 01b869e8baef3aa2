/** Counts, hashes and limits a stream while it is read. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import type { StoredBlob } from './blob-store.ts'

export interface MeasuredContent {
  chunks: AsyncGenerator<Uint8Array, void>
  /** Called after the last chunk. */
  result: () => StoredBlob
}

export function measureContent(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number = Number.POSITIVE_INFINITY,
): MeasuredContent {
  const hash = createHash('sha256')
  let sizeBytes = 0
  async function* measured(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of withoutDestroying(content)) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
      hash.update(chunk)
      yield chunk
    }
  }
  return { chunks: measured(), result: () => ({ sizeBytes, sha256: hash.digest('hex') }) }
}

/** Iterates without destroying the stream: destroying a request would close the connection that its answer needs. */
function withoutDestroying(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return content instanceof Readable ? content.iterator({ destroyOnReturn: false }) : content
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('tooLarge', 'file-too-large', `The file has more than ${maxBytes} bytes.`)
}
