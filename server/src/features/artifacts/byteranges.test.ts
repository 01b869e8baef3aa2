import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readByteRanges } from '../../../test/byteranges.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { openS3BlobStore } from '../../platform/blobs/s3-blob-store.ts'
import { openByteRanges, planByteRanges } from './byteranges.ts'
import { type ByteRange, readRequestedRanges } from './ranges.ts'

const KIBIBYTE = 1024
const file = randomBytes(1024 * KIBIBYTE)

/** Gives the file in pieces of any size, as a file system or a network does. */
function givenStore(pieceBytes = 64 * KIBIBYTE) {
  const spans: ByteRange[] = []
  const open = (span: ByteRange) => {
    spans.push(span)
    const bytes = file.subarray(span.start, span.end + 1)
    const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
      bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    )
    return Promise.resolve(Readable.from(pieces, { objectMode: false }))
  }
  return { open, spans }
}

const asBytes = ({ start, end }: ByteRange) => file.subarray(start, end + 1)

it('sends any parts in their order, with the stated length, from pieces of any size', async () => {
  const place = fc.integer({ min: 0, max: file.length - 1 })
  const length = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 100_000 }))
  const ranges = fc.array(
    fc.tuple(place, length).map(([start, more]) => ({
      start,
      end: Math.min(start + more, file.length - 1),
    })),
    { minLength: 1, maxLength: 20 },
  )
  const pieces = fc.integer({ min: 700, max: 100_000 })

  const property = fc.asyncProperty(ranges, pieces, async (asked, pieceBytes) => {
    const form = planByteRanges(asked, file.length)
    const body = await buffer(await openByteRanges(form, givenStore(pieceBytes).open))

    expect(body.length).toBe(form.contentLength)
    const parts = readByteRanges(form.contentType, body)
    expect(parts.map(({ first, last }) => ({ start: first, end: last }))).toEqual(asked)
    for (const { first, last, bytes } of parts)
      expect(bytes.equals(asBytes({ start: first, end: last }))).toBe(true)
  })
  await fc.assert(property, { numRuns: propertyRuns(200) })
})

it('reads neighbours together and others apart', async () => {
  const { open, spans } = givenStore()
  const far = 500 * KIBIBYTE
  const asked = [
    { start: 0, end: 9 },
    { start: 1_000, end: 1_009 },
    { start: 40_000, end: 40_000 },
    { start: far, end: far + 9 },
    { start: 20, end: 29 },
  ]

  await buffer(await openByteRanges(planByteRanges(asked, file.length), open))

  expect(spans).toEqual([
    { start: 0, end: 40_000 },
    { start: far, end: far + 9 },
    { start: 20, end: 29 },
  ])
})

it('fails before the first byte where the file is missing', async () => {
  const missing = () => Promise.reject(new Error('no such file'))

  await expect(
    openByteRanges(planByteRanges([{ start: 0, end: 9 }], file.length), missing),
  ).rejects.toThrow('no such file')
})

it('breaks off where the stored file is too short, in place of sending fewer bytes', async () => {
  const short = () => Promise.resolve(Readable.from([Buffer.from('few')], { objectMode: false }))
  const body = await openByteRanges(planByteRanges([{ start: 0, end: 9 }], file.length), short)

  await expect(buffer(body)).rejects.toThrow('shorter')
})

