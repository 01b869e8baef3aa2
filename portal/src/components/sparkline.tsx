import css from './sparkline.module.css'
import { findMax } from './extremes.ts'

const WIDTH = 100
const HEIGHT = 20

/** A trend without axes; beside the number that it ends in. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return <span className={css['none']}>no history yet</span>
  const most = findMax(values, 1)
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 3)).toFixed(1)}`
  })
  return (
    <svg
      className={css['line']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
