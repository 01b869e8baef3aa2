import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { BitReader, BitWriter } from './bits.ts'
import { readXor, writeXor } from './doubles.ts'
import { readExpGolomb, writeExpGolomb } from './integers.ts'
import { type MetricPoints, packPoints, unpackPoints } from './packed-points.ts'

const textOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')

function written(write: (bits: BitWriter) => void): Uint8Array {
  const bits = new BitWriter()
  write(bits)
  return bits.take()
}

// ITU-T H.264 (08/2021), table 9-2.
it.each`
  value | code
  ${0}  | ${'1'}
  ${1}  | ${'010'}
  ${2}  | ${'011'}
  ${3}  | ${'00100'}
  ${4}  | ${'00101'}
  ${5}  | ${'00110'}
  ${6}  | ${'00111'}
  ${7}  | ${'0001000'}
  ${8}  | ${'0001001'}
  ${9}  | ${'0001010'}
`('writes $value as the Exp-Golomb code $code', (row) => {
  const { value, code } = row as { value: number; code: string }
  const bytes = written((bits) => writeExpGolomb(bits, value, 0))

  expect(textOf(bytes)).toBe(code.padEnd(8, '0'))
  expect(readExpGolomb(new BitReader(bytes), 0)).toBe(value)
})

it('writes 12, 24, 24 with the bits of the example in the Gorilla paper', () => {
  // Gorilla, VLDB 2015, figure 2: 64 bits, then 14 (11 leading zeros, one meaningful bit), then one.
  const bytes = written((bits) => writeXor(bits, Float64Array.of(12, 24, 24)))

  const first = BigInt('0x4028000000000000').toString(2).padStart(64, '0')
  expect(textOf(bytes)).toBe([first, '11', '01011', '000001', '1', '0'].join('').padEnd(80, '0'))
})

it('reads the values of the Gorilla paper that it wrote', () => {
  // Figure 3, with the differences 0x0010…, 0x0016…, 0x0006…, 0x0069…
  const values = Float64Array.of(12, 24, 15, 12, 35, 15.5, 14.0625, 3.25, 8.625, 13.1)

  const bytes = written((bits) => writeXor(bits, values))

  expect(readXor(new BitReader(bytes), values.length)).toEqual(values)
})

const pointsOf = (rows: readonly (readonly [number, number])[]): MetricPoints => ({
  times: Float64Array.from(rows, ([time]) => time),
  sums: Float64Array.from(rows, ([, sum]) => sum),
  aggregates: new Map(),
  deviceTimes: new Map(),
})

const HOUR = Date.UTC(2026, 4, 20, 12)
/** A repeatable walk of steps between -1 and 1. */
const wave = (at: number) => Math.sin(at * 12.9898) + Math.sin(at * 4.1414) / 2

const oneDecimal = (at: number) => Math.round(213 + 20 * wave(at)) / 10
const minute = (at: number) => at * 60_000

describe('an hour of a gauge once a minute', () => {
  it.each([
    { what: 'one decimal', most: 70, timeOf: minute, valueOf: oneDecimal },
    {
      what: 'one decimal of a microcontroller',
      most: 70,
      timeOf: minute,
      valueOf: (at: number) => Math.fround(oneDecimal(at)),
    },
    {
      what: 'two decimals, jittered by 50 ms',
      most: 160,
      timeOf: (at: number) => minute(at) + Math.round(50 * wave(7 * at)),
      valueOf: (at: number) => Math.round(2_130 + 20 * wave(at)) / 100,
    },
    {
      what: 'a counter',
      most: 60,
      timeOf: minute,
      valueOf: (at: number) => 1_000_000 + at * 37 + (at % 3),
    },
    { what: 'a constant', most: 20, timeOf: minute, valueOf: () => 0.1 },
    { what: 'numbers that were never decimals', most: 520, timeOf: minute, valueOf: wave },
  ])('takes at most $most bytes: $what', ({ most, timeOf, valueOf }) => {
    const rows = Array.from({ length: 60 }, (_, at) => [HOUR + timeOf(at), valueOf(at)] as const)
    const points = pointsOf(rows)

    const bytes = packPoints(points, HOUR)

    expect(unpackPoints(bytes, HOUR)).toEqual(points)
    expect(bytes.length).toBeLessThanOrEqual(most)
  })
})

it('refuses what it does not know', () => {
  expect(() => unpackPoints(Uint8Array.of(0xf0), 0)).toThrow('unknown scheme 15')
  expect(() => unpackPoints(Uint8Array.of(0x10), 0)).toThrow('end too early')
})

const decimal = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: -12, max: 18 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
const Value = fc.oneof(
  decimal,
  decimal.map(Math.fround),
  fc.double(),
  fc.float(),
  fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 5e-324, Number.MAX_VALUE, 2 ** 53, 2 ** 48),
)
const Time = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((at) => HOUR + minute(at)),
  fc.integer({ min: HOUR, max: HOUR + 3_600_000 }),
  // Years 1 to 9999.
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_000 }),
)
const Column = (length: number) =>
  fc.oneof(
    fc.array(Value, { minLength: length, maxLength: length }),
    fc.array(decimal, { minLength: length, maxLength: length }),
    Value.map((value) => Array.from({ length }, () => value)),
  )
const Sparse = <One>(length: number, one: fc.Arbitrary<One>) =>
  fc.oneof(
    fc.constant(new Map<number, One>()),
    fc
      .array(fc.option(one, { nil: undefined }), { minLength: length, maxLength: length })
      .map((all) => new Map(all.flatMap((each, at) => (each ? [[at, each] as const] : [])))),
  )
const Points: fc.Arbitrary<MetricPoints> = fc.integer({ min: 0, max: 150 }).chain((length) =>
  fc.record({
    times: fc
      .array(Time, { minLength: length, maxLength: length })
      .map((times) => Float64Array.from(times)),
    sums: Column(length).map((values) => Float64Array.from(values)),
    aggregates: Sparse(
      length,
      fc.record({
        count: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        min: Value,
        max: Value,
      }),
    ),
    deviceTimes: Sparse(length, Time),
  }),
)

it('gives back exactly what was packed', () => {
  fc.assert(
    fc.property(Points, fc.constantFrom(0, HOUR, -HOUR), (points, origin) => {
      expect(unpackPoints(packPoints(points, origin), origin)).toEqual(points)
    }),
    { numRuns: propertyRuns(2_000) },
  )
})
