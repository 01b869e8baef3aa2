import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { type DaySums, joinDaySums, packDaySums, unpackDaySums } from './packed-sums.ts'

const HOUR = 3_600_000
const DAY = Date.UTC(2026, 4, 20)
const ALL_HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** The sums of a point a minute. */
function sumsOf(valueOf: (minute: number) => number): DaySums {
  const points = (hour: number) =>
    Array.from({ length: 60 }, (_, minute) => valueOf(hour * 60 + minute))
  const column = (of: (values: number[], hour: number) => number) =>
    Float64Array.from(ALL_HOURS, (hour) => of(points(hour), hour))
  return {
    hours: ALL_HOURS,
    sum: column((values) => values.reduce((sum, value) => sum + value, 0)),
    count: column(() => 60),
    min: column((values) => Math.min(...values)),
    max: column((values) => Math.max(...values)),
    last: column((values) => values.at(-1) ?? 0),
    lastAt: column((_, hour) => DAY + hour * HOUR + 59 * 60_000 + ((hour * 7919) % 1_000)),
  }
}

/** A repeatable walk of steps between -1 and 1. */
const wave = (at: number) => Math.sin(at * 12.9898) + Math.sin(at * 4.1414) / 2
const slow = (minute: number) => 21 + 5 * Math.sin((minute / 1_440) * 2 * Math.PI)
const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits

describe('the sums of a day of a gauge once a minute', () => {
  it.each([
    { what: 'one decimal', most: 150, valueOf: (at: number) => round(slow(at) + wave(at) / 4, 1) },
    { what: 'two decimals', most: 185, valueOf: (at: number) => round(slow(at) + wave(at) / 4, 2) },
    { what: 'a counter', most: 90, valueOf: (at: number) => 1_000_000 + at * 37 + (at % 3) },
    { what: 'a constant', most: 65, valueOf: () => 0.1 },
    {
      what: 'one decimal of a microcontroller',
      most: 215,
      valueOf: (at: number) => Math.fround(round(slow(at) + wave(at) / 4, 1)),
    },
    { what: 'numbers that were never decimals', most: 740, valueOf: wave },
  ])('take at most $most bytes: $what', ({ most, valueOf }) => {
    const sums = sumsOf(valueOf)

    const bytes = packDaySums(sums, DAY)

    expect(unpackDaySums(bytes, DAY)).toEqual(sums)
    expect(bytes.length).toBeLessThanOrEqual(most)
  })
})

it('refuses what it does not know', () => {
  expect(() => unpackDaySums(Uint8Array.of(0xf0), DAY)).toThrow('unknown scheme 15')
})

it('reads only the first columns, if it is told so', () => {
  const sums = sumsOf(slow)

  const { sum, count, min, lastAt } = unpackDaySums(packDaySums(sums, DAY), DAY, 'count')

  expect([sum, count]).toEqual([sums.sum, sums.count])
  expect([min.length, lastAt.length]).toEqual([0, 0])
})

const decimal = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: -8, max: 8 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
const Value = fc.oneof(
  decimal,
  fc.array(decimal, { maxLength: 20 }).map((all) => all.reduce((sum, one) => sum + one, 0)),
  fc.float(),
  fc.double(),
  fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 5e-324, 2 ** -1_022, 2 ** 53, 0.1 + 0.2),
)
const Column = (length: number, value: fc.Arbitrary<number>) =>
  fc
    .oneof(
      fc.array(value, { minLength: length, maxLength: length }),
      // Sums of tenths, which are a few units beside them.
      fc
        .array(fc.integer({ min: -500, max: 500 }), { minLength: length, maxLength: length })
        .map((all) => all.map((tenths) => tenths * 0.1)),
    )
    .map((values) => Float64Array.from(values))
const Hours = fc.oneof(fc.subarray(ALL_HOURS), fc.constant(ALL_HOURS))
const Sums: fc.Arbitrary<DaySums> = Hours.chain((hours) =>
  fc.record({
    hours: fc.constant(hours),
    sum: Column(hours.length, Value),
    count: Column(hours.length, fc.oneof(fc.integer({ min: 1, max: 9_999 }), Value)),
    min: Column(hours.length, Value),
    max: Column(hours.length, Value),
    last: Column(hours.length, Value),
    lastAt: fc
      .array(fc.integer({ min: 0, max: HOUR - 1 }), {
        minLength: hours.length,
        maxLength: hours.length,
      })
      .map((all) => Float64Array.from(all, (at, place) => DAY + (hours[place] ?? 0) * HOUR + at)),
  }),
)

it('gives back exactly what was packed', () => {
  fc.assert(
    fc.property(Sums, (sums) => {
      expect(unpackDaySums(packDaySums(sums, DAY), DAY)).toEqual(sums)
    }),
    { numRuns: propertyRuns(1_000) },
  )
})

it('joins the hours of a day, and takes each from the last part that has it', () => {
  fc.assert(
    fc.property(fc.array(Sums, { minLength: 1, maxLength: 4 }), (parts) => {
      const joined = joinDaySums(parts)

      const sumsByHour = new Map(
        parts.flatMap(({ hours, sum }) => hours.map((hour, at) => [hour, sum[at]] as const)),
      )
      expect(joined.hours).toEqual([...sumsByHour.keys()].toSorted((a, b) => a - b))
      expect([...joined.sum]).toEqual(joined.hours.map((hour) => sumsByHour.get(hour)))
    }),
    { numRuns: propertyRuns(300) },
  )
})
