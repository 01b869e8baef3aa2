/** Build ids of files that are written here, in every class and byte order, and of one that a real linker wrote. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ElfFault, readBuildId } from './build-id.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'plimsoll-elf-'))

function givenFile(bytes: Uint8Array): string {
  const path = join(FOLDER, crypto.randomUUID())
  writeFileSync(path, bytes)
  return path
}

interface Elf {
  bits: 32 | 64
  isLittle: boolean
  noteIn: 'segment' | 'section'
  notes: readonly { name: string; type: number; id: string }[]
  alignment?: number
}

/** An ELF file with one table of one header, which leads to the notes. */
function writeElf({ bits, isLittle, noteIn, notes, alignment = 4 }: Elf): Buffer {
  const half = (value: number) => writeNumber(value, 2, isLittle)
  const word = (value: number) => writeNumber(value, 4, isLittle)
  const long = (value: number) => writeNumber(value, bits / 8, isLittle)
  const pad = (bytes: Buffer) =>
    Buffer.concat([bytes, Buffer.alloc((alignment - (bytes.length % alignment)) % alignment)])
  const content = Buffer.concat(
    notes.map(({ name, type, id }) => {
      const desc = Buffer.from(id, 'hex')
      const head = [word(name.length), word(desc.length), word(type), Buffer.from(name)]
      return Buffer.concat([pad(Buffer.concat(head)), pad(desc)])
    }),
  )
  const is64 = bits === 64
  const headSize = is64 ? 64 : 52
  const [segment, section] = is64 ? [56, 64] : [32, 40]
  const isSegment = noteIn === 'segment'
  const tableSize = isSegment ? segment : section
  const at = headSize + tableSize
  const table = isSegment
    ? is64
      ? [word(4), word(4), ...[at, 0, 0, content.length, 0, alignment].map(long)]
      : [4, at, 0, 0, content.length, 0, 4, alignment].map(word)
    : is64
      ? [word(1), word(7), ...[0, 0, at, content.length].map(long), word(0), word(0)].concat(
          [alignment, 0].map(long),
        )
      : [1, 7, 0, 0, at, content.length, 0, 0, alignment, 0].map(word)
  const head = Buffer.concat([
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, is64 ? 2 : 1, isLittle ? 1 : 2, 1, 0]),
    Buffer.alloc(8),
    half(2),
    half(40),
    word(1),
    long(0),
    long(isSegment ? headSize : 0),
    long(isSegment ? 0 : headSize),
    word(0),
    ...[headSize, segment, isSegment ? 1 : 0, section, isSegment ? 0 : 1, 0].map(half),
  ])
  return Buffer.concat([head, ...table, content])
}

function writeNumber(value: number, size: number, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(size)
  for (let index = 0; index < size; index++)
    bytes[isLittle ? index : size - 1 - index] = Math.floor(value / 256 ** index) % 256
  return bytes
}

const KINDS = fc.record({
  bits: fc.constantFrom(32 as const, 64 as const),
  isLittle: fc.boolean(),
  noteIn: fc.constantFrom('segment' as const, 'section' as const),
  alignment: fc.constantFrom(4, 8),
})
const ID = fc
  .uint8Array({ minLength: 1, maxLength: 64 })
  .map((bytes) => Buffer.from(bytes).toString('hex'))
const VERSION = { name: 'GNU\0', type: 5, id: '0200ff' }
const OF_ANOTHER = { name: 'stapsdt\0', type: 3, id: 'aabbcc' }

it('reads the id of every class, byte order and place, behind notes of others', async () => {
  await fc.assert(
    fc.asyncProperty(KINDS, ID, async (kind, id) => {
      const notes = [VERSION, OF_ANOTHER, { name: 'GNU\0', type: 3, id }]

      const buildId = await readBuildId(givenFile(writeElf({ ...kind, notes })))

      expect(buildId).toBe(id)
    }),
  )
})

it('says that there is none where the linker wrote none', async () => {
  const bytes = writeElf({
    bits: 64,
    isLittle: true,
    noteIn: 'segment',
    notes: [OF_ANOTHER],
  })

  expect(await readBuildId(givenFile(bytes))).toBeUndefined()
})

it('ends with a fault or without an id, whatever bytes differ and wherever the file ends', async () => {
  const CHANGES = fc.array(fc.tuple(fc.nat(150), fc.nat(255)), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(KINDS, CHANGES, fc.nat(250), async (kind, changes, end) => {
      const bytes = writeElf({ ...kind, notes: [{ name: 'GNU\0', type: 3, id: 'ab'.repeat(20) }] })
      for (const [at, value] of changes) bytes[at % bytes.length] = value

      const answer = await readBuildId(givenFile(bytes.subarray(0, end))).catch(
        (error: unknown) => error,
      )

      if (answer instanceof Error) expect(answer).toBeInstanceOf(ElfFault)
      else expect(answer ?? 'none').toMatch(/^(none|([0-9a-f]{2}){1,64})$/)
    }),
  )
})

it.each([
  ['a text', Buffer.from('int main(void) { return 0; }'.repeat(4)), 'it is not an ELF file'],
  ['nothing', Buffer.alloc(0), 'it is not an ELF file'],
])('says that %s is no ELF file', async (_, bytes, message) => {
  await expect(readBuildId(givenFile(bytes))).rejects.toThrow(message)
})

const hasCompiler = spawnSync('gcc', ['--version']).status === 0
if (!hasCompiler) process.stderr.write('skipped, missing: gcc\n')

describe.skipIf(!hasCompiler)('of a real linker', () => {
  it('reads the id that it was told to write', async () => {
    const source = join(FOLDER, 'main.c')
    writeFileSync(source, 'int main(void) { return 0; }\n')
    const path = join(FOLDER, 'linked')
    const built = spawnSync('gcc', ['-o', path, source, '-Wl,--build-id=0xc0ffee0123456789'])
    expect([built.status, String(built.stderr)]).toEqual([0, ''])

    const buildId = await readBuildId(path)

    expect(buildId).toBe('c0ffee0123456789')
  })
})
