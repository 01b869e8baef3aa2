import { encode } from 'cborg'
import { describe, expect, it } from 'vitest'
import { decodeDeviceMessage, decodeSync, detectWireFormat, type MessageKind } from './decode.ts'
import { encodeDown } from './encode.ts'
import { LIMITS } from './limits.ts'
import { type Fault, MalformedMessage } from './malformed.ts'

const bytes = (text: string) => Buffer.from(text)
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const UPDATE_ID = '019a0000-0000-7000-8000-00000000000a'

function faultsOf(run: () => unknown): readonly Fault[] {
  try {
    run()
  } catch (error) {
    if (error instanceof MalformedMessage) return error.faults
    throw error
  }
  return []
}

const faults = (kind: MessageKind, message: unknown) =>
  faultsOf(() => decodeDeviceMessage(kind, bytes(JSON.stringify(message))))

interface MalformedCase {
  message: unknown
  pointer: string
}

describe('a message', () => {
  it.each`
    first   | expected     | because
    ${'7b'} | ${'json'}    | ${'{ begins an object'}
    ${'5b'} | ${'json'}    | ${'[ begins an array'}
    ${'0a'} | ${'json'}    | ${'JSON may begin with white space'}
    ${'ef'} | ${'json'}    | ${'a byte order mark precedes a text'}
    ${'80'} | ${'cbor'}    | ${'it is an empty array'}
    ${'bf'} | ${'cbor'}    | ${'it is a map of any length'}
    ${'d9'} | ${'cbor'}    | ${'it is a tag, such as self-described CBOR'}
    ${'22'} | ${undefined} | ${'no message is a text alone'}
    ${'01'} | ${undefined} | ${'no message is a number alone'}
    ${'f6'} | ${undefined} | ${'no message is null'}
    ${'dc'} | ${undefined} | ${'no such tag exists'}
    ${''}   | ${undefined} | ${'there is nothing'}
  `('that begins with $first is $expected, as $because', ({ first, expected }) => {
    expect(detectWireFormat(hex(first as string))).toBe(expected)
  })

  it('may say null for what it leaves out', () => {
    const message = { runId: 'r1', buildId: 'b1', firmware: null, attributes: { a: null, b: 1 } }

    const { session } = session1(JSON.stringify(message))

    expect(session).toEqual({ runId: 'r1', buildId: 'b1', attributes: { b: 1 } })
  })

  it('may hold members of a later version, which are ignored', () => {
    const { session } = session1('{"runId":"r1","buildId":"b1","mood":{"is":["good"]}}')

    expect(session).toEqual({ runId: 'r1', buildId: 'b1' })
  })

  it.each`
    text                                             | because
    ${''}                                            | ${'it is empty'}
    ${'{"runId":"r1","buildId":"b1"'}                | ${'it was cut'}
    ${'{"runId":"r1","buildId":"b1"}x'}              | ${'something follows'}
    ${'{"runId":"r1","runId":"r2","buildId":"b"}'}   | ${'a member is named twice'}
    ${'{"runId":"r1","buildId":"b","__proto__":{}}'} | ${'a member would be a prototype'}
    ${'{"runId":"r\\u0000","buildId":"b"}'}          | ${'no database keeps U+0000'}
    ${'{"runId":"\\ud800","buildId":"b"}'}           | ${'half a surrogate pair is not a character'}
    ${'{"runId":"r1","buildId":"b","a\\u0000":1}'}   | ${'no database keeps U+0000 in a name either'}
    ${'[]'}                                          | ${'an array is not a session'}
    ${'"runId"'}                                     | ${'a text is not a message'}
  `('is malformed when it is $text, as $because', ({ text }: { text: string }) => {
    expect(faultsOf(() => session1(text))).not.toEqual([])
  })

  it('counts members as members only where they are, not within texts', () => {
    const { session } = session1('{"runId":"a:b\\":{[","buildId":"\\\\","attributes":{"a:":":"}}')

    expect(session).toMatchObject({ runId: 'a:b":{[', attributes: { 'a:': ':' } })
  })

  it.each`
    encoded                                             | because
    ${'a265 72756e4964 62 7231 67 6275696c644964 61ff'} | ${'a text is not UTF-8'}
    ${'a2 65 72756e4964 62 7231 65 72756e4964 62 7232'} | ${'a key comes twice'}
    ${'a2 65 72756e4964 62 7231 67 6275696c644964'}     | ${'it was cut'}
    ${'a2 01 62 7231 67 6275696c644964 61 62'}          | ${'a key is not a text'}
    ${'a1 65 72756e4964 f7'}                            | ${'undefined is no value'}
    ${'a1 65 72756e4964 1bffffffffffffffff'}            | ${'the integer is beyond 2^53'}
    ${'a1 65 72756e4964 c24101'}                        | ${'big numbers are not taken'}
    ${'bf 65 72756e4964 62 7231'}                       | ${'the break is missing'}
    ${'7f 61 61 ff'}                                    | ${'a text alone, in pieces, is not a message'}
  `('of CBOR is malformed when it is $encoded, as $because', ({ encoded }: { encoded: string }) => {
    expect(faultsOf(() => decodeDeviceMessage('session', hex(encoded)))).not.toEqual([])
  })

  it.each`
    nest                                                                        | because
    ${(depth: number) => bytes('{"":'.repeat(depth) + '1' + '}'.repeat(depth))} | ${'objects of JSON count'}
    ${(depth: number) => hex('81'.repeat(depth) + '01')}                        | ${'arrays of CBOR count'}
    ${(depth: number) => hex('9f'.repeat(depth) + 'ff'.repeat(depth))}          | ${'arrays without a length count'}
    ${(depth: number) => hex('c0'.repeat(depth) + '01')}                        | ${'tags count'}
  `(
    'is malformed when it is nested too deeply, as $because',
    ({ nest }: { nest: (depth: number) => Buffer }) => {
      const deep = faultsOf(() => decodeSync(nest(LIMITS.depth + 1)))
      const endless = faultsOf(() => decodeSync(nest(40_000)))

      expect([deep, endless]).toMatchObject([
        [{ detail: expect.stringContaining('nested deeper') as string }],
        [{ detail: expect.stringContaining('nested deeper') as string }],
      ])
    },
  )

  it('is malformed when it is too large', () => {
    const large = JSON.stringify({ runId: 'r1', buildId: 'b1', more: 'x'.repeat(LIMITS.bytes) })

    expect(faultsOf(() => session1(large))).toMatchObject([{ pointer: '' }])
  })

  it('keeps a mark at the beginning of a text of CBOR', () => {
    const sent = { runId: '\uFEFFrun', buildId: 'häßlich 🚢' }

    const decoded = decodeDeviceMessage('session', encode(sent))

    expect(decoded).toEqual({ kind: 'session', session: sent })
  })
})

