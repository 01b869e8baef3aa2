import { DataTable, type DataTableProps } from './data-table.tsx'
import { type ListSettings, useListed } from './listed.tsx'

type ListedTableProps<Row> = ListSettings<Row> & Omit<DataTableProps<Row>, 'isCompact'>

/** A table of any length with the menu of lists. */
export function ListedTable<Row>(props: ListedTableProps<Row>) {
  const { list, viewedList, csv, ...table } = props
  const named = { list, csv, ...(viewedList && { viewedList }) }
  const { menu, ...shown } = useListed(named, table.columns, table.rows)
  return (
    <>
      {menu}
      <DataTable {...table} {...shown} />
    </>
  )
}
