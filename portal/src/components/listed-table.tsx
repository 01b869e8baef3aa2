/** A table with the list menu in the head of its panel: density, and which columns; this browser keeps the choice. */
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ListMenu } from './list-menu.tsx'
import { listChoosable, pickShown, useListView } from './list-view.ts'
import { InPanelHead } from './panel-head.tsx'

interface ListedTableProps<Row> extends Omit<DataTableProps<Row>, 'isCompact'> {
  /** Names the list in what this browser keeps. */
  list: string
}

export function ListedTable<Row>({ list, columns, ...table }: ListedTableProps<Row>) {
  const [view, setView] = useListView(list)
  return (
    <>
      <InPanelHead>
        <ListMenu view={view} onChange={setView} columns={listChoosable(columns)} />
      </InPanelHead>
      <DataTable {...table} columns={pickShown(columns, view)} isCompact={view.isCompact} />
    </>
  )
}
