/** The members of a cpio archive in the “new ASCII” formats, without and with a checksum (cpio(5)), as SWUpdate reads them. */
import type { ImageBytes } from './image-bytes.ts'
import { ImageFault } from './image-facts.ts'

const HEADER_BYTES = 110
const MOST_NAME_BYTES = 1024
const MOST_MEMBERS = 10_000
const END = 'TRAILER!!!'

export interface CpioMember {
  name: string
  start: number
  size: number
  /** The sum of all bytes; undefined: the archive states none. */
  checksum: number | undefined
}

export const isCpio = (start: Buffer): boolean =>
  /^07070[12][0-9a-fA-F]{8}/.test(start.toString('latin1', 0, HEADER_BYTES))

/** Reads the headers alone. `end`: where the archive ends. */
export async function listMembers(
  image: ImageBytes,
): Promise<{ members: CpioMember[]; end: number }> {
  const members: CpioMember[] = []
  for (let at = 0; ;) {
    const member = await readMember(image, at)
    if (member.name === END) return { members, end: member.start + member.size }
    if (members.length === MOST_MEMBERS)
      throw new ImageFault(`The archive has more than ${MOST_MEMBERS} members.`)
    members.push(member)
    at = align(member.start + member.size)
  }
}

const align = (at: number) => Math.ceil(at / 4) * 4

async function readMember(image: ImageBytes, at: number): Promise<CpioMember> {
  const bytes = await image.read(at, HEADER_BYTES + MOST_NAME_BYTES)
  const header = bytes.toString('latin1', 0, HEADER_BYTES)
  if (!/^07070[12][0-9a-fA-F]{104}$/.test(header))
    throw new ImageFault(
      `No member of the archive begins at byte ${at}: it was cut off, or a size is wrong.`,
    )
  const field = (index: number) => Number.parseInt(header.slice(6 + 8 * index, 14 + 8 * index), 16)
  const [size, nameBytes] = [field(6), field(11)]
  if (nameBytes < 2 || nameBytes > MOST_NAME_BYTES || HEADER_BYTES + nameBytes > bytes.length)
    throw new ImageFault(
      `A member of the archive at byte ${at} states a name of ${nameBytes} bytes.`,
    )
  const name = bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + nameBytes - 1)
  if (name.includes('\0')) throw new ImageFault(`The name of a member at byte ${at} ends early.`)
  const start = align(at + HEADER_BYTES + nameBytes)
  if (start + size > image.size)
    throw new ImageFault(
      `The member ${JSON.stringify(name.slice(0, 100))} states ${size} bytes, and the file ends before: it was cut off, or the size is wrong.`,
    )
  return { name, start, size, checksum: header.startsWith('070702') ? field(12) : undefined }
}
