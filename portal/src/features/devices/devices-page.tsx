/** Which devices there are, what each runs, and which of them nobody can judge. */
import type { Device, DeviceSummary } from '@plimsoll/api-client'
import { Select } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { Page } from '../../components/page.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { InPlaceOfPanelHead } from '../../components/panel-head.tsx'
import { selectColumn } from '../../components/select-column.tsx'
import { useSelection } from '../../components/selection.ts'
import { Empty } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { DEVICES, type DevicesSearch } from '../../searches.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { SelectedDevices } from './bulk-acts.tsx'
import { BlindSpots } from './blind-spots.tsx'
import { COLUMNS } from './device-columns.tsx'
import { type DeviceFilter, readFilter } from './device-filters.ts'
import css from './devices.module.css'
import { DeviceViews } from './device-views.tsx'
import { GivenFilters } from './given-filters.tsx'
import { devicesQuery, summaryQuery } from './queries.ts'
import { UnseenDevices } from './unseen-devices.tsx'

const hasLongCard = ({ firmware }: Device) =>
  firmware.length > 1 || firmware.some(({ isBlindSpot }) => isBlindSpot)

const keyOf = ({ id }: Device) => id

/** Blind spots come first here: in the tab of all devices, and in their own. */
const BLIND_FIRST = new Set([undefined, 'unknown', 'unregistered', 'otherImage'])

const BLIND_VIEWS = new Set(['unknown', 'unregistered', 'otherImage'])

/** Only by presence, the newest comes first. */
const isAscending = (sortColumn: string) => sortColumn !== 'LastSeenAt'

export function DevicesPage() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/devices' })
  const navigate = useNavigate({ from: '/w/$workspaceId/devices' })
  const change = (next: DevicesSearch) =>
    void navigate({ search: { ...search, ...next }, replace: true })
  const { data: summary } = useQuery(summaryQuery(workspaceId))
  return (
    <>
      <TopBar title="Devices" />
      <Page>
        <DeviceViews search={search} />
        <UnseenDevices summary={summary} show={search.show} />
        {summary && summary.blindSpots > 0 && BLIND_VIEWS.has(search.show ?? '') && (
          <BlindSpots show={search.show} />
        )}
        <Filters search={search} summary={summary} onChange={change} />
        <List search={search} summary={summary} onChange={change} />
      </Page>
    </>
  )
}

interface ListProps {
  search: DevicesSearch
  summary: DeviceSummary | undefined
  onChange: (next: DevicesSearch) => void
}

const CHIPS: readonly { show: DevicesSearch['show']; text: string; count?: keyof DeviceSummary }[] =
  [
    { show: undefined, text: 'All', count: 'devices' },
    { show: 'exploited', text: 'Exploited', count: 'exploitedDevices' },
    { show: 'vulnerable', text: 'With active findings', count: 'vulnerableDevices' },
    { show: 'connected', text: 'Connected', count: 'connected' },
  ]

