/** A table of any length: only the rows in sight are in the page. On narrow screens each row is a card. */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import css from './data-table.module.css'

export interface Column<Row> {
  id: string
  title: ReactNode
  /** A track of a CSS grid: `120px`, `minmax(0, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
  /** The server's name of the order; without it the header is no button. */
  sort?: string
  /** Left out of cards. */
  isWideOnly?: boolean
}

export interface DataTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Opens the row; also by Enter. */
  onOpen?: (row: Row) => void
  sortedBy?: string | undefined
  isAscending?: boolean
  onSort?: (sort: string) => void
  onEnd?: () => void
  /** How many rows there are on the server. */
  totalCount?: number | undefined
}

const ROW = 36
const CARD = 76
const OVERSCAN = 15
const NEAR_END = 30

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, onOpen, onEnd, totalCount = rows.length } = props
  const table = useRef<HTMLDivElement>(null)
  const { scroller, margin, isNarrow } = useSurroundings(table)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: () => (isNarrow ? CARD : ROW),
    scrollMargin: margin,
    overscan: OVERSCAN,
  })
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - NEAR_END) onEnd?.()
  }, [last, rows.length, onEnd])
  useEffect(() => virtual.measure(), [isNarrow, virtual])
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  return (
    <div
      ref={table}
      className={css['table']}
      role="table"
      aria-label={label}
      aria-rowcount={totalCount + 1}
    >
      <div className={css['head']} role="row" style={tracks}>
        {columns.map((column) => (
          <Header key={column.id} column={column} {...props} />
        ))}
      </div>
      <div role="rowgroup" className={css['rows']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          return row === undefined ? null : (
            <div
              key={keyOf(row)}
              role="row"
              aria-rowindex={index + 2}
              className={`${css['row']} ${onOpen ? css['opens'] : ''}`}
              style={{ ...tracks, transform: `translateY(${start - margin}px)` }}
              onClick={() => onOpen?.(row)}
            >
              {columns.map((column) => (
                <Cell key={column.id} column={column} row={row} />
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return (
    <div
      role="cell"
      className={`${css['cell']} ${column.isNumber === true ? 'numbers' : ''} ${column.isWideOnly === true ? css['wideOnly'] : ''}`}
    >
      {column.cell(row)}
    </div>
  )
}

function Header<Row>({
  column,
  sortedBy,
  isAscending = false,
  onSort,
}: { column: Column<Row> } & DataTableProps<Row>) {
  const { sort, title, isNumber } = column
  const isSorted = sort !== undefined && sort === sortedBy
  const Arrow = isAscending ? IconArrowUp : IconArrowDown
  const order = isAscending ? 'ascending' : 'descending'
  return (
    <div
      role="columnheader"
      className={isNumber === true ? 'numbers' : undefined}
      aria-sort={isSorted ? order : undefined}
    >
      {sort === undefined || !onSort ? (
        title
      ) : (
        <button type="button" onClick={() => onSort(sort)}>
          {title}
          {isSorted && <Arrow size={12} aria-hidden="true" />}
        </button>
      )}
    </div>
  )
}

/** What the table scrolls in, how far down it begins there, and whether it shows cards. */
function useSurroundings(table: { current: HTMLDivElement | null }) {
  const [found, setFound] = useState<{
    scroller: HTMLElement | null
    margin: number
    isNarrow: boolean
  }>({
    scroller: null,
    margin: 0,
    isNarrow: false,
  })
  useLayoutEffect(() => {
    const element = table.current
    const scroller = element?.closest<HTMLElement>('[data-scroll]') ?? null
    if (!element || !scroller) return undefined
    const measure = () => {
      const margin =
        element.getBoundingClientRect().top -
        scroller.getBoundingClientRect().top +
        scroller.scrollTop
      const isNarrow = element.clientWidth < 640
      setFound((old) =>
        old.scroller === scroller && Math.abs(old.margin - margin) < 1 && old.isNarrow === isNarrow
          ? old
          : { scroller, margin, isNarrow },
      )
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(scroller.firstElementChild ?? scroller)
    measure()
    return () => observer.disconnect()
  }, [table])
  return found
}