function session1(text: string) {
  const decoded = decodeDeviceMessage('session', bytes(text))
  if (decoded.kind !== 'session') throw new Error('another kind')
  return decoded
}

describe('a session', () => {
  it('says what runs', () => {
    const firmware = [{ slug: 'main', version: '2.0.0' }]

    const { session } = session1(JSON.stringify({ runId: 'r1', firmware }))

    expect(session).toEqual({ runId: 'r1', firmware })
  })

  it.each`
    message                                                                                 | pointer                            | because
    ${{ buildId: 'b' }}                                                                     | ${''}                              | ${'it has no run'}
    ${{ runId: 'r' }}                                                                       | ${''}                              | ${'it says nothing of what runs'}
    ${{ runId: '', buildId: 'b' }}                                                          | ${'/runId'}                        | ${'the run is empty'}
    ${{ runId: 5, buildId: 'b' }}                                                           | ${'/runId'}                        | ${'the run is a number'}
    ${{ runId: 'r'.repeat(129), buildId: 'b' }}                                             | ${'/runId'}                        | ${'the run is too long'}
    ${{ runId: 'r', firmware: [] }}                                                         | ${'/firmware'}                     | ${'a device runs something'}
    ${{ runId: 'r', firmware: [{ slug: 'main' }] }}                                         | ${'/firmware/0'}                   | ${'a version is missing'}
    ${{ runId: 'r', firmware: [{ slug: 'a', version: '1' }, { slug: 'a', version: '2' }] }} | ${'/firmware/1/slug'}              | ${'a slug comes twice'}
    ${{ runId: 'r', buildId: 'b', attributes: { a: [] } }}                                  | ${'/attributes/a'}                 | ${'an attribute is a list'}
    ${{ runId: 'r', buildId: 'b', attributes: { ['a'.repeat(65)]: 1 } }}                    | ${'/attributes/' + 'a'.repeat(65)} | ${'the name of an attribute is too long'}
  `('is malformed at "$pointer", as $because', ({ message, pointer }: MalformedCase) => {
    expect(faults('session', message)).toMatchObject([{ pointer }])
  })
})

