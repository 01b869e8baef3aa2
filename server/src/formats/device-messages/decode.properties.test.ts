import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { decodeDeviceMessage, decodeSync, type WireFormat, type MessageKind } from './decode.ts'
import { MalformedMessage } from './malformed.ts'
import { cleanName } from '../one-line-name.ts'
import { type DeviceMessage, LOG_SEVERITIES, type SessionMessage } from './model.ts'

const text = (maxLength: number, minLength = 1) =>
  fc
    .string({ unit: 'grapheme', minLength, maxLength })
    .filter(
      (one) => !one.includes('\u0000') && one.isWellFormed() && Array.from(one).length <= maxLength,
    )
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.:/-]{0,20}$/)
// JSON has no negative zero, and CBOR does.
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0)
const time = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  .map((one) => one.toISOString())

const optional = { noNullPrototype: true }
const origin = {
  labels: fc.dictionary(name, text(20, 0), { maxKeys: 16, ...optional }),
  timestamp: time,
  sequence: fc.maxSafeNat(),
  runId: text(20),
}
const aggregate = fc
  .tuple(finite, fc.integer({ min: 1 }), finite, finite)
  .map(([sum, count, one, other]) => ({
    sum,
    count,
    min: Math.min(one, other),
    max: Math.max(one, other),
  }))

/** As sent, and as it is to be understood. */
interface SentMessage {
  kind: MessageKind
  wire: unknown
  understood: DeviceMessage
}

const withTime = <One extends { timestamp?: string }>({ timestamp, ...rest }: One) => ({
  ...rest,
  ...(timestamp !== undefined && { timestamp: new Date(timestamp) }),
})

/** Names are read as they are meant. */
function sessionOf({
  firmware,
  buildId,
  ...rest
}: SessionMessage & { buildId: string }): DeviceMessage {
  const meant = firmware?.map(({ slug, version }) => ({ slug, version: cleanName(version) }))
  const session = { ...rest, ...(meant && { firmware: meant }), buildId: cleanName(buildId) }
  return { kind: 'session', session }
}

const session: fc.Arbitrary<SentMessage> = fc
  .record(
    {
      runId: text(128),
      firmware: fc.uniqueArray(fc.record({ slug: text(30), version: text(30) }, optional), {
        selector: ({ slug }) => slug,
        minLength: 1,
        maxLength: 5,
      }),
      buildId: text(40),
      attributes: fc.dictionary(
        text(20).filter((one) => one !== '__proto__'),
        fc.oneof(text(20, 0), finite, fc.boolean()),
        { maxKeys: 5, ...optional },
      ),
    },
    { requiredKeys: ['runId', 'buildId'], ...optional },
  )
  .map((one) => ({ kind: 'session', wire: one, understood: sessionOf(one) }))

const severity = fc.constantFrom(...LOG_SEVERITIES)
const config: fc.Arbitrary<SentMessage> = fc
  .record(
    {
      logSeverity: severity,
      compiledLogSeverity: severity,
      acknowledgedDesiredConfigurationVersion: fc.nat(),
    },
    { requiredKeys: [], ...optional },
  )
  .map((one) => ({ kind: 'config', wire: one, understood: { kind: 'config', config: one } }))

const metrics: fc.Arbitrary<SentMessage> = fc
  .array(
    fc.tuple(
      fc.record({ name, ...origin }, { requiredKeys: ['name'], ...optional }),
      fc.oneof(
        finite.map((value) => ({ wire: { value }, understood: { value } })),
        aggregate.map((all) => ({ wire: all, understood: { aggregate: all } })),
        aggregate.map((all) => ({ wire: { value: all }, understood: { aggregate: all } })),
      ),
    ),
    { maxLength: 5 },
  )
  .map((points) => ({
    kind: 'metrics',
    wire: points.map(([point, measured]) => ({ ...point, ...measured.wire })),
    understood: {
      kind: 'metrics',
      points: points.map(([point, measured]) => ({ ...withTime(point), ...measured.understood })),
    },
  }))

