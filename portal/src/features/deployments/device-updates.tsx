import type { DeviceUpdate, DeviceUpdateStateCounts } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Chip, ChipRow } from '../../components/chip.tsx'
import type { Column } from '../../components/data-table.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { UPDATE_COLUMNS } from '../../components/update-columns.tsx'
import { nameOfState, type UpdateState, UPDATE_STATES } from '../../components/update-states.ts'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type DeploymentName, type UpdateFilter, updatesQuery } from './queries.ts'
import { countAll } from './words.ts'

const COLUMNS: readonly Column<DeviceUpdate>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(0, 1fr)',
    cell: ({ deviceId }) => <code>{deviceId}</code>,
  },
  ...UPDATE_COLUMNS,
]

/** "is …" in the address, as an empty reason would be dropped from it. */
const reasonIn = (text: string | undefined) => (text?.startsWith('is ') ? text.slice(3) : undefined)

export function DeviceUpdates({
  name,
  counts,
}: {
  name: DeploymentName
  counts: DeviceUpdateStateCounts
}) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { state, reason: given } = useSearch({
    from: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
  })
  const reason = state === 'failed' ? reasonIn(given) : undefined
  const list = useInfiniteQuery(updatesQuery(workspaceId, name, { state, reason }))
  const rows = list.data?.pages.flatMap((page) => page.deviceUpdates)
  const total = reason === undefined ? countedIn(counts, state) : (rows?.length ?? 0)
  const show = (next: UpdateState | undefined) =>
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
      note={reason === undefined ? formatCount(total) : 'with one reason'}
      aside={<StateChips {...{ counts, state, reason }} onShow={show} />}
      empty={<None state={state} />}
    >
      {(updates) => (
        <ListedTable
          list="deployment-updates"
          label="Devices of this deployment"
          columns={COLUMNS}
          rows={updates}
          totalCount={total}
          keyOf={({ updateId }) => updateId}
          onOpen={({ deviceId }) =>
            void navigate({
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

const countedIn = (counts: DeviceUpdateStateCounts, state: UpdateState | undefined): number =>
  state ? counts[state] : countAll(counts)

function None({ state }: { state: UpdateState | undefined }) {
  return (
    <Empty title={state ? `No device is ${nameOfState(state).toLowerCase()}` : 'No device yet'}>
      {state
        ? 'Switch the filter off to see the others.'
        : 'Devices that join the cohort get this deployment too.'}
    </Empty>
  )
}

interface StateChipsProps extends UpdateFilter {
  counts: DeviceUpdateStateCounts
  onShow: (state: UpdateState | undefined) => void
}

function StateChips({ counts, state, reason, onShow }: StateChipsProps) {
  return (
    <ChipRow label="State">
      {reason !== undefined && (
        <Chip isOn isRemovable onChange={() => onShow('failed')}>
          {reason === '' ? 'no reason was given' : reason}
        </Chip>
      )}
      {UPDATE_STATES.map((one) => (
        <Chip
          key={one.state}
          isOn={one.state === state}
          count={counts[one.state]}
          onChange={(isOn) => onShow(isOn ? one.state : undefined)}
        >
          {one.name}
        </Chip>
      ))}
    </ChipRow>
  )
}
