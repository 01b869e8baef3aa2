/** The plot as something to point at and to choose a stretch of, by mouse, finger and keyboard. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import type { TimeScale } from '../scales.ts'
import css from './series-chart.module.css'
import { moveWindow, zoomWindow } from './time-window.ts'
import { findMin } from '../extremes.ts'

/** A shorter drag is a click. */
const LEAST_DRAG = 6

interface TimeCursorProps {
  label: string
  from: Date
  to: Date
  stepMs: number
  x: TimeScale
  left: number
  height: number
  at: Date | undefined
  /** The times of the rows, oldest first, in milliseconds since 1970. */
  times: readonly number[]
  /** What the row says, for those who do not see it. */
  textOf: (row: number) => string
  onAt: ((at: Date | undefined) => void) | undefined
  onZoom: ((from: Date, to: Date) => void) | undefined
}

interface Stretch {
  begin: Date
  end: Date
}

export function TimeCursor(props: TimeCursorProps) {
  const { label, from, to, x, left, height, at, times, textOf, onAt, onZoom } = props
  const [stretch, setStretch] = useState<Stretch>()
  const begun = useRef<Date>(undefined)
  const timeOf = ({ clientX, currentTarget }: PointerEvent) =>
    within(props, x.timeAt(left + clientX - currentTarget.getBoundingClientRect().left))
  const finish = (chosen: Stretch | undefined) => {
    begun.current = undefined
    setStretch(undefined)
    if (!chosen || !onZoom) return
    const [first, last] = inOrder(chosen)
    if (x.placeOf(last) - x.placeOf(first) >= LEAST_DRAG) onZoom(first, last)
  }
  const row = indexAt(times, at)
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={from.getTime()}
      aria-valuemax={to.getTime()}
      aria-valuenow={(at ?? to).getTime()}
      aria-valuetext={row === undefined ? 'no point' : textOf(row)}
      className={css['cursor']}
      style={{ left, width: x.right - left, height }}
      onPointerDown={(event) => {
        if (event.button !== 0 || !onZoom) return
        event.currentTarget.setPointerCapture(event.pointerId)
        begun.current = timeOf(event)
      }}
      onPointerMove={(event) => {
        const now = timeOf(event)
        onAt?.(now)
        if (begun.current) setStretch({ begin: begun.current, end: now })
      }}
      onPointerUp={() => finish(stretch)}
      onPointerCancel={() => finish(undefined)}
      onPointerLeave={() => onAt?.(undefined)}
      onBlur={() => setStretch(undefined)}
      onKeyDown={(event) => onKey(event, { ...props, row, stretch, setStretch, finish })}
    >
      {at && <span className={css['line']} style={{ left: x.placeOf(at) - left }} />}
      {stretch && <Marked stretch={stretch} x={x} left={left} />}
    </div>
  )
}

function Marked({ stretch, x, left }: { stretch: Stretch; x: TimeScale; left: number }) {
  const [first, last] = inOrder(stretch)
  const begin = x.placeOf(first)
  return (
    <span
      className={css['stretch']}
      style={{ left: begin - left, width: Math.max(1, x.placeOf(last) - begin) }}
    />
  )
}

interface KeyboardCursor extends TimeCursorProps {
  row: number | undefined
  stretch: Stretch | undefined
  setStretch: (stretch: Stretch | undefined) => void
  finish: (chosen: Stretch | undefined) => void
}

function onKey(event: KeyboardEvent, keyed: KeyboardCursor): void {
  const act = ACTS[event.key]
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return
  // Escape closes what the chart stands in, unless there is a stretch to let go of.
  if (event.key === 'Escape' && !keyed.stretch) return
  event.preventDefault()
  event.stopPropagation()
  act(keyed, event.shiftKey)
}

const ACTS: Readonly<Record<string, (keyed: KeyboardCursor, isShift: boolean) => void>> = {
  ArrowLeft: (keyed, isShift) => step(keyed, -1, isShift),
  ArrowRight: (keyed, isShift) => step(keyed, 1, isShift),
  Home: (keyed, isShift) => goTo(keyed, 0, isShift),
  End: (keyed, isShift) => goTo(keyed, keyed.times.length - 1, isShift),
  Enter: ({ finish, stretch }) => finish(stretch),
  Escape: ({ setStretch }) => setStretch(undefined),
  '+': (keyed) => zoom(keyed, 0.5),
  '-': (keyed) => zoom(keyed, 2),
  PageUp: (keyed) => shift(keyed, -0.5),
  PageDown: (keyed) => shift(keyed, 0.5),
}

function step(keyed: KeyboardCursor, by: number, isShift: boolean): void {
  const { row, times } = keyed
  goTo(keyed, (row ?? times.length) + by, isShift)
}

function goTo(
  { times, at, onAt, stretch, setStretch }: KeyboardCursor,
  row: number,
  isShift: boolean,
): void {
  const time = times[Math.min(Math.max(row, 0), times.length - 1)]
  if (time === undefined) return
  const end = new Date(time)
  onAt?.(end)
  setStretch(isShift ? { begin: stretch?.begin ?? at ?? end, end } : undefined)
}

function zoom({ from, to, at, onZoom }: KeyboardCursor, factor: number): void {
  const middle = new Date((from.getTime() + to.getTime()) / 2)
  const { from: begin, to: end } = zoomWindow({ from, to }, at ?? middle, factor)
  onZoom?.(begin, end)
}

function shift({ from, to, onZoom }: KeyboardCursor, by: number): void {
  const { from: begin, to: end } = moveWindow({ from, to }, by)
  onZoom?.(begin, end)
}

function inOrder({ begin, end }: Stretch): [Date, Date] {
  return begin <= end ? [begin, end] : [end, begin]
}

function within({ from, to }: Pick<TimeCursorProps, 'from' | 'to'>, at: Date): Date {
  if (at < from) return from
  return at > to ? to : at
}

/** The row that is nearest, or undefined while the reader points at none. */
function indexAt(times: readonly number[], at: Date | undefined): number | undefined {
  if (!at || times.length === 0) return undefined
  const away = times.map((time) => Math.abs(time - at.getTime()))
  return away.indexOf(findMin(away))
}
