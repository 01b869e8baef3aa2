/** A short table. On narrow screens each row is a card, where every value has its title before it. */
import { Fragment, type ReactNode } from 'react'
import css from './card-table.module.css'
import { useFirstRows } from './first-rows.tsx'
import { type ListSettings, useListed } from './listed.tsx'
import { SelectBox } from './select-box.tsx'
import { SelectLoaded } from './selection-bar.tsx'
import type { Selection } from './selection.ts'

export interface CardColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** What can be done with the row: at the end, and at the foot of a card. */
  isActs?: boolean
  /** Says what it is by itself: a card shows no title before it. */
  isPlain?: boolean
}

interface CardTableProps<Row> extends ListSettings<Row> {
  label: string
  columns: readonly CardColumn<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The list comes in pages by itself: what is here is drawn. Else 200 rows are, and more when asked. */
  isPaged?: boolean
  /** What stands under a row that is open. */
  detail?: (row: Row) => ReactNode
  /** Rows can be selected; `nameOf` says which row a box is of. */
  selecting?: { selection: Selection; nameOf: (row: Row) => string } | undefined
}

/** The roles are said, as a table that is drawn as blocks is none for screen readers. */
export function CardTable<Row>(asked: CardTableProps<Row>) {
  const { label, rows, keyOf, detail, selecting, isPaged = false, ...props } = asked
  const { drawn, more: moreRows } = useFirstRows(rows, isPaged)
  const titled = props.columns.map((column) => ({
    id: column.title,
    // Acts stay.
    title: column.isActs === true ? <span className="visually-hidden">Acts</span> : column.title,
    column,
  }))
  const { menu, columns, isCompact } = useListed(props, titled, rows)
  return (
    <>
      {menu}
      <table
        className={`${css['table']} ${isCompact ? css['compact'] : ''}`}
        role="table"
        aria-label={label}
      >
        <thead role="rowgroup">
          <tr role="row">
            {selecting && (
              <th className={css['select']} role="columnheader" scope="col">
                <SelectLoaded selection={selecting.selection} />
              </th>
            )}
            {columns.map(({ id, title }) => (
              <th key={id} role="columnheader" scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {drawn.map((row) => {
            const more = detail?.(row)
            return (
              <Fragment key={keyOf(row)}>
                <tr role="row">
                  {selecting && (
                    <td className={css['select']} role="cell">
                      <SelectBox
                        label={`Select ${selecting.nameOf(row)}`}
                        isOn={selecting.selection.has(keyOf(row))}
                        onToggle={(isRange) => selecting.selection.toggle(keyOf(row), isRange)}
                      />
                    </td>
                  )}
                  {columns.map(({ id, column }) => (
                    <Cell key={id} column={column} row={row} />
                  ))}
                </tr>
                {more !== undefined && (
                  <tr role="row">
                    <td role="cell" colSpan={columns.length + (selecting ? 1 : 0)}>
                      {more}
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
      {moreRows}
    </>
  )
}

function Cell<Row>({ column, row }: { column: CardColumn<Row>; row: Row }) {
  const { title, cell, isActs = false, isPlain = false } = column
  const kind = isPlain ? css['plain'] : undefined
  return (
    <td role="cell" className={isActs ? css['acts'] : kind}>
      {!isActs && !isPlain && (
        <span className={css['title']} aria-hidden="true">
          {title}
        </span>
      )}
      <div>{cell(row)}</div>
    </td>
  )
}
