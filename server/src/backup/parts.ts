/** The compressed parts of a backup: lines of text, each part with its SHA-256. */
import { formatCountOf } from '../formats/counts.ts'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { StoredBlob } from '../platform/blobs/blob-store.ts'
import { measureContent } from '../platform/blobs/measured-content.ts'
import { AppError, readCode } from '../platform/errors.ts'
import type { BackupStore } from './backup-store.ts'
import type { Part, Rows } from './manifest.ts'
import { damaged } from './problems.ts'
import type { Seal } from './seal.ts'

const NEWLINE = 0x0a

/** COPY and JSON escape the line ends of values, so that each row is a line. Empty parts are not stored. */
export async function putLines(
  store: BackupStore,
  { key, seal }: { key: string; seal: Seal },
  lines: AsyncIterable<Uint8Array>,
): Promise<Rows> {
  const counted = countLines(lines)
  const chunks = counted.chunks[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return { rows: 0, part: null }
  let stored: StoredBlob | undefined
  await pipeline(startingWith(first.value, chunks), createZstdCompress(), async (compressed) => {
    stored = await store.put(key, await seal.close(compressed as AsyncIterable<Uint8Array>))
  })
  if (!stored) throw new Error(`${key} was not stored.`)
  return { rows: counted.count(), part: { key, ...stored } }
}

async function* startingWith(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array, void>,
): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

function countLines(lines: AsyncIterable<Uint8Array>) {
  let count = 0
  async function* counting(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of lines) {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1
      yield chunk
    }
  }
  return { chunks: counting(), count: () => count }
}

/** Hands on the lines of a part. Throws when it has other bytes or another number of lines than the manifest says. */
export async function useLines(
  store: BackupStore,
  { part, rows, seal }: Rows & { seal: Seal },
  use: (lines: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  if (part === null) return
  const { chunks, result } = measureContent(await getPart(store, part.key))
  let count = () => 0
  try {
    const compressed = await seal.open(chunks, part.key)
    await pipeline(compressed, createZstdDecompress(), async (lines) => {
      const counted = countLines(lines as AsyncIterable<Uint8Array>)
      count = counted.count
      await use(counted.chunks)
    })
  } catch (error) {
    throw isUnpacking(error) ? damaged(part.key, 'cannot be unpacked') : error
  }
  if (result().sha256 !== part.sha256) throw damaged(part.key, 'has another SHA-256')
  if (count() !== rows)
    throw damaged(part.key, `has ${formatCountOf(count(), 'row')} instead of ${rows}`)
}

function isUnpacking(error: unknown): boolean {
  const code = readCode(error)
  return code.startsWith('ZSTD_') || code === 'ERR_ZSTD_INVALID_PARAM' || code === 'Z_BUF_ERROR'
}

async function getPart(store: BackupStore, key: string) {
  return store.get(key).catch((error: unknown) => {
    const isMissing = error instanceof AppError && error.code === 'blob-not-found'
    throw isMissing ? damaged(key, 'is missing') : error
  })
}

/** Reads the stored bytes only. */
export async function checkPart(store: BackupStore, part: Part): Promise<void> {
  const { chunks, result } = measureContent(await getPart(store, part.key))
  for await (const chunk of chunks) void chunk
  if (result().sha256 !== part.sha256) throw damaged(part.key, 'has another SHA-256')
}

/** Splits text into its lines. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
