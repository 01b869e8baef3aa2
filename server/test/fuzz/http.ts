/**
 * HTTP itself, byte by byte: wrong lengths and chunks, headers twice or not of one meaning, CR and LF, lines without end, bytes
 * that are no UTF-8, requests behind requests.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { type Door, ended, Fault, openDoor } from './door.ts'
import { type HttpAnswer, isWithoutBody, readAnswers } from './http-answers.ts'
import { judge, withIds, type World } from './world.ts'

/** Each character is a byte (latin1), and names of ids stand in `{{…}}`. */
interface RawRequest {
  line: string
  headers: string[]
  body: string
  /** What ends a line. */
  eol: string
}

interface HttpCase {
  requests: RawRequest[]
  /** Only so much is sent: this part of all bytes. 1: all. */
  part: number
}

/** Behind a body whose end is not clear, as somebody would smuggle it past a proxy. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n'

const often = <Value>(usual: Value, ...odd: Value[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: odd.length * 2 }, fc.constantFrom(...odd))

const methods = often('POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'get', 'G ET', '', 'PRI', 'X\x00')
const targets = often(
  '/workspaces/{{mine.workspaceId}}/devices',
  '/whoami',
  '*',
  'http://other.example/whoami',
  'other.example:443',
  '//other.example/whoami',
  '/\xff\xfe/%ff%00',
  '/\xc3\xbc',
  '/who ami',
  '/whoami#part',
  '/\\..\\whoami',
  '/who\tami',
  '',
  `/${'a'.repeat(20_000)}`,
  `/whoami?${'a=1&'.repeat(6_000)}`,
)
const versions = often(
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.1 ',
  'http/1.1',
  'HTTP/1.1\x0b',
  '',
)
const lines = fc.oneof(
  {
    arbitrary: fc.tuple(methods, targets, versions).map((parts) => parts.join(' ')),
    weight: 12,
  },
  fc.constantFrom('GET\t/whoami\tHTTP/1.1', 'GET  /whoami  HTTP/1.1', '\r', '\x16\x03\x01\x02\x00'),
)

const JSON_BODY = '{"id":"raw"}'
const CHUNKED = `c\r\n${JSON_BODY}\r\n0\r\n\r\n`

const lengths = fc
  .constantFrom(
    '12',
    '3',
    '40',
    '012',
    '+12',
    '-1',
    '12, 12',
    '12,3',
    '0x0c',
    '1e1',
    '',
    '9'.repeat(30),
  )
  .map((length) => `content-length: ${length}`)
const encodings = fc.constantFrom(
  'transfer-encoding: chunked',
  'Transfer-Encoding: Chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: xchunked',
  'transfer-encoding: "chunked"',
  'transfer-encoding:\x0bchunked',
  'transfer-encoding : chunked',
  ' transfer-encoding: chunked',
  'transfer-encoding:\r\n chunked',
  'transfer-encoding: x\r\n\tchunked',
  'transfer-encoding: chunked\x00',
  'transfer_encoding: chunked',
  'x: y\rtransfer-encoding: chunked',
  'x: y\ntransfer-encoding: chunked',
)
const others = fc.constantFrom(
  'host: b',
  'host: a b',
  'host:',
  'expect: 100-continue',
  'expect: 200-ok',
  'connection: close, content-length',
  'connection: upgrade, http2-settings',
  'upgrade: h2c',
  'upgrade: websocket',
  'x-forwarded-for: \xff',
  'authorization: Bearer {{theirs.apiKey}}',
  'authorization: ',
  'cookie: plimsoll_session=\xff\x00',
  'cookie: a=b\r\nset-cookie: c=d',
  'content-type: application/json; charset=\xff',
  'content-encoding: gzip, chunked',
  ': no name',
  'no colon',
  '\xff: x',
  'x\x00: y',
  'trailer: content-length',
  `x: ${'y'.repeat(20_000)}`,
  Array.from({ length: 2_100 }, (_, index) => `x${index}: y`).join('\r\n'),
)
const bodies = fc.oneof(
  { arbitrary: fc.constantFrom(JSON_BODY, CHUNKED, ''), weight: 4 },
  fc.constantFrom(
    `${JSON_BODY}${SMUGGLED}`,
    `${CHUNKED}${SMUGGLED}`,
    `0\r\n\r\n${SMUGGLED}`,
    `C;a=b\r\n${JSON_BODY}\r\n0\r\n\r\n`,
    `c;${'a'.repeat(20_000)}\r\n${JSON_BODY}\r\n0\r\n\r\n`,
    `c;a="\n"\r\n${JSON_BODY}\r\n0\r\n\r\n`,
    ` c\r\n${JSON_BODY}\r\n0\r\n\r\n`,
    `0xc\r\n${JSON_BODY}\r\n0\r\n\r\n`,
    `-c\r\n${JSON_BODY}\r\n0\r\n\r\n`,
    `c\n${JSON_BODY}\n0\n\n`,
    `c\r\n${JSON_BODY}0\r\n\r\n`,
    `${'f'.repeat(17)}\r\n${JSON_BODY}`,
    `c\r\n${JSON_BODY}\r\n0\r\ncontent-length: 5\r\n\r\n`,
    `c\r\n${JSON_BODY}\r\n0\r\n${'x: y\r\n'.repeat(3_000)}\r\n`,
    '\x00'.repeat(100),
    '\xef\xbb\xbf{"id":"\xff"}',
  ),
)

const requests: fc.Arbitrary<RawRequest> = fc.record(
  {
    line: lines,
    headers: fc
      .tuple(
        often(['host: a'], []),
        often(['authorization: Bearer {{mine.apiKey}}'], []),
        often(['content-type: application/json'], []),
        fc.array(
          fc.oneof({ arbitrary: lengths, weight: 3 }, { arbitrary: encodings, weight: 3 }, others),
          {
            maxLength: 3,
          },
        ),
      )
      .map((all) => all.flat()),
    body: bodies,
    eol: often('\r\n', '\n', '\r', '\n\r'),
  },
  { noNullPrototype: true },
)

const cases: fc.Arbitrary<HttpCase> = fc.record(
  {
    requests: fc.array(requests, { minLength: 1, maxLength: 3 }),
    part: fc.oneof(
      { arbitrary: fc.constant(1), weight: 9 },
      fc.double({ min: 0, max: 1, noNaN: true }),
    ),
  },
  { noNullPrototype: true },
)

const textOf = ({ line, headers, body, eol }: RawRequest) =>
  `${[line, ...headers].join(eol)}${eol}${eol}${body}`

/**
 * Whether two readers could end the first request at different places (RFC 9112 section 6.3): it has to be refused, and nothing
 * after it may be answered.
 */
