/** What stands at the limits of a chart: their texts, and handles of those that people move. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { formatValue } from '../../format/values.ts'
import css from './series-chart.module.css'

export interface Limit {
  id: string
  value: number
  /** What it is and who set it; may be a link. */
  text: ReactNode
  /** People move it, to this value. */
  onMove?: ((value: number) => void) | undefined
}

export interface ValueScale {
  low: number
  high: number
  placeOf: (value: number) => number
  valueAt: (place: number) => number
  ticks: number[]
  isShown: (value: number) => boolean
}

/** Texts of limits that would stand on one another move down by this. */
const TEXT_HEIGHT = 18

interface LimitTextsProps {
  limits: readonly Limit[]
  y: ValueScale
  left: number
  right: number
}

/** Beside the picture and not in it, so that links in them are links for everybody. */
export function LimitTexts({ limits, y, left, right }: LimitTextsProps) {
  const shown = limits
    .filter(({ value }) => y.isShown(value))
    .toSorted((a, b) => y.placeOf(a.value) - y.placeOf(b.value))
  const outside = limits.filter(({ value }) => !y.isShown(value))
  let below = -TEXT_HEIGHT
  return (
    <>
      {shown.map(({ id, value, text }) => {
        below = Math.max(y.placeOf(value) - TEXT_HEIGHT, below + TEXT_HEIGHT, 0)
        return (
          <span key={id} className={css['limitText']} style={{ top: below, left: left + 4 }}>
            {text}
          </span>
        )
      })}
      {outside.length > 0 && (
        <span className={css['outside']} style={{ right }}>
          {outside.map(({ id, text }) => (
            <span key={id}>{text} is not in this picture</span>
          ))}
        </span>
      )}
    </>
  )
}

interface LimitHandlesProps extends LimitTextsProps {
  label: string
}

/** By dragging, or with the arrow keys. What is moved is told when it is let go of. */
export function LimitHandles({ label, limits, y, left, right }: LimitHandlesProps) {
  return limits.map(({ id, value, onMove }) => {
    if (!onMove) return null
    const moved = { value, onMove, y, left, right }
    return <LimitHandle key={id} label={`Threshold of ${label}`} {...moved} />
  })
}

/** With Shift. */
const LARGE = 10

interface LimitHandleProps {
  label: string
  value: number
  y: ValueScale
  left: number
  right: number
  onMove: (value: number) => void
}

function LimitHandle(props: LimitHandleProps) {
  const { label, value, y, left, right, onMove } = props
  const { low, high, placeOf, valueAt } = y
  const [dragged, setDragged] = useState<number>()
  const step = chooseStep(Math.max(Math.abs(low), Math.abs(high)))
  const shown = dragged ?? value
  const valueOf = ({ clientY, currentTarget }: PointerEvent) => {
    const plot = currentTarget.parentElement?.getBoundingClientRect()
    const at = valueAt(clientY - (plot?.top ?? 0))
    return roundTo(Math.min(Math.max(at, low), high), step / LARGE)
  }
  const finish = () => {
    if (dragged !== undefined && dragged !== value) onMove(dragged)
    setDragged(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    onMove(roundTo(value + by * step * (event.shiftKey ? LARGE : 1), step / LARGE))
  }
  return (
    <>
      {dragged !== undefined && (
        <span
          className={css['moved']}
          style={{ top: placeOf(dragged), left, width: right - left }}
        />
      )}
      <span
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuemin={Math.min(low, shown)}
        aria-valuemax={Math.max(high, shown)}
        aria-valuenow={shown}
        aria-valuetext={formatValue(shown)}
        className={css['handle']}
        style={{ top: placeOf(Math.min(Math.max(shown, low), high)), left }}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragged(value)
        }}
        onPointerMove={(event) => {
          if (dragged !== undefined) setDragged(valueOf(event))
        }}
        onPointerUp={finish}
        onPointerCancel={() => setDragged(undefined)}
        onKeyDown={onKeyDown}
      >
        {dragged !== undefined && <b>{formatValue(dragged)}</b>}
      </span>
    </>
  )
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
}

/** 1 where values are as large as ten; else a tenth of their size. How far they span changes with each redrawing. */
function chooseStep(size: number): number {
  if (size === 0 || size >= LARGE) return 1
  return 10 ** (Math.floor(Math.log10(size)) - 1)
}

/** Without the noise of binary fractions. */
function roundTo(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toPrecision(12))
}
