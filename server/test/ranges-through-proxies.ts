/** Range requests over a socket of their own, or as streams of HTTP/2, and what a file and RFC 9110 let be answered. */
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'

export interface RangeAnswer {
  status: number
  headers: Readonly<Record<string, string | undefined>>
  body: Buffer
}

export interface RangeRequest {
  path: string
  headers: Readonly<Record<string, string>>
}

/** One request; undefined: the connection or stream was ended without an answer. */
export type AskRanges = (request: RangeRequest) => Promise<RangeAnswer | undefined>

interface Place {
  port: number
  /** Of the server; without it there is no TLS. */
  ca?: string
  name?: string
}

/** Writes the bytes of a request of HTTP/1.1 and reads as far as the server closes. */
export function createRawClient({ port, ca, name = 'localhost' }: Place): AskRanges {
  return async ({ path, headers }) => {
    const to = { host: '127.0.0.1', port }
    const socket =
      ca === undefined
        ? connect(to)
        : connectTls({ ...to, ca, servername: name, ALPNProtocols: ['http/1.1'] })
    const lines = Object.entries({ host: name, connection: 'close', ...headers })
    // A server that refuses need not read all of it.
    socket.on('error', () => undefined)
    socket.write(
      `GET ${path} HTTP/1.1\r\n${lines.map(([header, value]) => `${header}: ${value}\r\n`).join('')}\r\n`,
    )
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await new Promise((resolve) => socket.once('close', resolve))
    return readAnswer(Buffer.concat(chunks))
  }
}

function readAnswer(all: Buffer): RangeAnswer | undefined {
  const end = all.indexOf('\r\n\r\n')
  const [first = '', ...lines] = all.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n')
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(first) ?? []
  if (status === undefined) return undefined
  const headers = lines.map((line) => line.split(/: ?(.*)/, 2)).map(lowerName)
  return {
    status: Number(status),
    headers: Object.fromEntries(headers),
    body: all.subarray(end + 4),
  }
}

const lowerName = ([name = '', value = '']: string[]) => [name.toLowerCase(), value] as const

/** Streams of one connection of HTTP/2, which begins anew after the server has ended it. */
export function createHttp2Client({ port, ca = '', name = 'localhost' }: Place) {
  let session: ClientHttp2Session | undefined
  const open = () => {
    if (session && !session.closed && !session.destroyed) return session
    session = connectHttp2(`https://${name}`, {
      createConnection: () =>
        connectTls({ host: '127.0.0.1', port, ca, servername: name, ALPNProtocols: ['h2'] }),
    })
    session.on('error', () => undefined)
    return session
  }
  const ask: AskRanges = async ({ path, headers }) => {
    const stream = open().request({ ':path': path, ...headers })
    let status: number | undefined
    let received: Readonly<Record<string, string | undefined>> = {}
    stream.once('response', (answer) => {
      const texts = Object.entries(answer).map(
        ([header, value]) => [header, String(value)] as const,
      )
      received = Object.fromEntries(texts)
      status = answer[':status']
    })
    const body = await buffer(stream).catch(() => undefined)
    return status === undefined || body === undefined
      ? undefined
      : { status, headers: received, body }
  }
  return { ask, close: () => session?.destroy() }
}

/** What is asked of a file of this size: well formed or not, overlapping, touching, outside, in any order. */
export function arbitraryRanges(sizeBytes: number): fc.Arbitrary<string[]> {
  const place = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: sizeBytes - 1 }) },
    { weight: 1, arbitrary: fc.integer({ min: sizeBytes - 2, max: sizeBytes + 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, 99_999_999_999) },
  )
  const length = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: sizeBytes }))
  const spec = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.tuple(place, length).map(([first, more]) => `${first}-${first + more}`),
    },
    { weight: 2, arbitrary: place.map((first) => `${first}-`) },
    { weight: 2, arbitrary: length.map((last) => `-${last}`) },
    { weight: 2, arbitrary: fc.constantFrom('', ' ', '\t') },
  )
  const broken = fc.constantFrom('-', '5-4', 'a-b', '1-2-3', '0x1-2', '+1-2', '1 - 2', '1')
  return fc
    .tuple(
      fc.array(spec, { minLength: 1, maxLength: 40 }),
      fc.option(broken, { freq: 12, nil: undefined }),
    )
    .map(([specs, fault]) => (fault === undefined ? specs : [...specs, fault]))
}

type Expected =
  | { status: 200 }
  | { status: 416 }
  | { status: 206; parts: { start: number; end: number }[] }

/**
 * What has to be answered, by painting each byte with the place of the first range that asks for it: a run of painted bytes is a
 * part, and stands where the first of its ranges stood.
 */
export function expectAnswer(specs: readonly string[], sizeBytes: number): Expected {
  const asked = specs.map((spec) => spec.trim()).filter((spec) => spec !== '')
  const read = asked.map((spec) => /^(\d*)-(\d*)$/.exec(spec))
  const isWrong = (found: RegExpExecArray | null) =>
    !found || found[0] === '-' || (found[1] && found[2] && Number(found[1]) > Number(found[2]))
  if (asked.length === 0 || read.some(isWrong)) return { status: 200 }
  const paint = Array.from<number | undefined>({ length: sizeBytes })
  read.forEach((found, place) => {
    const [, first = '', last = ''] = found ?? []
    const from = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first)
    const to = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
    for (let at = from; at <= to; at += 1) paint[at] = Math.min(place, paint[at] ?? place)
  })
  const runs: { start: number; end: number; place: number }[] = []
  paint.forEach((place, at) => {
    if (place === undefined) return
    const run = runs.at(-1)
    if (run?.end === at - 1) {
      run.end = at
      run.place = Math.min(run.place, place)
    } else runs.push({ start: at, end: at, place })
  })
  if (runs.length === 0) return { status: 416 }
  const parts = runs
    .toSorted((one, other) => one.place - other.place)
    .map(({ start, end }) => ({ start, end }))
  return { status: 206, parts }
}
