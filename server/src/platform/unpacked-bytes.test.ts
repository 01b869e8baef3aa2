import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { limitBytes, unpackBytes } from './unpacked-bytes.ts'

it('reads zstd frame after frame, wherever they are cut', async () => {
  const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
  const frames = Buffer.concat([
    zstdCompressSync('first '.repeat(1_000)),
    zstdCompressSync('second'),
    skippable,
    zstdCompressSync(' third'),
  ])
  const textOf = async (size: number, bytes = frames) => {
    async function* cut() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    let text = ''
    for await (const piece of unpackBytes(cut())) text += Buffer.from(piece).toString()
    return text
  }

  for (const size of [5, 16, 1_000])
    expect(await textOf(size)).toBe(`${'first '.repeat(1_000)}second third`)
  await expect(textOf(1_000, frames.subarray(0, 15))).rejects.toThrow('unexpected end of file')
})

it('ends a file that unpacks to more than there may be', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(8 * 1024 * 1024))
  const sizes = async (most: number) => {
    let bytes = 0
    for await (const chunk of limitBytes(unpackBytes(Readable.from([bomb])), most))
      bytes += chunk.length
    return bytes
  }

  expect(await sizes(8 * 1024 * 1024)).toBe(8 * 1024 * 1024)
  await expect(sizes(8 * 1024 * 1024 - 1)).rejects.toThrow('unpacks to more than')
})
