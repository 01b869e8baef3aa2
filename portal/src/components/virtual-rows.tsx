import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { useIsPrinting } from './printing.ts'
import css from './virtual-rows.module.css'

/** More of them make scrolling jerk, as all are drawn anew in one frame. */
const OVERSCAN = 4
const NEAR_END = 20

export interface VirtualRowsProps {
  count: number
  /** The height of a row, in pixels. */
  height: number
  label: string
  /** The row that is kept in sight; negative for none. */
  inSight?: number
  onEnd?: () => void
  children: (index: number) => ReactNode
}

/** The places of all rows, as they stand on paper. */
export const listAll = (count: number, height: number) =>
  Array.from({ length: count }, (_, index) => ({ index, start: index * height }))

/** A long list of which only what is in sight is in the page. */
export function VirtualRows({
  count,
  height,
  label,
  inSight = -1,
  onEnd,
  children,
}: VirtualRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
  })
  useEffect(() => {
    if (inSight >= 0) rows.scrollToIndex(inSight)
  }, [inSight, rows])
  const isPrinting = useIsPrinting()
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= count - NEAR_END) onEnd?.()
  }, [last, count, onEnd])
  return (
    <div ref={scroller} className={css['scroller']} data-scroll="">
      <ul aria-label={label} className={css['list']} style={{ height: rows.getTotalSize() }}>
        {(isPrinting ? listAll(count, height) : rows.getVirtualItems()).map(({ index, start }) => (
          <li
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)`, height }}
          >
            {children(index)}
          </li>
        ))}
      </ul>
    </div>
  )
}
