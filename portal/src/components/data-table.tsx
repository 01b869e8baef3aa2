/** A table of any length: only the rows in sight are in the page. On narrow screens each row is a card. */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useNavigate, type UseNavigateResult, useRouter } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { formatCount, formatCountOf } from '../format/counts.ts'
import css from './data-table.module.css'
import { useKeys } from './keyboard.ts'
import { useIsPrinting } from './printing.ts'
import type { Selection } from './selection.ts'
import { useSkimming } from './skimming.ts'
import { useSurroundings } from './table-surroundings.ts'
import { listAll } from './virtual-rows.tsx'

export interface Column<Row> {
  id: string
  title: ReactNode
  /** A track of a CSS grid: `120px`, `minmax(0, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
  /** The server's name of the order; without it the header is no button. */
  sort?: string
  /** Left out where there is no room for all. */
  isWideOnly?: boolean
}

export interface DataTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Opens the row; also by Enter. `go` leads to its page: in a tab of its own by a middle click, and with Ctrl or Command. */
  onOpen?: (row: Row, go: UseNavigateResult<string>) => unknown
  sortedBy?: string | undefined
  isAscending?: boolean
  onSort?: (sort: string) => void
  onEnd?: () => void
  /** How many rows there are on the server. */
  totalCount?: number | undefined
  isCompact?: boolean
  /** Lines of a card on narrow screens; two are usual. */
  cardLines?: number
  /** Rows that head those after them stand higher, on sunken ground; as cards they have two lines more. */
  isHead?: (row: Row) => boolean
  /** By the key `x`; the page adds a column with boxes (`selectColumn`). */
  selection?: Pick<Selection, 'has' | 'toggle'> | undefined
}

const ROW = 36
const COMPACT_ROW = 28
const HEAD_ROW = 58
const CARD_LINE = 22
const CARD_AIR = 32
const HEAD = 32
/** More of them make scrolling jerk, as all are drawn anew in one frame. */
const OVERSCAN = 5
const NEAR_END = 30

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, onEnd, totalCount = rows.length, isCompact = false } = props
  const table = useRef<HTMLDivElement>(null)
  const isPrinting = useIsPrinting()
  const { scroller, margin, isNarrow, columns } = useSurroundings(table, props.columns, isPrinting)
  const card = CARD_AIR + CARD_LINE * (props.cardLines ?? 2)
  const height = isNarrow ? card : isCompact ? COMPACT_ROW : ROW
  const headHeight = isNarrow ? card + 2 * CARD_LINE : HEAD_ROW
  const heightAt = (index: number) => {
    const row = rows[index]
    return row !== undefined && props.isHead?.(row) === true ? headHeight : height
  }
  const { isSkimming, onChange } = useSkimming()
  const virtual = useVirtualizer<HTMLElement, Element>({
    count: rows.length,
    onChange,
    getScrollElement: () => scroller,
    // A table that comes later leaves the page where somebody has scrolled it.
    enabled: scroller !== null,
    initialOffset: () => scroller?.scrollTop ?? 0,
    estimateSize: heightAt,
    scrollMargin: margin,
    scrollPaddingStart: HEAD,
    overscan: OVERSCAN,
  })
  const places = isPrinting ? listAll(rows.length, height) : virtual.getVirtualItems()
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - NEAR_END) onEnd?.()
  }, [last, rows.length, onEnd])
  useEffect(() => virtual.measure(), [height, rows, virtual])
  const moving = useMoving(table, props, (index) => virtual.scrollToIndex(index))
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  return (
    <div
      ref={table}
      className={isNarrow ? css['cards'] : undefined}
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
        {places.map(({ index, start }) => {
          const row = rows[index]
          const place = { height: heightAt(index), transform: `translateY(${start - margin}px)` }
          const style = { ...tracks, ...place }
          return row === undefined ? null : (
            <Row
              key={props.keyOf(row)}
              {...{ row, index, style, moving }}
              isSkimmed={isSkimming && !isPrinting}
              table={{ ...props, columns }}
            />
          )
        })}
      </div>
      {totalCount > rows.length && (
        <p className={css['rest']} data-paper="only">
          These are the first {formatCount(rows.length)} of {formatCountOf(totalCount, 'row')}; the
          CSV has all.
        </p>
      )}
    </div>
  )
}

