/** A list in a panel: what stands there while it loads, when that failed, and where nothing is listed. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Panel, type PanelProps } from './panel.tsx'
import { Failure, Loading } from './states.tsx'

export interface ListPanelProps<Row> extends Omit<PanelProps, 'children' | 'isFlush'> {
  query: { error: unknown; refetch: () => unknown }
  /** undefined: they are not here yet. */
  rows: readonly Row[] | undefined
  loadingRows?: number
  /** In place of the rows where there are none. */
  empty?: ReactNode
  /** Over the rows, and there in each case. */
  head?: ReactNode
  /** Under the rows, and there in each case. */
  foot?: ReactNode
  children: (rows: readonly Row[]) => ReactNode
}

export function ListPanel<Row>(props: ListPanelProps<Row>) {
  const { query, rows, loadingRows, empty, head, foot, children, ...panel } = props
  return (
    <Panel {...panel} isFlush>
      {head}
      {query.error !== null && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {!rows && query.error === null && (
        <Loading {...(loadingRows !== undefined && { rows: loadingRows })} />
      )}
      {rows?.length === 0 && empty}
      {rows && rows.length > 0 && children(rows)}
      {foot}
    </Panel>
  )
}

interface PagedList {
  hasNextPage: boolean
  isFetching: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** For the end of a table: loads what follows, unless that is on its way. */
export function loadNextPage({ hasNextPage, isFetching, fetchNextPage }: PagedList): void {
  if (hasNextPage && !isFetching) void fetchNextPage()
}

export function OlderButton({ list, size }: { list: PagedList; size?: 'small' }) {
  if (!list.hasNextPage) return null
  return (
    <Button
      {...(size && { size })}
      isBusy={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      Show older
    </Button>
  )
}