function isAmbiguous({ headers, eol }: RawRequest): boolean {
  const named = headers
    .flatMap((header) => header.split(/[\r\n]+/))
    .map((header) => {
      const colon = header.indexOf(':')
      return {
        name: header.slice(0, colon).trim().toLowerCase(),
        value: header.slice(colon + 1).trim(),
      }
    })
  const valuesOf = (name: string) => named.flatMap((one) => (one.name === name ? [one.value] : []))
  const [length, encoding] = [valuesOf('content-length'), valuesOf('transfer-encoding')]
  if (length.length + encoding.length === 0) return false
  return (
    length.length + encoding.length > 1 ||
    length.some((value) => !/^\d{1,15}$/.test(value)) ||
    encoding.some((value) => value.toLowerCase() !== 'chunked') ||
    eol !== '\r\n'
  )
}

export function httpDoor(world: World): Door {
  return openDoor({
    cases,
    run: async (one) => {
      const answers = await ended(exchange(world, one), 'a connection')
      answers.forEach((answer, index) => judgeAnswer(world, answer, index))
      const [first] = one.requests
      if (first && isAmbiguous(first)) refuseAnswered(answers)
    },
  })
}

/** Sends all, ends its side, and reads until the service ends its own. */
async function exchange(world: World, { requests: sent, part }: HttpCase): Promise<HttpAnswer[]> {
  const bytes = Buffer.from(withIds(world, sent.map(textOf).join('')), 'latin1')
  const socket = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true })
  // A service that refuses may reset the connection while we still send.
  socket.on('error', () => undefined)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'connect')
  const closed = new Promise((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, resolve)
  })
  socket.end(bytes.subarray(0, Math.ceil(bytes.length * part)))
  await closed
  socket.destroy()
  return readAnswers(Buffer.concat(chunks))
}

function judgeAnswer(world: World, answer: HttpAnswer, index: number): void {
  judge(world, `raw request ${index}`, answer)
  const { status, headers, text } = answer
  if (status < 400 || isWithoutBody(answer)) return
  const type = headers['content-type'] ?? 'nothing'
  if (!type.startsWith('application/problem+json'))
    throw new Fault(`answered ${status} with ${type}: ${text.slice(0, 200)}`)
  const problem = JSON.parse(text) as { status: number }
  if (problem.status !== status) throw new Fault(`answered ${status} with ${text.slice(0, 200)}`)
}

/** Where the body is found to be wrong after the answer, the connection ends with a 400. */
function refuseAnswered(answers: readonly HttpAnswer[]): void {
  const [first, next, more] = answers
  if (first && first.status < 400)
    throw new Fault(`accepted a request whose end is not clear: ${first.status}`)
  const isEnd = next?.status === 400 && next.headers['connection'] === 'close'
  if (more || (next && !isEnd))
    throw new Fault(`answered what follows a request whose end is not clear: ${next?.text}`)
}
