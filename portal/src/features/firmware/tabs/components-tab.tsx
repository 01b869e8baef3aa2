import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { FilterInput } from '../../../components/filter-input.tsx'
import { ListMenu } from '../../../components/list-menu.tsx'
import { choosable, shown, useListView } from '../../../components/list-view.ts'
import { DropFilters } from '../../../components/drop-filters.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { Tag } from '../../../components/tag.tsx'
import { countOf } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import { type Component, componentFilter, componentsQuery, coverageQuery } from '../queries.ts'
import css from '../version-page.module.css'

const COLUMNS: readonly Column<Component>[] = [
  {
    id: 'name',
    title: 'Component',
    width: 'minmax(0, 1.5fr)',
    cell: ({ packageName }) => <strong>{packageName}</strong>,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(0, 1fr)',
    cell: ({ version }) => <code>{version}</code>,
  },
  {
    id: 'id',
    title: 'Identifier',
    width: 'minmax(0, 2.5fr)',
    cell: ({ purl, cpe }) => <code>{purl ?? cpe}</code>,
    isWideOnly: true,
  },
  {
    id: 'licences',
    title: 'Licences',
    width: 'minmax(0, 1fr)',
    cell: ({ licenses }) => licenses.join(', '),
    isWideOnly: true,
  },
  { id: 'scope', title: 'Scope', width: '80px', cell: ({ scope }) => scope, isWideOnly: true },
  {
    id: 'judged',
    title: 'Looked up',
    width: 'minmax(0, 1.5fr)',
    cell: ({ notMatchedReason }) =>
      notMatchedReason === null ? 'yes' : <Tag tone="warn">{notMatchedReason}</Tag>,
  },
]

type Search = Record<string, string | undefined>

export function ComponentsTab({
  versionId,
  search,
  onChange,
}: {
  versionId: string
  search: Search
  onChange: (next: Search) => void
}) {
  const workspaceId = useWorkspaceId()
  const q = search['q'] ?? ''
  const list = useInfiniteQuery(componentsQuery(workspaceId, versionId, q))
  const { data: coverage } = useQuery(coverageQuery(workspaceId, versionId))
  const rows = list.data?.pages.flatMap((page) => page.components) ?? []
  const [view, setView] = useListView('components')
  return (
    <>
      <div className={css['row']}>
        <FilterInput
          aria-label="Filter by name"
          placeholder="Filter by name"
          leftSection={<IconSearch size={14} aria-hidden="true" />}
          value={q}
          onChange={(text) => onChange({ q: text })}
        />
        {coverage && (
          <span className={css['note']}>
            {countOf(coverage.judgedCount, 'component')} looked up, {coverage.notJudgedCount} could
            not be judged, {coverage.excludedCount} not part of the product
          </span>
        )}
        <div>
          <ListMenu
            view={view}
            onChange={setView}
            columns={choosable(COLUMNS)}
            csv={{
              path: `/workspaces/${workspaceId}/components/export`,
              body: { filter: componentFilter(versionId, q) },
            }}
          />
        </div>
      </div>
      <Panel isFlush>
        {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Loading rows={10} />}
        {list.isSuccess && rows.length === 0 && (
          <Empty
            title={q === '' ? 'No components' : `Nothing is called “${q}”`}
            action={
              q !== '' && (
                <DropFilters filters={[{ name: 'q', text: `“${q}”` }]} onChange={onChange} />
              )
            }
          >
            Components come from the SBOMs of this version.
          </Empty>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Components"
            columns={shown(COLUMNS, view)}
            isCompact={view.isCompact}
            rows={rows}
            keyOf={({ id }) => id}
            onEnd={() => {
              if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
            }}
          />
        )}
      </Panel>
    </>
  )
}
