/** Where a table is, and which of its columns have room there. */
import { type RefObject, useLayoutEffect, useState } from 'react'

const CELL_GAP = 12
const ROW_PADDING = 16
/** What a track without a length of its own needs, so that its text is more than three letters. */
const FLEXIBLE_TRACK = 72
const CARDS_BELOW = 640

interface MeasuredColumn {
  width: string
  isWideOnly?: boolean
}

/** `All` columns, those that are needed, or one card a row. */
type Room = 'All' | 'Needed' | 'Cards'

export function findRoom(width: number, neededWidth: number): Room {
  if (width < CARDS_BELOW) return 'Cards'
  return width < neededWidth ? 'Needed' : 'All'
}

/** Of all columns, in pixels. */
export function findNeededWidth(columns: readonly MeasuredColumn[]): number {
  const tracks = columns.map(({ width }) => Number(/(\d+)px/.exec(width)?.[1] ?? FLEXIBLE_TRACK))
  const gaps = CELL_GAP * (columns.length - 1) + 2 * ROW_PADDING
  return tracks.reduce((sum, track) => sum + track, gaps)
}

interface Surroundings {
  /** What the table scrolls in. */
  scroller: HTMLElement | null
  /** How far down it begins there, in pixels. */
  margin: number
  room: Room
}

export function useSurroundings<Column extends MeasuredColumn>(
  table: RefObject<HTMLElement | null>,
  columns: readonly Column[],
  isPrinting: boolean,
) {
  const [found, setFound] = useState<Surroundings>({ scroller: null, margin: 0, room: 'All' })
  const { scroller, margin, room } = found
  const neededWidth = findNeededWidth(columns)
  useLayoutEffect(() => {
    const element = table.current
    if (!element) return undefined
    const around = element.closest<HTMLElement>('[data-scroll]')
    const measure = () => {
      const next = {
        scroller: around,
        margin: around === null ? 0 : findPlace(element, around),
        room: findRoom(element.clientWidth, neededWidth),
      }
      setFound((old) => (isAlike(old, next) ? old : next))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    if (around !== null) observer.observe(around.firstElementChild ?? around)
    measure()
    return () => observer.disconnect()
  }, [table, neededWidth])
  return {
    scroller,
    margin,
    isNarrow: room === 'Cards' && !isPrinting,
    columns:
      room === 'All' || isPrinting
        ? columns
        : columns.filter(({ isWideOnly = false }) => !isWideOnly),
  }
}

function findPlace(element: HTMLElement, scroller: HTMLElement): number {
  const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top
  return top + scroller.scrollTop
}

function isAlike(one: Surroundings, other: Surroundings): boolean {
  return (
    one.scroller === other.scroller &&
    Math.abs(one.margin - other.margin) < 1 &&
    one.room === other.room
  )
}
