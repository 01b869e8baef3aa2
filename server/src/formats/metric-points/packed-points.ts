/** The points of a series in an hour as few bytes. Every number comes back exactly, its sign and NaN included. */
import { BitReader, BitWriter } from './bits.ts'
import { readDoubles, writeDoubles } from './doubles.ts'
import { readExpGolomb, writeExpGolomb } from './integers.ts'

/** What a device added up itself. */
export interface PointAggregate {
  count: number
  min: number
  max: number
}

/** Columns of equal length. Few points have an aggregate or the time of a device, so these are lists with gaps. */
export interface MetricPoints {
  /** Milliseconds since 1970. */
  times: Float64Array
  /** The value itself, where there is no aggregate. */
  sums: Float64Array
  /** By the place of the point. */
  aggregates: ReadonlyMap<number, PointAggregate>
  /** What the clock of the device said, where that is not plausible, in milliseconds since 1970; by place. */
  deviceTimes: ReadonlyMap<number, number>
}

/** Comes first, so that another scheme may follow later. */
const SCHEME = 1
const SCHEME_BITS = 4
const AMOUNT_K = 6

/** `origin` is near the times, such as the begin of the hour. The points are written as they are ordered. */
export function packPoints(points: MetricPoints, origin: number): Uint8Array {
  const { times, sums, aggregates, deviceTimes } = points
  const writer = new BitWriter()
  writer.write(SCHEME, SCHEME_BITS)
  writeExpGolomb(writer, times.length, AMOUNT_K)
  writeDoubles(
    writer,
    times.map((time) => time - origin),
  )
  writeDoubles(writer, sums)
  const summed = writePlaces(writer, times.length, aggregates)
  for (const name of ['count', 'min', 'max'] as const)
    if (summed.length > 0)
      writeDoubles(
        writer,
        Float64Array.from(summed, (one) => one[name]),
      )
  const clocks = writePlaces(writer, times.length, deviceTimes)
  if (clocks.length > 0) writeDoubles(writer, Float64Array.from(clocks))
  return writer.take()
}

export function unpackPoints(bytes: Uint8Array, origin: number): MetricPoints {
  const bits = new BitReader(bytes)
  const scheme = bits.read(SCHEME_BITS)
  if (scheme !== SCHEME) throw new RangeError(`packed points have the unknown scheme ${scheme}`)
  const amount = readExpGolomb(bits, AMOUNT_K)
  const times = readDoubles(bits, amount)
  for (let at = 0; at < amount; at++) times[at] = (times[at] ?? 0) + origin
  const sums = readDoubles(bits, amount)
  return { times, sums, ...readSparse(bits, amount) }
}

function readSparse(bits: BitReader, amount: number) {
  const aggregates = new Map<number, PointAggregate>()
  const summed = readPlaces(bits, amount)
  if (summed.length > 0) {
    const [counts, mins, maxs] = [0, 1, 2].map(() => readDoubles(bits, summed.length))
    for (const [at, place] of summed.entries())
      aggregates.set(place, {
        count: counts?.[at] ?? 0,
        min: mins?.[at] ?? 0,
        max: maxs?.[at] ?? 0,
      })
  }
  const clocks = readPlaces(bits, amount)
  const read = clocks.length > 0 ? readDoubles(bits, clocks.length) : []
  const deviceTimes = new Map(clocks.map((place, at) => [place, read[at] ?? 0]))
  return { aggregates, deviceTimes }
}

/** One bit that tells whether there are any, then one for each point. Answers them in order. */
function writePlaces<One>(writer: BitWriter, amount: number, of: ReadonlyMap<number, One>): One[] {
  writer.write(of.size > 0 ? 1 : 0, 1)
  if (of.size === 0) return []
  const all: One[] = []
  for (let place = 0; place < amount; place++) {
    const one = of.get(place)
    writer.write(one === undefined ? 0 : 1, 1)
    if (one !== undefined) all.push(one)
  }
  return all
}

function readPlaces(bits: BitReader, amount: number): number[] {
  if (bits.read(1) === 0) return []
  const places: number[] = []
  for (let place = 0; place < amount; place++) if (bits.read(1) === 1) places.push(place)
  return places
}

/** All of them, by time. Points of one instant stay in their order. */
export function joinPoints(parts: readonly MetricPoints[]): MetricPoints {
  const all = concatenated(parts.filter(({ times }) => times.length > 0))
  const { times } = all
  if (times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0))) return all
  const order = Array.from(times.keys()).toSorted((a, b) => (times[a] ?? 0) - (times[b] ?? 0))
  const placeOf = new Map(order.map((from, to) => [from, to]))
  const moved = <One>(of: ReadonlyMap<number, One>) =>
    new Map(Array.from(of, ([place, one]) => [placeOf.get(place) ?? place, one]))
  return {
    times: Float64Array.from(order, (at) => times[at] ?? 0),
    sums: Float64Array.from(order, (at) => all.sums[at] ?? 0),
    aggregates: moved(all.aggregates),
    deviceTimes: moved(all.deviceTimes),
  }
}

function concatenated(parts: readonly MetricPoints[]): MetricPoints {
  const [only] = parts
  if (only && parts.length === 1) return only
  const length = parts.reduce((sum, { times }) => sum + times.length, 0)
  const [times, sums] = [new Float64Array(length), new Float64Array(length)]
  const [aggregates, deviceTimes] = [new Map<number, PointAggregate>(), new Map<number, number>()]
  let begin = 0
  for (const part of parts) {
    times.set(part.times, begin)
    sums.set(part.sums, begin)
    for (const [place, one] of part.aggregates) aggregates.set(begin + place, one)
    for (const [place, one] of part.deviceTimes) deviceTimes.set(begin + place, one)
    begin += part.times.length
  }
  return { times, sums, aggregates, deviceTimes }
}