describe('metrics', () => {
  const points = (message: unknown) => {
    const decoded = decodeDeviceMessage('metrics', bytes(JSON.stringify(message)))
    return decoded.kind === 'metrics' ? decoded.points : []
  }

  it('come as a list, each with its value, labels, time, number and run', () => {
    const point = { name: 'cpu.load', labels: { core: '0' }, value: 0.5, sequence: 7, runId: 'r1' }

    const [decoded] = points([{ ...point, timestamp: '2026-08-22T11:30:00.5+02:00' }])

    expect(decoded).toEqual({ ...point, timestamp: new Date('2026-08-22T09:30:00.500Z') })
  })

  it('come as an object with the run of all points that name none', () => {
    const decoded = points({
      runId: 'r1',
      points: [
        { name: 'a', value: 1 },
        { name: 'b', value: 2, runId: 'r0' },
      ],
    })

    expect(decoded.map(({ runId }) => runId)).toEqual(['r1', 'r0'])
  })

  it('take an aggregate beside the name or as the value', () => {
    const aggregate = { sum: 6, count: 3, min: 1, max: 3 }

    const decoded = points([
      { name: 'a', ...aggregate },
      { name: 'a', value: aggregate },
    ])

    expect(decoded).toEqual([
      { name: 'a', aggregate },
      { name: 'a', aggregate },
    ])
  })

  it.each`
    message                                                       | pointer            | because
    ${{ name: 'a' }}                                              | ${'/0'}            | ${'there is no value'}
    ${{ name: 'a', value: '1' }}                                  | ${'/0/value'}      | ${'a text is not a number'}
    ${{ name: 'a', value: true }}                                 | ${'/0/value'}      | ${'true is not a number'}
    ${{ name: 'a', value: 1, sum: 1 }}                            | ${'/0'}            | ${'it is either one value or several'}
    ${{ name: 'a', sum: 1, count: 1, min: 1 }}                    | ${'/0'}            | ${'the greatest is missing'}
    ${{ name: 'a', sum: 0, count: 0, min: 0, max: 0 }}            | ${'/0/count'}      | ${'none were counted'}
    ${{ name: 'a', sum: 3, count: 2, min: 2, max: 1 }}            | ${'/0'}            | ${'the least is above the greatest'}
    ${{ name: '', value: 1 }}                                     | ${'/0/name'}       | ${'the name is empty'}
    ${{ name: 'über', value: 1 }}                                 | ${'/0/name'}       | ${'names are ASCII'}
    ${{ name: 'a', value: 1, sequence: -1 }}                      | ${'/0/sequence'}   | ${'numbers count up from 0'}
    ${{ name: 'a', value: 1, sequence: 0.5 }}                     | ${'/0/sequence'}   | ${'numbers are whole'}
    ${{ name: 'a', value: 1, sequence: 2 ** 53 }}                 | ${'/0/sequence'}   | ${'2^53 is no longer exact'}
    ${{ name: 'a', value: 1, timestamp: '2026-02-30T00:00:00Z' }} | ${'/0/timestamp'}  | ${'the day does not exist'}
    ${{ name: 'a', value: 1, timestamp: '2026-08-22 09:30' }}     | ${'/0/timestamp'}  | ${'it is not RFC 3339'}
    ${{ name: 'a', value: 1, timestamp: 1_787_000_000 }}          | ${'/0/timestamp'}  | ${'JSON has no time but as text'}
    ${{ name: 'a', value: 1, labels: { a: 1 } }}                  | ${'/0/labels/a'}   | ${'labels are texts'}
    ${{ name: 'a', value: 1, labels: { 'a b': '1' } }}            | ${'/0/labels/a b'} | ${'the name of a label has a space'}
    ${{ name: 'a', value: 1, labels: manyLabels(17) }}            | ${'/0/labels'}     | ${'there are too many labels'}
  `('are malformed at "$pointer", as $because', ({ message, pointer }: MalformedCase) => {
    const found = faults('metrics', [message]).map((fault) => fault.pointer)

    expect(found).toContain(pointer)
  })

  it.each(['1e400', '-1e400', 'NaN', 'Infinity'])('are malformed with the value %s', (value) => {
    const message = bytes(`[{"name":"a","value":${value}}]`)

    expect(faultsOf(() => decodeDeviceMessage('metrics', message))).not.toEqual([])
  })

  it.each(['f97c00', 'f97e00', 'fa7f800000', 'fb7ff8000000000000'])(
    'are malformed with the CBOR value %s, which is not finite',
    (value) => {
      const message = hex(`81 a2 64 6e616d65 61 61 65 76616c7565 ${value}`)

      expect(faultsOf(() => decodeDeviceMessage('metrics', message))).not.toEqual([])
    },
  )

  it.each`
    time                                                | expected                      | because
    ${'c0 74 323032362d30382d32325430393a33303a30305a'} | ${'2026-08-22T09:30:00.000Z'} | ${'tag 0 is a text'}
    ${'c1 1a 6a896c18'}                                 | ${'2026-08-22T09:30:00.000Z'} | ${'tag 1 is seconds'}
    ${'c1 fb 41daa25b06200000'}                         | ${'2026-08-22T09:30:00.500Z'} | ${'tag 1 may have a fraction'}
    ${'c1 20'}                                          | ${'1969-12-31T23:59:59.000Z'} | ${'a clock may be before 1970'}
  `('take the CBOR time $time, as $because', ({ time, expected }) => {
    const message = hex(
      `81 a3 64 6e616d65 61 61 65 76616c7565 01 69 74696d657374616d70 ${String(time)}`,
    )

    const decoded = decodeDeviceMessage('metrics', message)

    expect(decoded).toMatchObject({ points: [{ timestamp: new Date(String(expected)) }] })
  })

  it('take a leap second and a clock that is far off', () => {
    const stamp = (timestamp: string) => points([{ name: 'a', value: 1, timestamp }])[0]?.timestamp

    expect(stamp('2016-12-31T23:59:60Z')).toEqual(new Date('2016-12-31T23:59:59Z'))
    expect(stamp('1970-01-01T00:00:07Z')).toEqual(new Date(7000))
    expect(stamp('2159-01-01T00:00:00Z')).toEqual(new Date('2159-01-01T00:00:00Z'))
  })

  it('round the integers beyond 2^53 of CBOR as those of JSON, save where they have to be exact', () => {
    const value = hex('81 a2 64 6e616d65 61 61 65 76616c7565 1bffffffffffffffff')
    const sequence = [{ name: 'a', value: 1, sequence: 2n ** 53n + 1n }]

    expect(decodeDeviceMessage('metrics', value)).toMatchObject({ points: [{ value: 2 ** 64 }] })
    expect(points([{ name: 'a', value: 2 ** 64 }])).toMatchObject([{ value: 2 ** 64 }])
    expect(faultsOf(() => decodeDeviceMessage('metrics', encode(sequence)))).toMatchObject([
      { pointer: '/0/sequence' },
    ])
  })

  it('are bounded in number', () => {
    const many = (count: number) => Array.from({ length: count }, () => ({ name: 'a', value: 1 }))

    expect(points(many(LIMITS.points))).toHaveLength(LIMITS.points)
    expect(faults('metrics', many(LIMITS.points + 1))).toMatchObject([{ pointer: '' }])
    expect(faults('metrics', { points: many(LIMITS.points + 1) })).toMatchObject([
      { pointer: '/points' },
    ])
  })
})

