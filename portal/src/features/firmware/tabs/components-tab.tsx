import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { Tag } from '../../../components/tag.tsx'
import { countOf } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import { type Component, componentsQuery, coverageQuery } from '../queries.ts'
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

const TYPING_MS = 150

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
  const type = useDebouncedCallback((text: string) => onChange({ q: text }), TYPING_MS)
  return (
    <>
      <div className={css['row']}>
        <TextInput
          aria-label="Filter by name"
          placeholder="Filter by name"
          leftSection={<IconSearch size={14} aria-hidden="true" />}
          defaultValue={q}
          onChange={(event) => type(event.currentTarget.value)}
        />
        {coverage && (
          <span className={css['note']}>
            {countOf(coverage.judgedCount, 'component')} looked up, {coverage.notJudgedCount} could
            not be judged, {coverage.excludedCount} not part of the product
          </span>
        )}
      </div>
      <Panel isFlush>
        {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Loading rows={10} />}
        {list.isSuccess && rows.length === 0 && (
          <Empty title={q === '' ? 'No components' : `Nothing is called “${q}”`}>
            Components come from the SBOMs of this version.
          </Empty>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Components"
            columns={COLUMNS}
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
