/** What every list has in the head of its panel: its columns, its density, its saved views, and its CSV. */
import type { ReactNode } from 'react'
import { type CsvRequest, type ListFile, saveRows } from './download-csv.ts'
import { ListMenu } from './list-menu.tsx'
import { listChoosable, pickShown, useListView } from './list-view.ts'
import { InPanelHead } from './panel-head.tsx'
import type { ViewedList } from './saved-views/queries.ts'

export interface ListSettings<Row> {
  /** Names the list in what this browser keeps. */
  list: string
  /** People save views of it under this name; undefined: its address says nothing that a view could keep. */
  viewedList?: ViewedList
  /** A request, what the page holds, or what saves it otherwise. */
  csv: CsvRequest | ListFile<Row> | (() => void)
}

interface ShownList<Column> {
  menu: ReactNode
  columns: Column[]
  isCompact: boolean
}

export function useListed<Row, Column extends { id: string; title: unknown }>(
  { list, viewedList, csv }: ListSettings<Row>,
  columns: readonly Column[],
  rows: readonly Row[],
): ShownList<Column> {
  const [view, setView] = useListView(list)
  const save = 'columns' in csv ? () => saveRows(csv, rows) : csv
  const menu = (
    <InPanelHead>
      <ListMenu
        view={view}
        onChange={setView}
        columns={listChoosable(columns)}
        {...(viewedList && { viewedList })}
        {...('path' in save ? { csv: save } : { onCsv: save })}
      />
    </InPanelHead>
  )
  return { menu, columns: pickShown(columns, view), isCompact: view.isCompact }
}
