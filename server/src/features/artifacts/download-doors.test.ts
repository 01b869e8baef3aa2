/** Downloads over real connections, at each door of devices. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextPass } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { readByteRanges } from '../../../test/byteranges.ts'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenOfferedUpdate, givenVersionWithArtifact } from '../../../test/given-ddi.ts'
import { syncingDevice } from '../../../test/given-device-sync.ts'
import { createDownloadRate } from './download-rate.ts'
import { sendInTurns } from './download-turns-service.ts'

const MEBIBYTE = 1024 * 1024
/** More than 2,000 small requests need, and less than the file. */
const ALLOWANCE = 8 * MEBIBYTE
const bytes = randomBytes(24 * MEBIBYTE)

let test: TestApp
let client: Client
let url: URL
let version: Awaited<ReturnType<typeof givenVersionWithArtifact>>
beforeAll(async () => {
  test = await startTestApp({
    deviceRequestsPerMinute: 5,
    deviceDownloadBytesPerMinute: ALLOWANCE,
  })
  url = new URL(await test.app.listen({ port: 0, host: '127.0.0.1' }))
  client = await givenClient(test)
  version = await givenVersionWithArtifact(test, client, { bytes })
})

interface Source {
  path: string
  headers: Record<string, string>
}

/** Where a new device gets the file. */
const doors: Record<string, () => Promise<Source>> = {
  'the HTTP door': async () => {
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const device = syncingDevice(test, { ...client, ...ddi })
    const { update } = (await device.sync({})).json<{ update: { artifacts: { url: string }[] } }>()
    const { pathname, search } = new URL(update.artifacts[0]?.url ?? '')
    return { path: pathname + search, headers: {} }
  },
  'the hawkBit door': async () => {
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    return {
      path: `${ddi.base}/softwaremodules/100/artifacts/${encodeURIComponent(version.fileName)}`,
      headers: { authorization: `TargetToken ${ddi.deviceKey}` },
    }
  },
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
closeAtEndOfFile(() => agent.destroy())

async function open(
  { path, headers }: Source,
  more: Record<string, string> = {},
  method = 'GET',
): Promise<IncomingMessage> {
  const { hostname, port } = url
  const all = { ...headers, ...more }
  const sent = request({ hostname, port, path, method, headers: all, agent }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

async function ask(source: Source, headers?: Record<string, string>, method?: string) {
  const answer = await open(source, headers, method)
  const body = await buffer(answer)
  return { status: answer.statusCode, headers: answer.headers, body }
}

describe.each(Object.entries(doors))('at %s', (_door, givenSource) => {
  it.each`
    headers                                                                | method    | status | contentRange                   | because
    ${{ range: 'bytes=0-9', 'if-range': 'Sun, 01 Mar 2026 00:00:00 GMT' }} | ${'HEAD'} | ${200} | ${undefined}                   | ${'a HEAD has no range'}
    ${{ range: 'bytes=99999999-' }}                                        | ${'HEAD'} | ${200} | ${undefined}                   | ${'a HEAD has no range, not even a wrong one'}
    ${{ range: 'bytes=99999999-,4-5,88888888-' }}                          | ${'GET'}  | ${206} | ${`bytes 4-5/${bytes.length}`} | ${'one of three is in the file'}
    ${{ range: 'bytes=99999999-,88888888-' }}                              | ${'GET'}  | ${416} | ${`bytes */${bytes.length}`}   | ${'none is in the file'}
  `('answers $method $headers with $status, as $because', async (row: DoorCase) => {
    const { headers, method, status, contentRange } = row
    const answer = await ask(await givenSource(), headers, method)

    expect(answer.status).toBe(status)
    expect(answer.headers['content-range']).toBe(contentRange)
    if (method === 'HEAD') expect(answer.headers['content-length']).toBe(String(bytes.length))
  })

  it('goes on by a strong tag alone: neither by a weak one nor by a date', async () => {
    const source = await givenSource()
    const { etag = '' } = (await ask(source, {}, 'HEAD')).headers
    const statusOf = async (condition: string) => {
      const answer = await open(source, { range: 'bytes=0-9', 'if-range': condition })
      answer.destroy()
      return answer.statusCode
    }

    expect(await statusOf(etag)).toBe(206)
    expect(await statusOf(`W/${etag}`)).toBe(200)
    expect(await statusOf('Sun, 01 Mar 2026 00:00:00 GMT')).toBe(200)
  })

  it('refuses 100,000 ranges before they are read, and serves the next request', async () => {
    const source = await givenSource()
    const range = `bytes=${Array.from({ length: 100_000 }, (_, index) => `${2 * index}-${2 * index}`).join()}`

    const refused = await ask(source, { range }).catch((error: unknown) => error)
    const next = await ask(source, { range: 'bytes=0-0' })

    // The connection may break before the client has sent all of it and reads the answer.
    if (refused instanceof Error) expect(refused).toMatchObject({ code: /^(ECONNRESET|EPIPE)$/ })
    else expect(refused).toMatchObject({ status: 431 })
    expect(next.status).toBe(206)
  })

  it('sends 2,000 small ranges to one device, which meets no limit', async () => {
    const source = await givenSource()
    const statuses = new Map<number | undefined, number>()
    let left = 2_000
    const device = async () => {
      while ((left -= 1) >= 0) {
        const start = (left * 4_801) % (bytes.length - 100)
        const { status, body } = await ask(source, { range: `bytes=${start}-${start + 99}` })
        expect(body.equals(bytes.subarray(start, start + 100))).toBe(true)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }

    await Promise.all(Array.from({ length: 8 }, device))

    expect([...statuses]).toEqual([[206, 2_000]])
  })

  it('slows a device down that had more bytes than it may, refuses none of its ranges, and slows no other one', async () => {
    const [source, other] = [await givenSource(), await givenSource()]
    const whole = await open(source)
    let taken = 0
    whole.on('data', (chunk: Buffer) => (taken += chunk.length))
    await expect.poll(() => taken).toBeGreaterThanOrEqual(ALLOWANCE)
    const [startedAt, before] = [performance.now(), taken]

    const ranges = await Promise.all(
      Array.from({ length: 4 }, () => ask(source, { range: 'bytes=100-10099' })),
    )
    const more = taken - before
    const rate = ((performance.now() - startedAt) / 60_000) * ALLOWANCE
    const neighbour = await ask(other, { range: `bytes=0-${4 * MEBIBYTE - 1}` })
    whole.destroy()

    expect(whole.statusCode).toBe(200)
    expect(ranges.map(({ status }) => status)).toEqual([206, 206, 206, 206])
    for (const { body } of ranges) expect(body.equals(bytes.subarray(100, 10_100))).toBe(true)
    // What was under way may come at once. Without a rate the rest of the file would have come.
    expect(more).toBeLessThan(rate + MEBIBYTE)
    expect(neighbour.body.equals(bytes.subarray(0, 4 * MEBIBYTE))).toBe(true)
  })

  it('counts of parts that a device did not take what was sent', async () => {
    const source = await givenSource()
    const range = `bytes=0-0,10-${bytes.length - 1}`

    const cut = await open(source, { range })
    await once(cut, 'data')
    cut.destroy()
    const next = await ask(source, { range: 'bytes=0-0,5-9' })

    expect(cut.statusCode).toBe(206)
    expect(next.status).toBe(206)
    expect(readByteRanges(next.headers['content-type'], next.body)).toHaveLength(2)
  })
})

interface DoorCase {
  headers: Record<string, string>
  method: string
  status: number
  contentRange: string | undefined
}

it('refuses a request, in words, that would wait for more than 20 seconds, and none of another device', async () => {
  const take = createDownloadRate(ALLOWANCE)
  const over = new AbortController()
  const pace = await take('one')
  const [most, waiting] = [ALLOWANCE + ALLOWANCE / 3, ALLOWANCE / 60]
  const held = pace.wait(most + waiting, over.signal).catch((error: unknown) => error)

  await expect(take('one')).rejects.toMatchObject({
    code: 'rate-limited',
    message:
      'This device is sent 8 MiB a minute, and has so many downloads under way that the next one would wait for more than 20 s. Ask for less at a time.',
    retryAfterSeconds: 10,
  })
  await take('other')
  over.abort()
  expect(await held).toMatchObject({ name: 'AbortError' })
})

describe('content in turns', () => {
  const PIECE = 64 * 1024
  const onePiece = Buffer.alloc(PIECE)
  const pieces = (count: number) =>
    Readable.from(
      Array.from({ length: count }, () => onePiece),
      { objectMode: false },
    )
  const counting = (count: (size: number) => unknown) => ({
    pieceBytes: PIECE,
    wait: (size: number) => Promise.resolve(void count(size)),
  })

  it('counts what was taken, and closes what it reads, when it is broken off', async () => {
    let counted = 0
    const content = pieces(1_000)
    const pace = counting((more) => (counted += more))
    const sent = sendInTurns(content, { workspaceId: 'w', pace })
    let taken = 0
    for await (const chunk of sent as AsyncIterable<Buffer>) {
      taken += chunk.length
      if (taken >= 20 * PIECE) break
    }
    await nextPass()
    const atOnce = counted
    await nextPass()

    expect(taken).toBeGreaterThanOrEqual(20 * PIECE)
    expect(counted).toBeGreaterThanOrEqual(taken)
    // One piece may wait to be taken, and one is being read.
    expect(counted).toBeLessThanOrEqual(taken + 2 * PIECE)
    expect(counted).toBe(atOnce)
    expect(content.destroyed).toBe(true)
  })

  it('lets another workspace send after a few pieces of others, however many one sends', async () => {
    let flooded = 0
    const counted = counting((size) => (flooded += size))
    const flood = Array.from({ length: 200 }, () =>
      sendInTurns(pieces(50), { workspaceId: 'flood', pace: counted }),
    )
    const ends = flood.map((sent) => buffer(sent).catch(() => undefined))
    // The first piece of each waits for its turn.
    while (flooded < flood.length * PIECE) await nextPass()
    const before = flooded

    const quiet = await buffer(sendInTurns(pieces(1), { workspaceId: 'quiet', pace: undefined }))
    const meanwhile = flooded - before
    const isOver = flooded === flood.length * 50 * PIECE
    for (const sent of flood) sent.destroy()
    await Promise.all(ends)

    expect(quiet).toHaveLength(PIECE)
    // One of each download that waited before it would be 200.
    expect(meanwhile / PIECE).toBeLessThan(25)
    expect(isOver).toBe(false)
  })

  it('rests from sending for longer than a pass of the event loop took', async () => {
    let flooded = 0
    const pace = counting((size) => (flooded += size))
    const sent = sendInTurns(pieces(1_000), { workspaceId: 'flood', pace })
    const end = buffer(sent).catch(() => undefined)
    let [busyMs, passes] = [0, 0]
    const begun = performance.now()
    while (passes < 20) {
      const before = flooded
      const passBegun = performance.now()
      while (performance.now() - passBegun < 20) {
        // Other work of the service, which takes the whole pass.
      }
      await nextPass()
      if (flooded === before) continue
      passes += 1
      busyMs += performance.now() - passBegun
    }
    const tookMs = performance.now() - begun
    sent.destroy()
    await end

    expect(tookMs).toBeGreaterThan(2 * busyMs)
  })
})
