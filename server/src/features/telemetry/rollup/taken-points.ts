import { joinPoints, type MetricPoints } from '../../../formats/metric-points/packed-points.ts'
import type { RichPoint, TakenPoints } from './store.ts'

const WORD = 2 ** 32
const YEAR_2000 = Date.UTC(2000, 0, 1)

/** The points by time. */
export function sortTakenPoints({ times, sums, rich }: TakenPoints): MetricPoints {
  return joinPoints([plainPoints(times, sums), richPoints(rich ?? [])])
}

function plainPoints(times: Buffer | null, sums: Buffer | null): MetricPoints {
  const amount = (times?.length ?? 0) / 8
  const made = { times: new Float64Array(amount), sums: new Float64Array(amount) }
  for (let at = 0; at < amount; at++) {
    const micros = (times?.readInt32BE(8 * at) ?? 0) * WORD + (times?.readUInt32BE(8 * at + 4) ?? 0)
    made.times[at] = YEAR_2000 + Math.round(micros / 1_000)
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
