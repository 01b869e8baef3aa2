/** A short table. On narrow screens each row is a card, where every value has its title before it. */
import type { ReactNode } from 'react'
import css from './card-table.module.css'

export interface CardColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** What can be done with the row: at the end, and at the foot of a card. */
  isActs?: boolean
  /** Says what it is by itself: a card shows no title before it. */
  isPlain?: boolean
}

interface CardTableProps<Row> {
  label: string
  columns: readonly CardColumn<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/** The roles are said, as a table that is drawn as blocks is none for screen readers. */
export function CardTable<Row>({ label, columns, rows, keyOf }: CardTableProps<Row>) {
  return (
    <table className={css['table']} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isActs }) => (
            <th key={title} role="columnheader" scope="col">
              <span className={isActs === true ? 'visually-hidden' : undefined}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map((column) => (
              <Cell key={column.title} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
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
