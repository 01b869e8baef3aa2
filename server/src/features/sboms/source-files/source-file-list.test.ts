import { describe, expect, it } from 'vitest'
import { readSourceFileList } from './source-file-list.ts'

async function* chunksOf(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
const read = (...chunks: (string | Uint8Array)[]) => readSourceFileList(chunksOf(...chunks))

describe('a list of source files', () => {
  it('is one path a line, however lines end and wherever chunks do', async () => {
    const list = await read('\ufeffnet/core/d', 'ev.c\r', '\nfs/inode.c\n\n./fs//inode.c\rlib/a.S')

    expect(list).toEqual({ files: ['net/core/dev.c', 'fs/inode.c', 'lib/a.S'], ignoredCount: 0 })
  })

  it('passes over headers and what is not compiled', async () => {
    expect(await read('a.c\ninclude/a.h\nMakefile\nREADME.md\n')).toEqual({
      files: ['a.c'],
      ignoredCount: 3,
    })
  })

  it('keeps characters that two chunks share', async () => {
    const bytes = Buffer.from('src/tür.c\n')

    expect((await read(bytes.subarray(0, 6), bytes.subarray(6))).files).toEqual(['src/tür.c'])
  })

  it.each`
    text                             | message
    ${''}                            | ${'names no source file'}
    ${'include/a.h\n'}               | ${'names no source file'}
    ${'{"files": ["a.c"]}'}          | ${'Send text/plain'}
    ${'["a.c"]'}                     | ${'Send text/plain'}
    ${'<html>'}                      | ${'Send text/plain'}
    ${'a.c\nnet/core/dev.o\n'}       | ${'Line 2 names an object file, "net/core/dev.o"'}
    ${'a.c\nb.c\ndrivers/wifi.ko\n'} | ${'Line 3 names an object file'}
    ${'net/core/dev.c:12\n'}         | ${'Line 1 holds more than a path: "net/core/dev.c:12"'}
    ${'"net/core/dev.c"\n'}          | ${'Line 1 holds more than a path'}
    ${'a.c b.h\n'}                   | ${'Line 1 holds more than a path'}
    ${`${'x/'.repeat(600)}a.c`}      | ${'Line 1 is not a path'}
    ${`a.c\n${'x'.repeat(70_000)}`}  | ${'A line is longer than any path'}
  `('is refused: $message', async ({ text, message }: Record<'text' | 'message', string>) => {
    await expect(read(text)).rejects.toThrow(message)
  })

  it('is refused where it is not a text', async () => {
    await expect(read(Buffer.from([0x61, 0xff, 0x2e, 0x63]))).rejects.toThrow('not UTF-8')
    await expect(read(Buffer.from([0x61, 0xc3]))).rejects.toThrow('not UTF-8')
  })

  it('is refused beyond 200,000 files', async () => {
    const lines = Array.from({ length: 200_001 }, (_, index) => `a${index}.c\n`)

    await expect(read(lines.join(''))).rejects.toThrow('more than 200000 source files')
  })
})
