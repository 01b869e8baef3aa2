/** The sums of the hours of a series in a day as few bytes. Every number comes back exactly. */
import { HOUR_MS } from '../instants.ts'
import { BitReader, BitWriter } from './bits.ts'
import { readDoubles, writeDoubles } from './doubles.ts'

/** In the order in which they are written: whoever needs the first ones does not read the others. */
const COLUMNS = ['sum', 'count', 'min', 'max', 'last', 'lastAt'] as const
export type SumColumn = (typeof COLUMNS)[number]

/** Columns of equal length, which have a place for each hour that has points. Instants are milliseconds since 1970. */
export type DaySums = Record<SumColumn, Float64Array> & {
  /** The hours of the day: 0 to 23, in order. */
  hours: readonly number[]
}

const HOURS = 24
/** Comes first, so that another scheme may follow later. */
const SCHEME = 1
const SCHEME_BITS = 4

/** `day` is when it begins. */
export function packDaySums(sums: DaySums, day: number): Uint8Array {
  const writer = new BitWriter()
  writer.write(SCHEME, SCHEME_BITS)
  writeHours(writer, sums.hours)
  for (const column of COLUMNS)
    writeDoubles(
      writer,
      // Relative to the begin of their hour, instants are small.
      column === 'lastAt'
        ? sums.lastAt.map((instant, at) => instant - beginOf(sums.hours[at], day))
        : sums[column],
      column === 'sum' || column === 'last',
    )
  return writer.take()
}

/** Columns behind `upTo` are left empty. */
export function unpackDaySums(bytes: Uint8Array, day: number, upTo: SumColumn = 'lastAt'): DaySums {
  const bits = new BitReader(bytes)
  const scheme = bits.read(SCHEME_BITS)
  if (scheme !== SCHEME) throw new RangeError(`packed sums have the unknown scheme ${scheme}`)
  const hours = readHours(bits)
  const none = new Float64Array(0)
  const read: Record<SumColumn, Float64Array> = {
    sum: none,
    count: none,
    min: none,
    max: none,
    last: none,
    lastAt: none,
  }
  for (const column of COLUMNS) {
    const values = readDoubles(bits, hours.length)
    read[column] =
      column === 'lastAt' ? values.map((since, at) => since + beginOf(hours[at], day)) : values
    if (column === upTo) break
  }
  return { hours, ...read }
}

const beginOf = (hour: number | undefined, day: number) => day + (hour ?? 0) * HOUR_MS

/** One bit that tells whether the day is whole, else one for each hour. */
function writeHours(writer: BitWriter, hours: readonly number[]): void {
  const isWhole = hours.length === HOURS
  writer.write(isWhole ? 1 : 0, 1)
  if (isWhole) return
  let bits = 0
  for (const hour of hours) bits |= 1 << hour
  writer.write(bits, HOURS)
}

const ALL_HOURS = Array.from({ length: HOURS }, (_, hour) => hour)

function readHours(bits: BitReader): readonly number[] {
  if (bits.read(1) === 1) return ALL_HOURS
  const written = bits.read(HOURS)
  return ALL_HOURS.filter((hour) => ((written >>> hour) & 1) === 1)
}

/** All hours of the parts. Of an hour that several have, the last one counts. */
export function joinDaySums(parts: readonly DaySums[]): DaySums {
  const [only] = parts
  if (only && parts.length === 1) return only
  const places = new Map<number, { part: DaySums; at: number }>()
  for (const part of parts)
    for (const [at, hour] of part.hours.entries()) places.set(hour, { part, at })
  const hours = [...places.keys()].toSorted((a, b) => a - b)
  const join = (column: SumColumn) =>
    Float64Array.from(hours, (hour) => {
      const place = places.get(hour)
      return place?.part[column][place.at] ?? NaN
    })
  return {
    hours,
    sum: join('sum'),
    count: join('count'),
    min: join('min'),
    max: join('max'),
    last: join('last'),
    lastAt: join('lastAt'),
  }
}
