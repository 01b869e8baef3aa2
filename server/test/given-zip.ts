/** A ZIP archive of stored entries (PKWARE APPNOTE 6.3); no library here writes one. */
import { crc32 } from 'node:zlib'

export function givenZip(entries: Record<string, string | Buffer>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [fileName, text] of Object.entries(entries)) {
    const [name, content] = [Buffer.from(fileName), Buffer.from(text)]
    const facts = factsOf(name, content)
    const local = Buffer.concat([uint32(0x04034b50), facts, name, content])
    // version made by; then no comment, disk 0, no attributes, offset of the local header
    const tail = Buffer.concat([uint16(0), uint16(0), uint16(0), uint32(0), uint32(offset)])
    directory.push(Buffer.concat([uint32(0x02014b50), uint16(20), facts, tail, name]))
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const count = uint16(directory.length)
  const end = [uint32(0x06054b50), uint16(0), uint16(0), count, count]
  return Buffer.concat([
    ...parts,
    central,
    ...end,
    uint32(central.length),
    uint32(offset),
    uint16(0),
  ])
}

/** Version needed, flags, method, time, date, checksum, sizes, lengths of name and extra field. */
function factsOf(name: Buffer, content: Buffer): Buffer {
  const sizes = [uint32(crc32(content)), uint32(content.length), uint32(content.length)]
  const head = [uint16(20), uint16(0), uint16(0), uint16(0), uint16(33)]
  return Buffer.concat([...head, ...sizes, uint16(name.length), uint16(0)])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
