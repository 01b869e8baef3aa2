/** What deployments did with the device, the newest first. */
import type { UpdateOfDevice } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../components/data-table.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { UPDATE_COLUMNS } from '../../components/update-columns.tsx'
import { useWorkspaceId } from '../../session.ts'
import { updatesOfDeviceQuery } from './queries.ts'

const COLUMNS: readonly Column<UpdateOfDevice>[] = [
  {
    id: 'deployment',
    title: 'Deployment',
    width: 'minmax(0, 1.2fr)',
    cell: ({ deployment }) => deployment.name,
  },
  {
    id: 'versions',
    title: 'Brings',
    width: 'minmax(0, 1fr)',
    cell: ({ deployment }) =>
      deployment.firmwareVersions
        .map(({ firmware, name }) => `${firmware.name} ${name}`)
        .join(', '),
    isWideOnly: true,
  },
  ...UPDATE_COLUMNS,
]

export function UpdatesTab({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(updatesOfDeviceQuery(workspaceId, deviceId))
  return (
    <ListPanel
      query={list}
      rows={list.data?.pages.flatMap((page) => page.deviceUpdates)}
      title="Updates"
      note="one for each deployment that reached the device"
      empty={
        <Empty
          title="No deployment reached it yet"
          action={
            <Link to="/w/$workspaceId/deployments" params={{ workspaceId }}>
              Deployments
            </Link>
          }
        >
          A deployment updates the devices of a cohort. What it did with this one will stand here.
        </Empty>
      }
    >
      {(rows) => (
        <ListedTable
          list="device-updates"
          csv={{
            path: `/workspaces/${workspaceId}/devices/${encodeURIComponent(deviceId)}/updates/export`,
            body: {},
          }}
          label="Updates of this device"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ updateId }) => updateId}
          onOpen={({ deployment }, go) =>
            go({
              to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
              params: {
                workspaceId,
                deploymentCohortId: deployment.cohort.id,
                deploymentId: deployment.id,
              },
            })
          }
          onEnd={() => loadNextPage(list)}
        />
      )}
    </ListPanel>
  )
}
