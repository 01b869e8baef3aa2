import type { ReactNode } from 'react'
import type { ListFile } from '../../components/download-csv.ts'
import { useFirstRows } from '../../components/first-rows.tsx'
import { useListed } from '../../components/listed.tsx'
import css from './alerts.module.css'

interface ListedRowsProps<Row> {
  /** Names the list in what this browser keeps. */
  list: string
  csv: ListFile<Row>
  rows: readonly Row[]
  /** A list item of each row. */
  children: (row: Row) => ReactNode
}

/** A list of rows that are no table, with the menu of lists: density and CSV. */
export function ListedRows<Row>({ list, csv, rows, children }: ListedRowsProps<Row>) {
  const { menu, isCompact } = useListed({ list, csv }, NO_COLUMNS, rows)
  const { drawn, more } = useFirstRows(rows)
  return (
    <>
      {menu}
      <ul className={`${css['rows']} ${isCompact ? css['compact'] : ''}`}>{drawn.map(children)}</ul>
      {more}
    </>
  )
}

const NO_COLUMNS: readonly { id: string; title: string }[] = []