interface RowProps<Row> {
  row: Row
  index: number
  style: object
  moving: RowFocus
  isSkimmed: boolean
  table: DataTableProps<Row>
}

function Row<Row>({ row, index, style, moving, isSkimmed, table }: RowProps<Row>) {
  const { columns, keyOf, onOpen, selection, isHead } = table
  const key = keyOf(row)
  const navigate = useNavigate()
  const openTab = useOpenTab()
  const open = (event: MouseEvent) => {
    // A link within the row leads where it says.
    const { target, currentTarget } = event
    // A dialog that a cell has opened hands its clicks on to the row, too.
    if (!(target instanceof Element) || !currentTarget.contains(target)) return
    if (target.closest('a, button') !== null) return
    const isOfTab = event.button === MIDDLE || event.ctrlKey || event.metaKey
    onOpen?.(row, isOfTab ? openTab : navigate)
  }
  const classes = [
    css['row'],
    isHead?.(row) === true && css['heads'],
    selection?.has(key) === true && css['chosen'],
    isSkimmed && css['skimmed'],
  ]
  return (
    <div
      role="row"
      data-opens={onOpen && ''}
      aria-rowindex={index + 2}
      tabIndex={index === moving.at ? 0 : -1}
      className={classes.filter((name) => typeof name === 'string').join(' ')}
      style={style}
      onClick={open}
      // Else the browser scrolls by the pointer.
      onMouseDown={(event) => event.button === MIDDLE && event.preventDefault()}
      onAuxClick={(event) => event.button === MIDDLE && open(event)}
      onFocus={() => moving.setAt(index)}
    >
      {isSkimmed ? (
        <div role="cell" />
      ) : (
        columns.map((column) => <Cell key={column.id} column={column} row={row} />)
      )}
    </div>
  )
}

const MIDDLE = 1

/** Opens a page in a tab of its own. */
function useOpenTab(): UseNavigateResult<string> {
  const router = useRouter()
  return (to) => {
    window.open(
      router.buildLocation({ ...to, _includeValidateSearch: true }).href,
      '_blank',
      'noopener',
    )
    return Promise.resolve()
  }
}

interface RowFocus {
  /** The row that has the focus, or gets it next. */
  at: number
  setAt: (index: number) => void
}

/** `j` and `k` move the focus through the rows, `x` selects the row that has it, Enter opens it. */
function useMoving<Row>(
  table: { current: HTMLDivElement | null },
  { rows, keyOf, onOpen, selection }: DataTableProps<Row>,
  show: (index: number) => void,
): RowFocus {
  const [at, setAt] = useState(0)
  const row = (index: number) =>
    table.current?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"]`)
  const go = (by: number) => {
    const place = document.activeElement?.closest('[role="table"]') ?? table.current
    if (place !== table.current) return false
    // The first key goes to where one is, not beyond it.
    const wanted = row(at)?.contains(document.activeElement) === true ? at + by : at
    const next = Math.min(Math.max(wanted, 0), rows.length - 1)
    show(next)
    setAt(next)
    row(next)?.focus({ preventScroll: true })
    return true
  }
  const act = (what: ((row: Row) => void) | undefined) => {
    const focused = row(at) === document.activeElement ? rows[at] : undefined
    if (focused === undefined || !what) return false
    what(focused)
    return true
  }
  const navigate = useNavigate()
  useKeys([
    ['j', () => go(1)],
    ['k', () => go(-1)],
    ['x', () => act((focused) => selection?.toggle(keyOf(focused)))],
    ['Enter', () => act(onOpen && ((focused) => onOpen(focused, navigate)))],
  ])
  return { at: Math.min(at, Math.max(rows.length - 1, 0)), setAt }
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return (
    <div role="cell" className={`${css['cell']} ${column.isNumber === true ? 'numbers' : ''}`}>
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
