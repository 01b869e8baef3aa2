import type { Firmware } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { saveCsv } from '../../components/download-csv.ts'
import { ListMenu } from '../../components/list-menu.tsx'
import { listChoosable, pickShown, useListView } from '../../components/list-view.ts'
import { Page } from '../../components/page.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { firmwaresQuery } from '../../workspace-queries.ts'
import { NewFirmware } from './new-firmware.tsx'

const COLUMNS: readonly Column<Firmware>[] = [
  {
    id: 'name',
    title: 'Firmware',
    width: 'minmax(0, 2fr)',
    cell: ({ name }) => <strong>{name}</strong>,
  },
  {
    id: 'slug',
    title: 'Short name',
    width: 'minmax(0, 1fr)',
    cell: ({ slug }) => <code>{slug}</code>,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(0, 3fr)',
    cell: ({ description }) => description,
    isWideOnly: true,
  },
  {
    id: 'versions',
    title: 'Versions',
    width: '90px',
    isNumber: true,
    cell: ({ versionCount }) => formatCount(versionCount),
  },
  {
    id: 'updated',
    title: 'Changed',
    width: '90px',
    isNumber: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} as="age" />,
  },
]

function saveFirmwares(firmwares: readonly Firmware[]): void {
  saveCsv('firmware.csv', [
    ['id', 'slug', 'name', 'description', 'versions', 'changedAt'],
    ...firmwares.map(({ id, slug, name, description, versionCount, updatedAt }) => [
      id,
      slug,
      name,
      description,
      versionCount,
      updatedAt,
    ]),
  ])
}

export function FirmwaresPage() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useMay('Firmware: write')
  const query = useQuery(firmwaresQuery(workspaceId))
  const firmwares = query.data?.firmwares
  const [view, setView] = useListView('firmware')
  return (
    <>
      <TopBar title="Firmware" />
      <Page>
        <ListPanel
          query={query}
          rows={firmwares}
          title="Firmware"
          note="one for each image that devices run"
          aside={
            <>
              {mayWrite && <NewFirmware />}
              <ListMenu
                view={view}
                onChange={setView}
                columns={listChoosable(COLUMNS)}
                onCsv={() => saveFirmwares(firmwares ?? [])}
              />
            </>
          }
          empty={
            <Empty title="No firmware yet">
              A firmware is what one kind of device runs. Create one, then add a version and drop
              its SBOM there.
            </Empty>
          }
        >
          {(rows) => (
            <DataTable
              label="Firmware"
              columns={pickShown(COLUMNS, view)}
              isCompact={view.isCompact}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }) =>
                void navigate({
                  to: '/w/$workspaceId/firmware/$firmwareId',
                  params: { workspaceId, firmwareId: id },
                })
              }
            />
          )}
        </ListPanel>
      </Page>
    </>
  )
}
