import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasS3Server, type S3Server, startS3Server } from '../../../test/s3-server.ts'
import type { BlobStore, BlobStoreConfig, ByteRange, ListedBlob } from './blob-store.ts'
import { openBlobStore } from './open-blob-store.ts'

const MEBIBYTE = 1024 * 1024

/** A random block again and again: long content that the test need not hold. */
async function* blocks(count: number, block = randomBytes(MEBIBYTE)): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield await Promise.resolve(block)
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

async function collect(blobs: AsyncIterable<ListedBlob>): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for await (const { key, sizeBytes, modifiedAt } of blobs) {
    sizes[key] = sizeBytes
    expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(600_000)
  }
  return sizes
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-blobs-'))
let s3: S3Server | undefined
beforeAll(async () => {
  if (hasS3Server) s3 = await startS3Server()
})
afterAll(async () => {
  await s3?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const backends: [string, () => BlobStoreConfig | undefined][] = [
  ['fs', () => ({ kind: 'fs', directory: join(folder, 'blobs') })],
  ...(hasS3Server ? [['s3', () => s3?.config] satisfies [string, () => unknown]] : []),
]

describe.each(backends)('the %s blob store', (_kind, configOf) => {
  let store: BlobStore
  beforeAll(async () => {
    const config = configOf()
    if (config) store = await openBlobStore(config)
  })

  it('gives back the bytes it was given, and their size and hash', async () => {
    const content = randomBytes(100_000)

    const stored = await store.put('sboms/one/a', Readable.from([content]))

    expect(stored).toEqual({ sizeBytes: 100_000, sha256: sha256(content) })
    expect(await buffer(await store.get('sboms/one/a'))).toEqual(content)
  })

  it.each`
    start     | end
    ${0}      | ${0}
    ${99_999} | ${99_999}
    ${10}     | ${70_000}
    ${0}      | ${99_999}
  `('gives the bytes from $start to $end alone', async ({ start, end }: ByteRange) => {
    const content = randomBytes(100_000)
    await store.put('sboms/one/range', Readable.from([content]))

    const part = await buffer(await store.get('sboms/one/range', { start, end }))

    expect(part).toEqual(content.subarray(start, end + 1))
  })

  it('keeps an empty file', async () => {
    const stored = await store.put('sboms/one/empty', Readable.from([]))

    expect(stored).toEqual({ sizeBytes: 0, sha256: sha256('') })
    expect(await text(await store.get('sboms/one/empty'))).toBe('')
  })

  it('streams content of many parts', async () => {
    const block = randomBytes(MEBIBYTE)
    const expected = createHash('sha256')
    for (let i = 0; i < 21; i++) expected.update(block)

    const stored = await store.put('sboms/one/long', blocks(21, block))
    const path = join(folder, 'downloaded')
    await store.download('sboms/one/long', path)

    const hash = expected.digest('hex')
    expect(stored).toEqual({ sizeBytes: 21 * MEBIBYTE, sha256: hash })
    expect(sha256(readFileSync(path))).toBe(hash)
  })

  it('replaces a blob by another of the same key', async () => {
    await store.put('sboms/one/b', Readable.from([Buffer.from('old and longer')]))
    await store.put('sboms/one/b', Readable.from([Buffer.from('new')]))

    expect(await text(await store.get('sboms/one/b'))).toBe('new')
  })

  it.each`
    limit            | blocksSent | because
    ${10}            | ${1}       | ${'of a short file'}
    ${20 * MEBIBYTE} | ${21}      | ${'of one in several parts'}
  `('stores nothing beyond the limit $because', async ({ limit, blocksSent }: Limit) => {
    const put = store.put('sboms/limit/a', blocks(blocksSent), { maxBytes: limit })

    await expect(put).rejects.toMatchObject({ kind: 'tooLarge', code: 'file-too-large' })
    await expect(store.get('sboms/limit/a')).rejects.toMatchObject({ code: 'blob-not-found' })
    expect(await store.sweepTemporary(soon())).toBe(0)
  })

  it('takes a file of exactly the limit', async () => {
    const put = store.put('sboms/limit/b', blocks(1), { maxBytes: MEBIBYTE })

    await expect(put).resolves.toMatchObject({ sizeBytes: MEBIBYTE })
  })

  it('leaves a stream over the limit open, so that its request can be answered', async () => {
    const source = Readable.from(blocks(3))

    await expect(store.put('sboms/limit/c', source, { maxBytes: 1 })).rejects.toThrow()

    expect(source.destroyed).toBe(false)
    source.destroy()
  })

  it.each([0, 20])('leaves nothing of a stream that breaks after %i MiB', async (sent) => {
    const broken = new Error('the client went away')
    async function* breaking() {
      yield* blocks(sent)
      throw broken
    }

    await expect(store.put('sboms/broken/a', Readable.from(breaking()))).rejects.toBe(broken)

    await expect(store.get('sboms/broken/a')).rejects.toMatchObject({ code: 'blob-not-found' })
    expect(await collect(store.list('sboms/broken/'))).toEqual({})
    expect(await store.sweepTemporary(soon())).toBe(0)
  })

  it('says so when there is no such blob', async () => {
    const missing = { kind: 'notFound', code: 'blob-not-found' }

    await expect(store.get('sboms/none')).rejects.toMatchObject(missing)
    await expect(store.download('sboms/none', join(folder, 'x'))).rejects.toMatchObject(missing)
  })

  it('deletes, also what is not there', async () => {
    await store.put('sboms/one/c', Readable.from([Buffer.from('x')]))

    await store.delete('sboms/one/c')
    await store.delete('sboms/one/c')

    await expect(store.get('sboms/one/c')).rejects.toMatchObject({ code: 'blob-not-found' })
  })

  it('lists by prefix', async () => {
    await store.put('listed/one/a', Readable.from([Buffer.from('abc')]))
    await store.put('listed/one/b', Readable.from([Buffer.from('x')]))
    await store.put('listed/oneself', Readable.from([Buffer.from('x')]))

    expect(await collect(store.list('listed/one/'))).toEqual({
      'listed/one/a': 3,
      'listed/one/b': 1,
    })
    expect(await collect(store.list('none/'))).toEqual({})
  })

  it.each([
    '../a',
    'a/../../b',
    '/etc/passwd',
    'a//b',
    'a/.',
    '.temporary/x',
    '',
    'a\0b',
    'a/b/',
    'ä',
  ])('refuses the key %j', async (key) => {
    await expect(store.put(key, Readable.from([]))).rejects.toThrow('Not a blob key')
    await expect(store.get(key)).rejects.toThrow('Not a blob key')
    await expect(store.delete(key)).rejects.toThrow('Not a blob key')
  })
})

interface Limit {
  limit: number
  blocksSent: number
}

function soon(): Date {
  return new Date(Date.now() + 60_000)
}
