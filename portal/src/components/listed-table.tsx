/** A table with the list menu in the head of its panel: density, and which columns; this browser keeps the choice. */
import { DataTable, type DataTableProps } from './data-table.tsx'
import type { CsvRequest } from './download-csv.ts'
import { ListMenu } from './list-menu.tsx'
import { listChoosable, pickShown, useListView } from './list-view.ts'
import { InPanelHead } from './panel-head.tsx'
import type { ViewedList } from './saved-views/queries.ts'

interface ListedTableProps<Row> extends Omit<DataTableProps<Row>, 'isCompact'> {
  /** Names the list in what this browser keeps. */
  list: string
  /** People save views of it under this name. */
  viewedList?: ViewedList
  /** What saves it as CSV: a request, or what the page holds. */
  csv?: CsvRequest
  onCsv?: () => void
}

export function ListedTable<Row>(props: ListedTableProps<Row>) {
  const { list, viewedList, csv, onCsv, columns, ...table } = props
  const [view, setView] = useListView(list)
  return (
    <>
      <InPanelHead>
        <ListMenu
          view={view}
          onChange={setView}
          columns={listChoosable(columns)}
          {...(viewedList && { viewedList })}
          {...(csv && { csv })}
          {...(onCsv && { onCsv })}
        />
      </InPanelHead>
      <DataTable {...table} columns={pickShown(columns, view)} isCompact={view.isCompact} />
    </>
  )
}
