import type { Deployment, DeviceUpdate } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Chip, ChipRow } from '../../components/chip.tsx'
import type { Column } from '../../components/data-table.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Dot, type Tone } from '../../components/tag.tsx'
import { UPDATE_COLUMNS } from '../../components/update-columns.tsx'
import {
  type DeviceState,
  ENDED_STATES,
  nameOfDeviceState,
  PRESENT_STATES,
} from '../../components/update-states.ts'
import { formatCount } from '../../format/counts.ts'
import { DEPLOYMENT } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { type DeploymentName, exportUpdates, type UpdateFilter, updatesQuery } from './queries.ts'
import { countDevices } from './words.ts'

const TONES: Record<DeviceState, Tone> = {
  reporting: 'ok',
  installing: 'accent',
  failed: 'danger',
  waiting: 'muted',
  cancelled: 'muted',
  movedOn: 'muted',
  left: 'muted',
}

function StateDot({ deviceState, progress, unconfirmed }: DeviceUpdate) {
  return (
    <Dot tone={TONES[deviceState]} isHollow={deviceState === 'waiting'}>
      {nameOfDeviceState(deviceState)}
      {deviceState === 'installing' && progress !== null && `, ${progress} %`}
      {unconfirmed && ', not confirmed'}
    </Dot>
  )
}

/** What it says that it runs; a version that nobody registered is said to be unknown. */
function Reported({ reports }: DeviceUpdate) {
  if (reports.length === 0) return 'nothing yet'
  return reports.map(({ slug, version, firmwareVersionId }) => (
    <span key={slug}>
      <code>{version}</code>
      {firmwareVersionId === null && ' (unknown)'}{' '}
    </span>
  ))
}

const COLUMNS: readonly Column<DeviceUpdate>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(0, 1fr)',
    cell: ({ deviceId }) => <code>{deviceId}</code>,
  },
  { id: 'state', title: 'State', width: '150px', cell: (update) => <StateDot {...update} /> },
  {
    id: 'reports',
    title: 'Reports',
    width: 'minmax(0, 0.6fr)',
    cell: (update) => <Reported {...update} />,
  },
  ...UPDATE_COLUMNS.filter(({ id }) => id !== 'state'),
]

/** undefined: a reason that is not among the most frequent. */
function countListed(deployment: Deployment, { state, reason }: UpdateFilter): number | undefined {
  if (reason !== undefined)
    return deployment.failureReasons.find((failure) => failure.reason === reason)?.count
  return state === undefined ? countDevices(deployment) : deployment.deviceCounts[state]
}

/** "is …" in the address, as an empty reason would be dropped from it. */
const reasonIn = (text: string | undefined) => (text?.startsWith('is ') ? text.slice(3) : undefined)

interface DeviceUpdatesProps {
  deployment: Deployment
  name: DeploymentName
}

export function DeviceUpdates({ deployment, name }: DeviceUpdatesProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { state, reason: given } = useSearch({
    from: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
  })
  const reason = state === 'failed' ? reasonIn(given) : undefined
  const list = useInfiniteQuery(updatesQuery(workspaceId, name, { state, reason }))
  const rows = list.data?.pages.flatMap((page) => page.deviceUpdates)
  const total = countListed(deployment, { state, reason })
  const show = (next: DeviceState | undefined) =>
    void navigate({
      to: '.',
      search: next ? { state: next } : {},
      replace: true,
      resetScroll: false,
    })
  return (
    <ListPanel
      query={list}
      rows={rows}
      title="Devices"
      note={total !== undefined && formatCount(total)}
      aside={<StateChips counts={deployment.deviceCounts} {...{ state, reason }} onShow={show} />}
      empty={<None {...{ state, reason }} onShow={show} />}
    >
      {(updates) => (
        <ListedTable
          list="deployment-updates"
          viewedList="deployment-devices"
          csv={exportUpdates(workspaceId, name, { state, reason })}
          label="Devices of this deployment"
          columns={COLUMNS}
          rows={updates}
          totalCount={total}
          keyOf={({ updateId }) => updateId}
          onOpen={({ deviceId }, go) =>
            go({
              to: '/w/$workspaceId/devices/$deviceId',
              params: { workspaceId, deviceId },
            })
          }
          onEnd={() => loadNextPage(list)}
        />
      )}
    </ListPanel>
  )
}

interface Shown extends UpdateFilter {
  onShow: (state: DeviceState | undefined) => void
}

function None({ state, reason, onShow }: Shown) {
  return (
    <Empty
      title={state ? `No device here: ${nameOfDeviceState(state).toLowerCase()}` : 'No device yet'}
      action={
        <DropFilters
          filters={DEPLOYMENT.listFilters({ state, reason })}
          onChange={(next) => onShow('state' in next ? undefined : state)}
        />
      }
    >
      Devices that join the cohort get this deployment too.
    </Empty>
  )
}

interface StateChipsProps extends Shown {
  counts: Deployment['deviceCounts']
}

/** What runs and, apart from it, what has ended. */
function StateChips({ counts, state, reason, onShow }: StateChipsProps) {
  const chipOf = (one: DeviceState) => (
    <Chip
      key={one}
      isOn={one === state}
      count={counts[one]}
      onChange={(isOn) => onShow(isOn ? one : undefined)}
    >
      {nameOfDeviceState(one)}
    </Chip>
  )
  const ended = ENDED_STATES.filter((one) => counts[one] > 0 || one === state)
  return (
    <>
      <ChipRow label="State">
        {reason !== undefined && (
          <Chip isOn isRemovable onChange={() => onShow('failed')}>
            {reason === '' ? 'no reason was given' : reason}
          </Chip>
        )}
        {PRESENT_STATES.map(chipOf)}
      </ChipRow>
      {ended.length > 0 && <ChipRow label="Ended">{ended.map(chipOf)}</ChipRow>}
    </>
  )
}