function manyLabels(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, 'x']))
}

describe('logs', () => {
  it('come as a list or an object, like metrics', () => {
    const line = { severity: 'Warning', message: 'low voltage', sequence: 1 }

    const list = decodeDeviceMessage('logs', bytes(JSON.stringify([line])))
    const object = decodeDeviceMessage('logs', encode({ runId: 'r1', lines: [line] }))

    expect(list).toEqual({ kind: 'logs', lines: [line] })
    expect(object).toEqual({ kind: 'logs', lines: [{ ...line, runId: 'r1' }] })
  })

  it.each`
    message                                              | pointer          | because
    ${{ severity: 'warning', message: '' }}              | ${'/0/severity'} | ${'severities are spelt exactly'}
    ${{ severity: 'Info' }}                              | ${'/0'}          | ${'there is no text'}
    ${{ severity: 'Info', message: 'x'.repeat(16_385) }} | ${'/0/message'}  | ${'the text is too long'}
  `('are malformed at "$pointer", as $because', ({ message, pointer }: MalformedCase) => {
    expect(faults('logs', [message])).toMatchObject([{ pointer }])
  })
})

describe('the state of an update', () => {
  it('comes with progress, rounded down, and a reason', () => {
    const message = {
      updateId: UPDATE_ID.toUpperCase(),
      state: 'inProgress',
      progress: 99.9,
      reason: 'writing',
    }

    const decoded = decodeDeviceMessage('update', bytes(JSON.stringify(message)))

    expect(decoded).toEqual({
      kind: 'update',
      update: { updateId: UPDATE_ID, state: 'inProgress', progress: 99, reason: 'writing' },
    })
  })

  it.each`
    message                                                        | pointer        | because
    ${{ updateId: 'x', state: 'failed' }}                          | ${'/updateId'} | ${'the id is none of ours'}
    ${{ updateId: UPDATE_ID, state: 'done' }}                      | ${'/state'}    | ${'there is no such state'}
    ${{ updateId: UPDATE_ID, state: 'pending' }}                   | ${'/state'}    | ${'only the service says pending'}
    ${{ updateId: UPDATE_ID, state: 'inProgress', progress: 101 }} | ${'/progress'} | ${'more than all is impossible'}
  `('is malformed at "$pointer", as $because', ({ message, pointer }: MalformedCase) => {
    expect(faults('update', message)).toMatchObject([{ pointer }])
  })
})

