/** What is taken out of tables, in the binary form in which PostgreSQL sends it. */
import { HOUR_MS } from '../../../formats/instants.ts'
import { joinPoints, type MetricPoints } from '../../../formats/metric-points/packed-points.ts'
import type { DaySums } from '../../../formats/metric-points/packed-sums.ts'
import type { RichPoint, TakenPoints } from './store.ts'

const WORD = 2 ** 32
const YEAR_2000 = Date.UTC(2000, 0, 1)

/** The points by time. */
export function sortTakenPoints({ times, sums, rich }: TakenPoints): MetricPoints {
  return joinPoints([plainPoints(times, sums), richPoints(rich ?? [])])
}

/** From microseconds since 2000. */
function readInstant(bytes: Buffer, at: number): number {
  const micros = bytes.readInt32BE(at) * WORD + bytes.readUInt32BE(at + 4)
  return YEAR_2000 + Math.round(micros / 1_000)
}

/** Numbers of 8 bytes each: time, sum, count, min, max, last, last_at. */
const HOUR_BYTES = 7 * 8

/** The hours of the day by time. */
export function readTakenHours(bytes: Buffer, day: Date): DaySums {
  const begins = Array.from({ length: bytes.length / HOUR_BYTES }, (_, row) => row * HOUR_BYTES)
  const rows = begins.toSorted((a, b) => readInstant(bytes, a) - readInstant(bytes, b))
  const column = (place: number) =>
    Float64Array.from(rows, (row) => bytes.readDoubleBE(row + 8 * place))
  return {
    hours: rows.map((row) => (readInstant(bytes, row) - day.getTime()) / HOUR_MS),
    sum: column(1),
    count: column(2),
    min: column(3),
    max: column(4),
    last: column(5),
    lastAt: Float64Array.from(rows, (row) => readInstant(bytes, row + 48)),
  }
}

function plainPoints(times: Buffer | null, sums: Buffer | null): MetricPoints {
  const amount = (times?.length ?? 0) / 8
  const made = { times: new Float64Array(amount), sums: new Float64Array(amount) }
  for (let at = 0; at < amount; at++) {
    made.times[at] = times ? readInstant(times, 8 * at) : 0
    made.sums[at] = sums?.readDoubleBE(8 * at) ?? 0
  }
  return { ...made, aggregates: new Map(), deviceTimes: new Map() }
}

function richPoints(rich: readonly RichPoint[]): MetricPoints {
  return {
    times: Float64Array.from(rich, ([time]) => time),
    sums: Float64Array.from(rich, ([, sum]) => Number(sum)),
    aggregates: new Map(
      rich.flatMap(([, sum, count, min, max], at) =>
        count === null
          ? []
          : [[at, { count, min: Number(min ?? sum), max: Number(max ?? sum) }] as const],
      ),
    ),
    deviceTimes: new Map(
      rich.flatMap(([, , , , , deviceTime], at) =>
        deviceTime === null ? [] : [[at, deviceTime] as const],
      ),
    ),
  }
}
