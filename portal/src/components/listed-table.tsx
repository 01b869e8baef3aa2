/** A table with the list menu in the head of its panel: density, and which columns; this browser keeps the choice. */
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ListMenu } from './list-menu.tsx'
import { listChoosable, pickShown, useListView } from './list-view.ts'
import { InPanelHead } from './panel-head.tsx'
import type { ViewedList } from './saved-views/queries.ts'

interface ListedTableProps<Row> extends Omit<DataTableProps<Row>, 'isCompact'> {
  /** Names the list in what this browser keeps. */
  list: string
  /** People save views of it under this name. */
  viewedList?: ViewedList
}

export function ListedTable<Row>(props: ListedTableProps<Row>) {
  const { list, viewedList, columns, ...table } = props
  const [view, setView] = useListView(list)
  return (
    <>
      <InPanelHead>
        <ListMenu
          view={view}
          onChange={setView}
          columns={listChoosable(columns)}
          {...(viewedList && { viewedList })}
        />
      </InPanelHead>
      <DataTable {...table} columns={pickShown(columns, view)} isCompact={view.isCompact} />
    </>
  )
}
