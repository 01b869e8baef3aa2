import {
  type FirmwareVersionComponentCounts,
  LICENCE_OUTCOME,
  type WorkspaceComponent,
} from '@plimsoll/api-client'
import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { Chip, ChipRow } from '../../../components/chip.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { FilterInput } from '../../../components/filter-input.tsx'
import { OUTCOME_TONES, OUTCOME_WORDS } from '../../../components/licences/outcome-words.ts'
import { ListMenu } from '../../../components/list-menu.tsx'
import {
  listChoosable,
  type ListView,
  pickShown,
  useListView,
} from '../../../components/list-view.ts'
import { DropFilters } from '../../../components/drop-filters.tsx'
import { ListPanel, loadNextPage } from '../../../components/list-panel.tsx'
import { Empty, Loading } from '../../../components/states.tsx'
import {
  describeAskedSupport,
  SUPPORT_FILTER_WORDS,
  SUPPORT_FILTERS,
  type SupportFilter,
} from '../../../components/support/support-filters.ts'
import { describeState, STATE_TONES } from '../../../components/support/support-words.ts'
import { Tag } from '../../../components/tag.tsx'
import { formatCountOf } from '../../../format/counts.ts'
import { COMPONENTS, type VersionSearch } from '../../../searches.ts'
import { useWorkspaceId } from '../../../session.ts'
import { describeScope } from '../component-scopes.ts'
import {
  type ComponentFilter,
  componentCountsQuery,
  componentsQuery,
  coverageQuery,
} from '../queries.ts'
import css from '../version-page.module.css'
import own from './component-pane.module.css'

const ComponentPane = lazy(() => import('./component-pane.tsx'))

const COLUMNS: readonly Column<WorkspaceComponent>[] = [
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
    cell: ({ licenses }) => <span title={licenses.join(', ')}>{licenses.join(', ')}</span>,
    isWideOnly: true,
  },
  {
    id: 'support',
    title: 'Support',
    width: 'minmax(0, 1.2fr)',
    cell: (component) => <Support {...component} />,
  },
  {
    id: 'outcome',
    title: 'May ship',
    width: '130px',
    cell: ({ licenceOutcome }) =>
      licenceOutcome === null ? (
        'not judged'
      ) : (
        <Tag tone={OUTCOME_TONES[licenceOutcome]}>{OUTCOME_WORDS[licenceOutcome]}</Tag>
      ),
    isWideOnly: true,
  },
  {
    id: 'scope',
    title: 'Scope',
    width: '110px',
    cell: ({ scope }) => scope && describeScope(scope),
    isWideOnly: true,
  },
  {
    id: 'judged',
    title: 'Looked up',
    width: 'minmax(0, 1.5fr)',
    cell: ({ notMatchedReason }) =>
      notMatchedReason === null ? 'yes' : <Tag tone="warn">{notMatchedReason}</Tag>,
  },
]

function Support({ supportState, supportEndsOn, supportedAs }: WorkspaceComponent) {
  const words = describeState(supportState, supportEndsOn)
  return (
    <span title={supportedAs === null ? 'Nobody lists its product' : `${supportedAs}: ${words}`}>
      <Tag tone={STATE_TONES[supportState]}>{words}</Tag>
    </span>
  )
}

interface ComponentsTabProps {
  versionId: string
  search: VersionSearch
  onChange: (next: VersionSearch) => void
}

export default function ComponentsTab({ versionId, search, onChange }: ComponentsTabProps) {
  const workspaceId = useWorkspaceId()
  const filter = filterOf(versionId, search)
  const [view, setView] = useListView('components')
  const { component: componentId } = search
  return (
    <>
      <Filters versionId={versionId} search={search} onChange={onChange}>
        <ListMenu
          view={view}
          onChange={setView}
          columns={listChoosable(COLUMNS)}
          viewedList="version-components"
          csv={{ path: `/workspaces/${workspaceId}/components/export`, body: { filter } }}
        />
      </Filters>
      <div className={componentId === undefined ? undefined : own['beside']}>
        <Listed {...{ filter, search, onChange }} view={view} />
        {componentId !== undefined && (
          <Suspense fallback={<Loading rows={5} />}>
            <ComponentPane
              versionId={versionId}
              componentId={componentId}
              cveId={search.cve ?? ''}
              onChange={onChange}
            />
          </Suspense>
        )}
      </div>
    </>
  )
}

