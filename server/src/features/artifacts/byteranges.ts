/** Several ranges of a file in one answer: `multipart/byteranges` (RFC 9110, section 14.6). */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ByteRange } from './ranges.ts'

interface Part {
  head: Buffer
  range: ByteRange
}

export interface ByteRanges {
  contentType: string
  contentLength: number
  parts: readonly Part[]
  end: Buffer
}

/**
 * Plans the body, so that its length is known before the first byte is read. It suits SWUpdate's delta handler, which takes
 * the boundary in lower case and without quotes only, and looks for it in the first bytes of the body.
 */
export function planByteRanges(ranges: readonly ByteRange[], sizeBytes: number): ByteRanges {
  const boundary = randomBytes(16).toString('hex')
  const parts = ranges.map((range, index) => {
    const lines = [
      `${index === 0 ? '' : '\r\n'}--${boundary}`,
      'Content-Type: application/octet-stream',
      `Content-Range: bytes ${range.start}-${range.end}/${sizeBytes}`,
    ]
    return { range, head: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`) }
  })
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  const contentLength = parts.reduce(
    (total, { head, range }) => total + head.length + (range.end - range.start + 1),
    end.length,
  )
  const contentType = `multipart/byteranges; boundary=${boundary}`
  return { contentType, contentLength, parts, end }
}

/** Of parts that are so close, the bytes between them cost less than another read of the store. */
const GAP_BYTES = 64 * 1024

interface PartGroup {
  span: ByteRange
  parts: Part[]
}

/** Parts that follow each other closely. The store is asked for each group once. */
function groupParts(parts: readonly Part[]): PartGroup[] {
  const groups: PartGroup[] = []
  for (const part of parts) {
    const { start, end } = part.range
    const group = groups.at(-1)
    if (group && start > group.span.end && start - group.span.end <= GAP_BYTES) {
      group.parts.push(part)
      group.span.end = end
    } else groups.push({ span: { start, end }, parts: [part] })
  }
  return groups
}

type Open = (span: ByteRange) => Promise<Readable>

interface Reading {
  content: Readable | undefined
  isClosed: boolean
}

/**
 * Opens the body. Fails before its first byte when the file cannot be read. One read of the store is open at a time, and
 * ends when the body is destroyed, as it is when the client hangs up.
 */
export async function openByteRanges(form: ByteRanges, open: Open): Promise<Readable> {
  const groups = groupParts(form.parts)
  const reading: Reading = { content: undefined, isClosed: false }
  const openNext = async (span: ByteRange) => {
    const content = await open(span)
    // Whoever reads it gets the error; it may come before anybody does.
    content.on('error', () => undefined)
    reading.content = content
    if (reading.isClosed) content.destroy()
    return content
  }
  const [first] = groups
  const opened = first && (await openNext(first.span))
  async function* readBytes(): AsyncGenerator<Buffer, void> {
    for (const group of groups) {
      const content = group === first && opened ? opened : await openNext(group.span)
      yield* cutParts(content, group)
    }
    yield form.end
  }
  const bytes = readBytes()
  return new Readable({
    read() {
      bytes.next().then(
        ({ done, value }) => this.push(done === true ? null : value),
        (error: unknown) => this.destroy(asError(error)),
      )
    },
    destroy(error, done) {
      reading.isClosed = true
      reading.content?.destroy()
      done(error)
    },
  })
}

/** Leaves out what lies between the parts. */
async function* cutParts(
  content: Readable,
  { span, parts }: PartGroup,
): AsyncGenerator<Buffer, void> {
  const chunks = content.iterator() as AsyncIterator<Buffer, undefined>
  let position = span.start
  let rest: Buffer = Buffer.alloc(0)
  for (const { head, range } of parts) {
    yield head
    while (position <= range.end) {
      if (rest.length === 0) rest = await readNext(chunks)
      const skipped = Math.min(rest.length, Math.max(0, range.start - position))
      const taken = rest.subarray(skipped, range.end + 1 - position)
      position += skipped + taken.length
      rest = rest.subarray(skipped + taken.length)
      if (taken.length > 0) yield taken
    }
  }
  // Reads to the end, so that a file is closed and a connection to the store can be used again.
  await chunks.next()
}

async function readNext(chunks: AsyncIterator<Buffer, undefined>): Promise<Buffer> {
  const { value } = await chunks.next()
  if (value === undefined) throw new Error('The stored file is shorter than its row states.')
  return value
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
