import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Dot, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import {
  isUpdateState,
  nameOfState,
  type StateCounts,
  type UpdateState,
  UPDATE_STATES,
} from '../../components/update-states.ts'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type DeploymentName, type DeviceUpdate, updatesQuery } from './queries.ts'
import { totalOf } from './words.ts'

const TONES: Record<UpdateState, Tone> = {
  succeeded: 'ok',
  inProgress: 'accent',
  failed: 'danger',
  cancelled: 'muted',
  pending: 'muted',
}

const COLUMNS: readonly Column<DeviceUpdate>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(0, 1fr)',
    cell: ({ deviceId }) => <code>{deviceId}</code>,
  },
  {
    id: 'state',
    title: 'State',
    width: '150px',
    cell: ({ state, progress, unconfirmed }) => (
      <Dot tone={TONES[state]} isHollow={state === 'pending'}>
        {nameOfState(state)}
        {state === 'inProgress' && progress !== null && `, ${progress} %`}
        {unconfirmed && ', not confirmed'}
      </Dot>
    ),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(0, 2fr)',
    cell: ({ reason, releasedAt, state }) =>
      reason ?? (state === 'pending' && releasedAt === null ? 'its phase has not begun' : ''),
  },
  {
    id: 'attempt',
    title: 'Attempt',
    width: '70px',
    isNumber: true,
    cell: ({ attempt }) => attempt,
    isWideOnly: true,
  },
  {
    id: 'at',
    title: 'Last step',
    width: '110px',
    isNumber: true,
    cell: (update) => <Time at={lastStepOf(update)} />,
  },
]

const lastStepOf = ({
  finishedAt,
  installedAt,
  startedAt,
  releasedAt,
  createdAt,
}: DeviceUpdate): string => finishedAt ?? installedAt ?? startedAt ?? releasedAt ?? createdAt

export function DeviceUpdates({ name, counts }: { name: DeploymentName; counts: StateCounts }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const search: Record<string, string | undefined> = useSearch({
    from: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
  })
  const state = isUpdateState(search['state']) ? search['state'] : undefined
  const list = useInfiniteQuery(updatesQuery(workspaceId, name, state))
  const rows = list.data?.pages.flatMap((page) => page.deviceUpdates) ?? []
  const total = state ? counts[state] : totalOf(counts)
  const show = (next: UpdateState | undefined) =>
    void navigate({
      to: '.',
      search: (next ? { state: next } : {}) as Record<string, string>,
      replace: true,
      resetScroll: false,
    })
  return (
    <Panel
      title="Devices"
      note={formatCount(total)}
      aside={
        <ChipRow label="State">
          {UPDATE_STATES.map((one) => (
            <Chip
              key={one.state}
              isOn={one.state === state}
              count={counts[one.state]}
              onChange={(isOn) => show(isOn ? one.state : undefined)}
            >
              {one.name}
            </Chip>
          ))}
        </ChipRow>
      }
      isFlush
    >
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title={state ? `No device is ${nameOfState(state).toLowerCase()}` : 'No device yet'}>
          {state
            ? 'Switch the filter off to see the others.'
            : 'Devices that join the cohort get this deployment too.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Devices of this deployment"
          columns={COLUMNS}
          rows={rows}
          totalCount={total}
          keyOf={({ updateId }) => updateId}
          onOpen={({ deviceId }) =>
            void navigate({
              to: '/w/$workspaceId/devices/$deviceId',
              params: { workspaceId, deviceId },
            })
          }
          onEnd={() => {
            if (list.hasNextPage && !list.isFetching) void list.fetchNextPage()
          }}
        />
      )}
    </Panel>
  )
}