describe('the reported configuration', () => {
  it.each`
    message                                                 | pointer
    ${{ logSeverity: 'Verbose' }}                           | ${'/logSeverity'}
    ${{ acknowledgedDesiredConfigurationVersion: 1.5 }}     | ${'/acknowledgedDesiredConfigurationVersion'}
    ${{ acknowledgedDesiredConfigurationVersion: -1 }}      | ${'/acknowledgedDesiredConfigurationVersion'}
    ${{ acknowledgedDesiredConfigurationVersion: 2 ** 31 }} | ${'/acknowledgedDesiredConfigurationVersion'}
  `('is malformed at $pointer when it is $message', ({ message, pointer }: MalformedCase) => {
    expect(faults('config', message)).toMatchObject([{ pointer }])
  })

  it('takes 1.0 of CBOR for a whole number, as encoders of scripting languages send it', () => {
    const message = { acknowledgedDesiredConfigurationVersion: 3 }

    const decoded = decodeDeviceMessage('config', encode(message, { float64: true }))

    expect(decoded).toEqual({ kind: 'config', config: message })
  })
})

describe('a sync', () => {
  it('is nothing but a sign of life when it is empty', () => {
    expect([decodeSync(bytes('')), decodeSync(bytes('{}')), decodeSync(hex('a0'))]).toEqual([
      [],
      [],
      [],
    ])
  })

  it('gives its messages in the order they are to be handled', () => {
    const body = {
      update: { updateId: UPDATE_ID, state: 'succeeded' },
      logs: [],
      metrics: { runId: 'r', points: [] },
      config: {},
      session: { runId: 'r', buildId: 'b' },
    }

    const messages = decodeSync(bytes(JSON.stringify(body)))

    expect(messages.map(({ kind }) => kind)).toEqual([
      'session',
      'config',
      'metrics',
      'logs',
      'update',
    ])
  })

  it('names the faults of all its messages', () => {
    const body = { session: { runId: 'r' }, metrics: [{ name: 'a' }], logs: { lines: [{}] } }

    const found = faultsOf(() => decodeSync(bytes(JSON.stringify(body))))

    expect(found.map(({ pointer }) => pointer)).toEqual(['/session', '/metrics/0', '/logs/lines/0'])
  })

  it('is malformed when it is not an object', () => {
    expect(faultsOf(() => decodeSync(bytes('[]')))).toMatchObject([{ pointer: '' }])
  })
})

it('says to devices in CBOR what it says in JSON', () => {
  const answer = { config: { version: 2, logSeverity: 'Debug' as const }, update: null }

  expect(JSON.parse(Buffer.from(encodeDown(answer, 'json')).toString())).toEqual(answer)
  expect(Buffer.from(encodeDown(answer, 'cbor')).toString('hex')).toBe(
    Buffer.from(encode(answer)).toString('hex'),
  )
})