function filterOf(
  versionId: string,
  { q, licence, support, outcome }: VersionSearch,
): ComponentFilter {
  return {
    firmwareVersionIds: [versionId],
    ...(q !== undefined && { name: [{ contains: q }] }),
    ...(licence !== undefined && { licenses: [{ contains: licence }] }),
    ...(support !== undefined && describeAskedSupport(support)),
    ...(outcome !== undefined && { licenceOutcomes: [outcome] }),
  }
}

function Filters({
  versionId,
  search,
  onChange,
  children,
}: ComponentsTabProps & { children: ReactNode }) {
  const workspaceId = useWorkspaceId()
  const { data: coverage } = useQuery(coverageQuery(workspaceId, versionId))
  return (
    <div className={css['row']}>
      <FilterInput
        aria-label="Filter by name"
        placeholder="Filter by name"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <FilterInput
        aria-label="Filter by licence"
        placeholder="Filter by licence"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        value={search.licence}
        onChange={(licence) => onChange({ licence })}
      />
      {coverage && (
        <span className={css['note']}>
          {formatCountOf(coverage.judgedCount, 'component')} looked up, {coverage.notJudgedCount}{' '}
          could not be judged, {coverage.excludedCount} not part of the product
          {coverage.notMatchedYet.packageCount > 0 &&
            `; ${formatCountOf(coverage.notMatchedYet.packageCount, 'package')} not matched yet`}
        </span>
      )}
      <Chips versionId={versionId} search={search} onChange={onChange} />
      <div>{children}</div>
    </div>
  )
}

/** Counts are of the whole version. Without licence rules there is nothing to choose by them. */
function Chips({ versionId, search, onChange }: ComponentsTabProps) {
  const { data } = useQuery(componentCountsQuery(useWorkspaceId(), versionId))
  const outcomes = data?.licenceOutcomes
  return (
    <ChipRow label="By support and licence">
      {SUPPORT_FILTERS.map((filter) => (
        <Chip
          key={filter}
          isOn={search.support === filter}
          onChange={(isOn) => onChange({ support: isOn ? filter : undefined })}
          count={data && countSupport(data, filter)}
          tone={filter === 'ended' ? 'danger' : 'usual'}
        >
          {SUPPORT_FILTER_WORDS[filter]}
        </Chip>
      ))}
      {LICENCE_OUTCOME.filter(
        (one) => search.outcome === one || (outcomes && (one === 'denied' || outcomes[one] > 0)),
      )
        .toReversed()
        .map((one) => (
          <Chip
            key={one}
            isOn={search.outcome === one}
            onChange={(isOn) => onChange({ outcome: isOn ? one : undefined })}
            count={outcomes?.[one]}
            tone={one === 'denied' ? 'danger' : 'usual'}
          >
            Licence {OUTCOME_WORDS[one].toLowerCase()}
          </Chip>
        ))}
    </ChipRow>
  )
}

function countSupport(
  { supportStates, endingSoon }: FirmwareVersionComponentCounts,
  filter: SupportFilter,
): number {
  return {
    ended: supportStates.Ended,
    soon: endingSoon.count,
    supported: supportStates.Ending + supportStates.NoEndPlanned,
    unknown: supportStates.NotKnown,
  }[filter]
}

interface ListedProps extends Omit<ComponentsTabProps, 'versionId'> {
  filter: ComponentFilter
  view: ListView
}

function Listed({ filter, search, onChange, view }: ListedProps) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(componentsQuery(workspaceId, filter))
  return (
    <ListPanel
      query={list}
      rows={list.data?.pages.flatMap((page) => page.components)}
      loadingRows={10}
      empty={<NoComponents search={search} onChange={onChange} />}
    >
      {(rows) => (
        <DataTable
          label="Components"
          columns={pickShown(COLUMNS, view)}
          isCompact={view.isCompact}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={({ id }) => onChange({ component: id })}
          onEnd={() => loadNextPage(list)}
        />
      )}
    </ListPanel>
  )
}

function NoComponents({ search, onChange }: Omit<ComponentsTabProps, 'versionId'>) {
  const filters = COMPONENTS.listFilters(search)
  return (
    <Empty
      title={filters.length === 0 ? 'No components' : 'Nothing matches'}
      action={filters.length > 0 && <DropFilters filters={filters} onChange={onChange} />}
    >
      Components come from the SBOMs of this version.
    </Empty>
  )
}
