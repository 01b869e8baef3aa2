/**
 * The build id of an ELF file, which `ld --build-id` writes into a note. Formats: System V ABI, chapters 4 (ELF header,
 * sections) and 5 (program headers, notes).
 */
import { type FileHandle, open } from 'node:fs/promises'

/** The file is no ELF file, or its headers lie. */
export class ElfFault extends Error {
  override readonly name = 'ElfFault'
}

const PT_NOTE = 4
const SHT_NOTE = 7
const NT_GNU_BUILD_ID = 3
/** As much of one region with notes as is read; a build id takes 36 bytes. */
const MOST_NOTE_BYTES = 65_536
/** A linker writes two or three. */
const MOST_NOTE_REGIONS = 256
/** Headers have 32 to 64 bytes; a file that says more would have tables of gigabytes read. */
const MOST_ENTRY_BYTES = 256
/** `--build-id=0x…` takes any length; those of linkers have 8 to 32 bytes. */
const MOST_ID_BYTES = 64

/** In lower-case hexadecimal; undefined where the linker wrote none. */
export async function readBuildId(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    return await readElf(file)
  } finally {
    await file.close()
  }
}

async function readElf(file: FileHandle): Promise<string | undefined> {
  const head = await readBytes(file, 0, 64)
  if (head.length < 52 || head.readUInt32BE(0) !== 0x7f_45_4c_46)
    throw new ElfFault('it is not an ELF file')
  const fields = chooseFields(head)
  for (const region of await listNoteRegions(file, head, fields)) {
    const size = Math.min(region.size, MOST_NOTE_BYTES)
    const notes = await readBytes(file, region.offset, size)
    const buildId = findBuildId(notes, region.alignment, fields)
    if (buildId !== undefined) return buildId
  }
  return undefined
}

/** How numbers are read: by the byte order and the class of the file. */
interface Fields {
  is64: boolean
  half: (bytes: Buffer, at: number) => number
  word: (bytes: Buffer, at: number) => number
  /** An offset or a size: 4 bytes in a 32-bit file, else 8. */
  long: (bytes: Buffer, at: number) => number
}

function chooseFields(head: Buffer): Fields {
  const [elfClass, order] = [head[4], head[5]]
  if (elfClass !== 1 && elfClass !== 2) throw new ElfFault('it has no ELF class that is known')
  if (order !== 1 && order !== 2) throw new ElfFault('it has no byte order that is known')
  const isLittle = order === 1
  const half = (bytes: Buffer, at: number) =>
    isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
  const word = (bytes: Buffer, at: number) =>
    isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
  const xword = (bytes: Buffer, at: number) =>
    Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  const is64 = elfClass === 2
  if (is64 && head.length < 64) throw new ElfFault('it ends within its header')
  return { is64, half, word, long: is64 ? xword : word }
}

interface NoteRegion {
  offset: number
  size: number
  alignment: number
}

/** Where each field of a header stands, in 32-bit and in 64-bit files. */
const LAYOUTS = {
  // e_phoff, e_phentsize, p_type, p_offset, p_filesz, p_align
  segments: {
    32: { table: 28, entry: 42, least: 32, type: 0, offset: 4, size: 16, alignment: 28 },
    64: { table: 32, entry: 54, least: 56, type: 0, offset: 8, size: 32, alignment: 48 },
    isNote: PT_NOTE,
  },
  // e_shoff, e_shentsize, sh_type, sh_offset, sh_size, sh_addralign
  sections: {
    32: { table: 32, entry: 46, least: 40, type: 4, offset: 16, size: 20, alignment: 32 },
    64: { table: 40, entry: 58, least: 64, type: 4, offset: 24, size: 32, alignment: 48 },
    isNote: SHT_NOTE,
  },
} as const

/** Of segments and of sections: linker scripts of firmware often have the note as a section alone. */
async function listNoteRegions(
  file: FileHandle,
  head: Buffer,
  fields: Fields,
): Promise<NoteRegion[]> {
  const segments = await listRegions(file, head, { layout: LAYOUTS.segments, fields })
  const sections = await listRegions(file, head, { layout: LAYOUTS.sections, fields })
  return [...segments, ...sections].slice(0, MOST_NOTE_REGIONS)
}

interface HeaderTable {
  layout: (typeof LAYOUTS)[keyof typeof LAYOUTS]
  fields: Fields
}

async function listRegions(
  file: FileHandle,
  head: Buffer,
  { layout, fields }: HeaderTable,
): Promise<NoteRegion[]> {
  const { word, long } = fields
  const places = fields.is64 ? layout[64] : layout[32]
  const entrySize = fields.half(head, places.entry)
  const count = fields.half(head, places.entry + 2)
  if (count === 0) return []
  if (entrySize < places.least || entrySize > MOST_ENTRY_BYTES)
    throw new ElfFault('its headers have no size that ELF allows')
  const table = await readBytes(file, long(head, places.table), entrySize * count)
  if (table.length < entrySize * count) throw new ElfFault('it ends within its headers')
  const entries = Array.from({ length: count }, (_, index) => table.subarray(index * entrySize))
  return entries
    .filter((entry) => word(entry, places.type) === layout.isNote)
    .map((entry) => ({
      offset: long(entry, places.offset),
      size: long(entry, places.size),
      alignment: long(entry, places.alignment) === 8 ? 8 : 4,
    }))
}

function findBuildId(notes: Buffer, alignment: number, { word }: Fields): string | undefined {
  const padded = (size: number) => Math.ceil(size / alignment) * alignment
  for (let at = 0; at + 12 <= notes.length;) {
    const [nameSize, size, type] = [word(notes, at), word(notes, at + 4), word(notes, at + 8)]
    const name = notes.subarray(at + 12, at + 12 + nameSize)
    const begin = at + padded(12 + nameSize)
    if (begin + size > notes.length) return undefined
    const isBuildId = type === NT_GNU_BUILD_ID && name.equals(GNU)
    if (isBuildId && size > 0 && size <= MOST_ID_BYTES)
      return notes.subarray(begin, begin + size).toString('hex')
    at = begin + padded(size)
  }
  return undefined
}

const GNU = Buffer.from('GNU\0')

/** Fewer where the file ends before, as it does where an offset lies. */
async function readBytes(file: FileHandle, offset: number, size: number): Promise<Buffer> {
  if (offset > Number.MAX_SAFE_INTEGER) return Buffer.alloc(0)
  const bytes = Buffer.alloc(size)
  const { bytesRead } = await file.read(bytes, 0, size, offset)
  return bytes.subarray(0, bytesRead)
}