const logs: fc.Arbitrary<SentMessage> = fc
  .array(
    fc.record(
      { severity, message: text(200, 0), ...origin },
      { requiredKeys: ['severity', 'message'], ...optional },
    ),
    { maxLength: 5 },
  )
  .map((lines) => ({
    kind: 'logs',
    wire: lines,
    understood: { kind: 'logs', lines: lines.map(withTime) },
  }))

const update: fc.Arbitrary<SentMessage> = fc
  .record(
    {
      updateId: fc.uuid(),
      state: fc.constantFrom('inProgress' as const, 'succeeded' as const, 'failed' as const),
      progress: fc.integer({ min: 0, max: 100 }),
      reason: text(50, 0),
    },
    { requiredKeys: ['updateId', 'state'], ...optional },
  )
  .map((one) => ({ kind: 'update', wire: one, understood: { kind: 'update', update: one } }))

const sent = fc.oneof(session, config, metrics, logs, update)
const KINDS: readonly MessageKind[] = ['session', 'config', 'metrics', 'logs', 'update']

const json = (wire: unknown) => Buffer.from(JSON.stringify(wire))
const inEncoding = (wire: unknown, encoding: WireFormat) =>
  encoding === 'json' ? json(wire) : encode(wire)

describe.each(['json', 'cbor'] as const)('in %s', (encoding) => {
  it('what is sent is what is understood, stated or told by the first byte', () => {
    fc.assert(
      fc.property(sent, ({ kind, wire, understood }) => {
        const bytes = inEncoding(wire, encoding)

        expect(decodeDeviceMessage(kind, bytes)).toEqual(understood)
        expect(decodeDeviceMessage(kind, bytes, encoding)).toEqual(understood)
      }),
    )
  })

  it('a sync is its messages', () => {
    fc.assert(
      fc.property(fc.uniqueArray(sent, { selector: ({ kind }) => kind }), (messages) => {
        const body = Object.fromEntries(messages.map(({ kind, wire }) => [kind, wire]))

        const decoded = decodeSync(inEncoding(body, encoding))

        const expected = KINDS.flatMap((kind) => messages.filter((one) => one.kind === kind))
        expect(decoded).toEqual(expected.map(({ understood }) => understood))
      }),
    )
  })

  it('a message with some of its bytes changed is understood or malformed, nothing else', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(sent, changes, ({ kind, wire }, changed) => {
        const bytes = Uint8Array.from(inEncoding(wire, encoding))
        for (const [at, byte] of changed) bytes[at % bytes.length] = byte

        expect(outcome(() => decodeDeviceMessage(kind, bytes))).toMatch(/^(understood|malformed)$/)
      }),
      { numRuns: propertyRuns(500) },
    )
  })
})

it('random bytes are understood or malformed, nothing else', () => {
  const kinds = fc.constantFrom(...KINDS)
  const encodings = fc.constantFrom('json' as const, 'cbor' as const, undefined)
  fc.assert(
    fc.property(kinds, encodings, fc.uint8Array({ maxLength: 200 }), (kind, encoding, bytes) => {
      const outcomes = [
        outcome(() => decodeDeviceMessage(kind, bytes, encoding)),
        outcome(() => decodeSync(bytes, encoding)),
      ]

      expect(outcomes.every((one) => one === 'understood' || one === 'malformed')).toBe(true)
    }),
    { numRuns: propertyRuns(2_000) },
  )
})

it('any value is understood or malformed alike in both encodings', () => {
  const values = fc.oneof(
    fc.jsonValue({ depthSize: 'small' }).map(withoutNegativeZero),
    fc.dictionary(
      fc.constantFrom(...KINDS, 'runId', 'points', 'name'),
      fc.jsonValue().map(withoutNegativeZero),
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), values, (kind, value) => {
      const [inJson, inCbor] = (['json', 'cbor'] as const).map((encoding) =>
        outcome(() => decodeDeviceMessage(kind, inEncoding(value, encoding), encoding)),
      )

      expect(inCbor).toBe(inJson)
    }),
    { numRuns: propertyRuns(500) },
  )
})

/** As JSON.stringify would write it. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function outcome(run: () => unknown): string {
  try {
    run()
    return 'understood'
  } catch (error) {
    return error instanceof MalformedMessage ? 'malformed' : String(error)
  }
}
