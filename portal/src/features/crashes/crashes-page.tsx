/** Where devices crash: each kind of crash once, with its versions and devices. */
import type { CrashGroup, CrashGroupPage } from '@plimsoll/api-client'
import { Select } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { CrashState, WithoutLines } from '../../components/crashes/crash-state.tsx'
import { RecentCrashes } from '../../components/crashes/crash-trends.tsx'
import { HowToReport } from '../../components/crashes/how-to-report.tsx'
import { crashGroupsQuery } from '../../components/crashes/queries.ts'
import { Reporting } from '../../components/crashes/reporting.tsx'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { DropFilters } from '../../components/drop-filters.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { CRASHES, type CrashesSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { firmwaresQuery, versionsQuery } from '../../workspace-queries.ts'
import css from './crashes.module.css'

const route = getRouteApi('/w/$workspaceId/crashes')

const COLUMNS: readonly Column<CrashGroup>[] = [
  {
    id: 'crash',
    title: 'Crash',
    width: 'minmax(0, 2.4fr)',
    cell: ({ title, isNamed, frames }) => (
      <span className={css['title']}>
        <span title={title}>{title}</span>
        {!isNamed && frames.length > 0 && <WithoutLines />}
      </span>
    ),
  },
  { id: 'state', title: 'State', width: '170px', cell: (group) => <CrashState of={group} /> },
  {
    id: 'crashes',
    title: 'Crashes',
    width: '100px',
    sort: 'crashCount',
    // As a card, nothing stands above it.
    cell: ({ crashCount }) => formatCountOf(crashCount, 'crash', 'crashes'),
  },
  {
    id: 'devices',
    title: 'Devices',
    width: '100px',
    sort: 'deviceCount',
    cell: ({ deviceCount }) => formatCountOf(deviceCount, 'device'),
  },
  {
    id: 'days',
    title: '14 days',
    width: '120px',
    isWideOnly: true,
    cell: ({ recentCounts }) => <RecentCrashes counts={recentCounts} />,
  },
  {
    id: 'since',
    title: 'Since version',
    width: '120px',
    cell: ({ firstVersion }) =>
      firstVersion === null ? <em>version not known</em> : <code>{firstVersion.name}</code>,
  },
  {
    id: 'firmware',
    title: 'Firmware',
    width: 'minmax(0, 1fr)',
    isWideOnly: true,
    cell: ({ firmware }) => firmware?.name ?? <em>not known</em>,
  },
  {
    id: 'last',
    title: 'Last',
    width: '120px',
    sort: 'lastSeenAt',
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
  },
]

const FILE: ListFile<CrashGroup> = {
  name: 'crashes',
  columns: [
    'title',
    'reason',
    ['frames', ({ frames }) => frames.join(' < ')],
    'buildId',
    ['firmware', ({ firmware }) => firmware?.slug ?? null],
    'state',
    ['fixedIn', ({ fixedIn }) => fixedIn?.name ?? null],
    'firstSeenAt',
    ['firstVersion', ({ firstVersion }) => firstVersion?.name ?? null],
    'lastSeenAt',
    ['lastVersion', ({ lastVersion }) => lastVersion?.name ?? null],
    'crashCount',
    'deviceCount',
    'id',
  ],
}

const SORTS = ['lastSeenAt', 'crashCount', 'deviceCount'] as const

export function CrashesPage() {
  const workspaceId = useWorkspaceId()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$workspaceId/crashes' })
  const change = (next: CrashesSearch) =>
    void navigate({ search: { ...search, ...next }, replace: true })
  return (
    <>
      <TopBar
        title="Crashes"
        trail={[
          <Link key="devices" to="/w/$workspaceId/devices" params={{ workspaceId }}>
            Devices
          </Link>,
        ]}
      />
      <Page>
        <Filters search={search} onChange={change} />
        <List search={search} onChange={change} />
      </Page>
    </>
  )
}

interface ListProps {
  search: CrashesSearch
  onChange: (next: CrashesSearch) => void
}

