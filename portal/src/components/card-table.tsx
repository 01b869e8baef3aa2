/** A short table. On narrow screens each row is a card, where every value has its title before it. */
import { Fragment, type ReactNode } from 'react'
import css from './card-table.module.css'
import { type ListSettings, useListed } from './listed.tsx'

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
  /** What stands under a row that is open. */
  detail?: (row: Row) => ReactNode
}

/** The roles are said, as a table that is drawn as blocks is none for screen readers. */
export function CardTable<Row>({ label, rows, keyOf, detail, ...props }: CardTableProps<Row>) {
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
            {columns.map(({ id, title }) => (
              <th key={id} role="columnheader" scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const more = detail?.(row)
            return (
              <Fragment key={keyOf(row)}>
                <tr role="row">
                  {columns.map(({ id, column }) => (
                    <Cell key={id} column={column} row={row} />
                  ))}
                </tr>
                {more !== undefined && (
                  <tr role="row">
                    <td role="cell" colSpan={columns.length}>
                      {more}
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </>
  )
}

function Cell<Row>({ column, row }: { column: CardColumn<Row>; row: Row }) {
  const { title, cell, isActs = false, isPlain = false } = column
  return (
    <td role="cell" className={isActs ? css['acts'] : undefined}>
      {!isActs && !isPlain && (
        <span className={css['title']} aria-hidden="true">
          {title}
        </span>
      )}
      <div>{cell(row)}</div>
    </td>
  )
}