describe('a client that hangs up', () => {
  const form = planByteRanges(
    [
      { start: 0, end: 9 },
      { start: 500 * KIBIBYTE, end: 600 * KIBIBYTE },
    ],
    file.length,
  )

  it('ends the read that waits for the store', async () => {
    const content = new PassThrough()
    const body = await openByteRanges(form, () => Promise.resolve(content))
    body.resume()
    await once(body, 'data')

    body.destroy()
    await once(content, 'close')

    expect(content.destroyed).toBe(true)
  })

  it('ends the read that had not begun', async () => {
    const content = new PassThrough()
    const body = await openByteRanges(form, () => Promise.resolve(content))

    body.destroy()
    await once(content, 'close')

    expect(content.destroyed).toBe(true)
  })

  it('ends the read that opens a moment later', async () => {
    const [first, second] = [Readable.from([file.subarray(0, 10)]), new PassThrough()]
    const asked = Promise.withResolvers<undefined>()
    const late = Promise.withResolvers<Readable>()
    const body = await openByteRanges(form, ({ start }) => {
      if (start === 0) return Promise.resolve(first)
      asked.resolve(undefined)
      return late.promise
    })
    body.resume()
    await asked.promise

    body.destroy()
    late.resolve(second)
    await once(second, 'close')

    expect(second.destroyed).toBe(true)
  })
})

const MEBIBYTE = 1024 * KIBIBYTE
/** Of the file at the store, which repeats the one here. */
const STORED_BYTES = 256 * MEBIBYTE

function* readStored({ start, end }: ByteRange): Generator<Buffer> {
  for (let at = start; at <= end;) {
    const from = at % file.length
    const piece = file.subarray(from, Math.min(from + 16 * KIBIBYTE, from + end - at + 1))
    at += piece.length
    yield piece
  }
}

/** Answers GetObject with a range as an S3 store does, and tells what happened. */
async function startStore() {
  const told = { asked: [] as unknown[], connections: 0, sentBytes: 0, hangUps: 0 }
  const server = createServer((request, response) => {
    const { range } = request.headers
    told.asked.push(range)
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
    const [start, end] = [Number(first), Number(last)]
    response.writeHead(206, {
      'content-length': end - start + 1,
      'content-range': `bytes ${start}-${end}/${STORED_BYTES}`,
    })
    const { socket } = request
    const before = socket.bytesWritten
    const body = Readable.from(readStored({ start, end }), { objectMode: false })
    response.on('close', () => {
      told.sentBytes += socket.bytesWritten - before
      if (!response.writableFinished) told.hangUps += 1
      body.destroy()
    })
    body.pipe(response)
  }).listen(0, '127.0.0.1')
  server.on('connection', () => (told.connections += 1))
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const store = openS3BlobStore({
    kind: 's3',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'blobs',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    forcePathStyle: true,
  })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { store, told, close }
}

describe('from an S3 store', () => {
  let s3: Awaited<ReturnType<typeof startStore>>
  beforeEach(async () => {
    s3 = await startStore()
  })
  afterEach(() => s3.close())

  function openFrom(header: string) {
    const ranges = readRequestedRanges(header, STORED_BYTES)
    if (typeof ranges === 'string') throw new Error(ranges)
    const form = planByteRanges(ranges, STORED_BYTES)
    return { form, body: openByteRanges(form, (span) => s3.store.get('artifacts/a', span)) }
  }

  it('reads by single ranges, on a connection that is used again', async () => {
    const { form, body } = openFrom('bytes=0-99,500000-500099,900000-900099')

    const parts = readByteRanges(form.contentType, await buffer(await body))

    expect(parts.map(({ bytes }) => bytes.length)).toEqual([100, 100, 100])
    expect(parts.every((part) => part.bytes.equals(file.subarray(part.first, part.last + 1)))).toBe(
      true,
    )
    expect(s3.told.asked).toEqual(['bytes=0-99', 'bytes=500000-500099', 'bytes=900000-900099'])
    expect(s3.told.connections).toBe(1)
  })

  it('reads no more while nobody takes it, and hangs up with its client', async () => {
    const { body } = openFrom('bytes=0-99,1000000-200000000,500000-500000')
    const opened = await body
    await once(opened, 'readable')
    opened.read(1)
    await expect.poll(() => s3.told.asked.length).toBe(2)

    opened.destroy()
    await expect.poll(() => s3.told.hangUps).toBe(1)

    expect(s3.told.sentBytes).toBeLessThan(64 * MEBIBYTE)
    expect(s3.told.asked).toHaveLength(2)
  })
})