function Filters({ search, summary, onChange }: ListProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(cohortsQuery(workspaceId))
  return (
    <div className={css['filters']}>
      <FilterInput
        aria-label="Search devices"
        placeholder="Id or description"
        leftSection={<IconSearch size={15} aria-hidden="true" />}
        value={search.text}
        onChange={(text) => onChange({ text })}
      />
      <Select
        aria-label="Cohort"
        placeholder="All cohorts"
        clearable
        searchable
        value={search.cohort ?? null}
        data={data?.deploymentCohorts.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        onChange={(cohort) => onChange({ cohort: cohort ?? undefined })}
      />
      <FilterInput
        aria-label="Tag"
        placeholder="Tag"
        value={search.tag}
        onChange={(tag) => onChange({ tag })}
      />
      <ChipRow label="Which devices">
        {CHIPS.map(({ show, text, count }) => (
          <Chip
            key={text}
            isOn={search.show === show}
            count={count && summary?.[count]}
            onChange={(isOn) => onChange({ show: isOn ? show : undefined })}
          >
            {text}
          </Chip>
        ))}
      </ChipRow>
      <GivenFilters search={search} onChange={onChange} />
    </div>
  )
}

function List({ search, summary, onChange }: ListProps) {
  const workspaceId = useWorkspaceId()
  const [now] = useState(() => new Date())
  const filter = useMemo(() => readFilter(search, now), [search, now])
  const sortColumn = search.sort ?? (BLIND_FIRST.has(search.show) ? 'UnknownSince' : 'Id')
  const list = useInfiniteQuery(
    devicesQuery(workspaceId, filter, { sortColumn, ascending: isAscending(sortColumn) }),
  )
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.devices), [list.data])
  const inUse = DEVICES.listFilters(search)
  return (
    <ListPanel
      query={list}
      rows={rows}
      title="Devices"
      note={
        noteOf(inUse.length > 0, rows?.length ?? 0, list.hasNextPage, summary) +
        (sortColumn === 'UnknownSince' ? ', longest unknown first' : '')
      }
      aside={<Beside />}
      empty={
        <Empty
          title={inUse.length > 0 ? 'No device matches' : 'No device yet'}
          action={
            inUse.length > 0 ? <DropFilters filters={inUse} onChange={onChange} /> : <AddDevice />
          }
        >
          {inUse.length > 0
            ? 'Drop a filter to see more.'
            : 'The first steps admit a device, and have the command with which it reports.'}
        </Empty>
      }
    >
      {(devices) => (
        <Rows
          rows={devices}
          filter={filter}
          isFiltered={inUse.length > 0}
          hasMore={list.hasNextPage}
          count={inUse.length === 0 ? summary?.devices : undefined}
          sortColumn={sortColumn}
          onSort={(sort) => onChange(DEVICES.parse({ ...search, sort }))}
          onEnd={() => loadNextPage(list)}
        />
      )}
    </ListPanel>
  )
}

interface RowsProps {
  rows: readonly Device[]
  filter: DeviceFilter
  isFiltered: boolean
  hasMore: boolean
  /** The number of all devices of the list, where it is known. */
  count: number | undefined
  sortColumn: string
  onSort: (sort: string) => void
  onEnd: () => void
}

function Rows({ rows, filter, isFiltered, hasMore, count, sortColumn, onSort, onEnd }: RowsProps) {
  const workspaceId = useWorkspaceId()
  const mayChange = useMay('Devices: write')
  const selection = useSelection(rows.map(keyOf), JSON.stringify(filter))
  // A command for all devices of a workspace is more likely a slip: all can be selected where a filter is in use.
  const total = {
    totalCount: isFiltered ? rows.length : selection.keys.size,
    totalCountIsLowerBound: isFiltered && hasMore,
  }
  return (
    <>
      {!selection.isEmpty && (
        <InPlaceOfPanelHead>
          <SelectedDevices selection={selection} filter={filter} total={total} />
        </InPlaceOfPanelHead>
      )}
      <ListedTable
        list="devices"
        viewedList="devices"
        csv={{
          path: `/workspaces/${workspaceId}/devices/export`,
          body: { filter, sortColumn, ascending: isAscending(sortColumn) },
        }}
        label="Devices"
        cardLines={rows.some(hasLongCard) ? 3 : 2}
        columns={mayChange ? [selectColumn(selection, keyOf, keyOf), ...COLUMNS] : COLUMNS}
        selection={mayChange ? selection : undefined}
        rows={rows}
        totalCount={count}
        keyOf={keyOf}
        sortedBy={sortColumn}
        isAscending={isAscending(sortColumn)}
        onSort={onSort}
        onOpen={({ id }, go) =>
          go({
            to: '/w/$workspaceId/devices/$deviceId',
            params: { workspaceId, deviceId: id },
          })
        }
        onEnd={onEnd}
      />
    </>
  )
}

function Beside() {
  const workspaceId = useWorkspaceId()
  return (
    <>
      <Link to="/w/$workspaceId/crashes" params={{ workspaceId }}>
        Crashes
      </Link>
      <AddDevice />
    </>
  )
}

function AddDevice() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  if (!mayWrite) return null
  return (
    <Link to="/w/$workspaceId/setup" params={{ workspaceId }} search={{ step: 'device' }}>
      Add a device
    </Link>
  )
}

function noteOf(
  isFiltered: boolean,
  loaded: number,
  hasMore: boolean,
  summary: DeviceSummary | undefined,
): string {
  if (!isFiltered) return summary ? formatCount(summary.devices) : ''
  return hasMore ? `more than ${formatCount(loaded)}` : formatCount(loaded)
}
