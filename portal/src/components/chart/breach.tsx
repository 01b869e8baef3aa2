/** How long a threshold was crossed, and by how much: ground over the whole span, shading between each curve and the threshold. */
import { area } from 'd3-shape'
import css from './series-chart.module.css'
import { type ChartSeries, listStretches, type PointAt } from './series-shape.ts'

export interface Breach {
  from: Date
  to: Date
  threshold: number
  /** Values above the threshold are the ones that breach it. */
  isAbove: boolean
}

interface BreachAreaProps {
  breach: Breach
  series: readonly ChartSeries[]
  stepMs: number
  placeOfTime: (at: number) => number
  placeOfValue: (value: number) => number
  top: number
  bottom: number
}

export function BreachArea({ breach, series, stepMs, top, bottom, ...places }: BreachAreaProps) {
  const { placeOfTime, placeOfValue } = places
  const { threshold, isAbove } = breach
  const [from, to] = [breach.from.getTime(), breach.to.getTime()]
  const clamp = isAbove ? Math.max : Math.min
  const shape = area<PointAt>()
    .x(({ at }) => placeOfTime(at))
    .y0(placeOfValue(threshold))
    .y1(({ value }) => placeOfValue(clamp(value, threshold)))
  const paths = series.map(({ points }) => {
    const inside = points
      .map(({ time, value }) => ({ at: Date.parse(time), value }))
      .filter(({ at }) => at >= from && at <= to)
    return listStretches(inside, stepMs)
      .map((stretch) => shape(stretch) ?? '')
      .join('')
  })
  return (
    <>
      <rect
        className={css['breach']}
        x={placeOfTime(from)}
        y={top}
        width={Math.max(placeOfTime(to) - placeOfTime(from), 1)}
        height={bottom - top}
      />
      {paths.map((path, index) => (
        <path key={index} className={css['breachArea']} d={path} />
      ))}
    </>
  )
}