function Filters({ search, onChange }: ListProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(firmwaresQuery(workspaceId))
  return (
    <div className={css['filters']}>
      <FilterInput
        aria-label="Search crashes"
        placeholder="Reason or function"
        leftSection={<IconSearch size={15} aria-hidden="true" />}
        value={search.q}
        onChange={(q) => onChange({ q: q === '' ? undefined : q })}
      />
      <Select
        aria-label="Firmware"
        placeholder="All firmware"
        clearable
        searchable
        value={search.firmware ?? null}
        data={data?.firmwares.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        onChange={(firmware) =>
          onChange({ firmware: firmware ?? undefined, new: undefined, version: undefined })
        }
      />
      {search.firmware !== undefined && (
        <NewSince firmwareId={search.firmware} search={search} onChange={onChange} />
      )}
      <ChipRow label="Which crashes">
        <Chip
          isOn={search.state === 'open'}
          onChange={(isOn) => onChange({ state: isOn ? 'open' : undefined })}
        >
          Open
        </Chip>
        <Chip
          isOn={search.state === 'fixed'}
          onChange={(isOn) => onChange({ state: isOn ? 'fixed' : undefined })}
        >
          Fixed
        </Chip>
        {search.version !== undefined && (
          <Chip isOn isRemovable onChange={() => onChange({ version: undefined })}>
            Of one version
          </Chip>
        )}
        {search.new !== undefined && search.firmware === undefined && (
          <Chip isOn isRemovable onChange={() => onChange({ new: undefined })}>
            New since a version
          </Chip>
        )}
      </ChipRow>
    </div>
  )
}

function NewSince({ firmwareId, search, onChange }: ListProps & { firmwareId: string }) {
  const { data } = useQuery(versionsQuery(useWorkspaceId(), firmwareId))
  return (
    <Select
      aria-label="New since version"
      placeholder="New since version…"
      clearable
      searchable
      value={search.new ?? null}
      data={data?.firmwareVersions.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      onChange={(version) => onChange({ new: version ?? undefined })}
    />
  )
}

const STATES = { open: 'Open', fixed: 'Closed' } as const

function List({ search, onChange }: ListProps) {
  const workspaceId = useWorkspaceId()
  const filter = {
    state: search.state && STATES[search.state],
    firmwareId: search.firmware,
    firmwareVersionId: search.version,
    newSince: search.new,
    q: search.q,
  }
  const sort = search.sort ?? 'lastSeenAt'
  const list = useInfiniteQuery(crashGroupsQuery(workspaceId, filter, { sort, order: 'desc' }))
  const rows = list.data?.pages.flatMap((page) => page.crashGroups)
  const [first] = list.data?.pages ?? []
  const inUse = CRASHES.listFilters(search)
  return (
    <ListPanel
      query={list}
      rows={rows}
      title="Crashes"
      note={
        first &&
        `${first.totalCountIsLowerBound ? 'more than ' : ''}${formatCount(first.totalCount)}`
      }
      foot={first && <Limits page={first} />}
      empty={
        <Empty
          title={inUse.length > 0 ? 'No crash matches' : 'No crash is known'}
          action={inUse.length > 0 && <DropFilters filters={inUse} onChange={onChange} />}
        >
          {inUse.length > 0 ? 'Drop a filter to see more.' : <HowToReport />}
        </Empty>
      }
    >
      {(groups) => (
        <ListedTable
          list="crashes"
          csv={FILE}
          label="Crashes"
          cardLines={3}
          columns={COLUMNS}
          rows={groups}
          totalCount={first?.totalCount}
          keyOf={({ id }) => id}
          sortedBy={sort}
          isAscending={false}
          onSort={(name) => onChange({ sort: SORTS.find((one) => one === name) })}
          onOpen={({ id }, go) =>
            go({
              to: '/w/$workspaceId/crashes/$crashGroupId',
              params: { workspaceId, crashGroupId: id },
            })
          }
          onEnd={() => loadNextPage(list)}
        />
      )}
    </ListPanel>
  )
}

/** What the list cannot tell. */
function Limits({ page }: { page: CrashGroupPage }) {
  return (
    <>
      <Reporting of={page.reporting} />
      {page.isComparable === false && (
        <p className={css['note']}>
          Nobody can tell what is new since this version: no device with an earlier one reported
          crashes.
        </p>
      )}
      <NotKept page={page} />
    </>
  )
}

/** What devices sent beyond what is kept, so that counts do not look complete where they are not. */
function NotKept({ page }: { page: CrashGroupPage }) {
  const { droppedCount, malformedCount, lastFault } = page
  if (droppedCount === 0 && malformedCount === 0) return null
  return (
    <p className={css['note']}>
      {droppedCount > 0 &&
        `${formatCountOf(droppedCount, 'more crash was', 'more crashes were')} sent and not kept: of a device 60 an hour are kept, of a workspace 10,000 different stacks. `}
      {malformedCount > 0 &&
        `${formatCountOf(malformedCount, 'crash', 'crashes')} could not be read${lastFault === null ? '' : `, the last one as ${lastFault}`}.`}
    </p>
  )
}
