import type { Overview } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { DevicesLink } from '../../components/devices-link.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Panel } from '../../components/panel.tsx'
import { SeverityCounts } from '../../components/severity-counts.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { Empty } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'

type VersionInField = Overview['firmwareVersions'][number]

const COLUMNS: readonly Column<VersionInField>[] = [
  {
    id: 'mark',
    title: 'Mark',
    width: 'minmax(220px, 2fr)',
    cell: ({ mark }) => <Mark mark={mark} />,
  },
  {
    id: 'firmware',
    title: 'Firmware',
    width: 'minmax(0, 1fr)',
    cell: ({ firmwareVersion }) => firmwareVersion.firmware.name,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(0, 0.8fr)',
    cell: ({ firmwareVersion }) => <code>{firmwareVersion.name}</code>,
  },
  {
    id: 'devices',
    title: 'Devices',
    width: '110px',
    isNumber: true,
    cell: ({ firmwareVersion, deviceCount }) => (
      <DevicesLink of={{ version: firmwareVersion.id }} count={deviceCount} />
    ),
  },
  {
    id: 'counts',
    title: 'Active findings',
    width: '270px',
    cell: ({ mark, firmwareVersion, countsBySeverity }) =>
      mark.state === 'Unknown' && countsBySeverity.every(({ count }) => count === 0) ? (
        'not known without an SBOM'
      ) : (
        <SeverityCounts versionId={firmwareVersion.id} counts={countsBySeverity} />
      ),
  },
  {
    id: 'trend',
    title: 'Devices, 90 days',
    width: '110px',
    cell: ({ trend }) => <Sparkline values={trend.map(({ devices }) => devices)} />,
    isWideOnly: true,
  },
]

export function FirmwareInField({
  versions,
  total,
}: {
  versions: readonly VersionInField[]
  total: number
}) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel
      title="Firmware in the field"
      note="by risk"
      aside={
        <Link to="/w/$workspaceId/firmware" params={{ workspaceId }}>
          {total === 1 ? 'The one version' : `All ${formatCount(total)} versions`}
        </Link>
      }
      isFlush
    >
      {versions.length === 0 ? (
        <Empty title="No firmware yet">
          Create one under Firmware, then drop the SBOM of its version there.
        </Empty>
      ) : (
        <DataTable
          label="Firmware in the field"
          columns={COLUMNS}
          rows={versions}
          keyOf={({ firmwareVersion }) => firmwareVersion.id}
          onOpen={({ firmwareVersion }, go) =>
            go({
              to: '/w/$workspaceId/versions/$versionId',
              params: { workspaceId, versionId: firmwareVersion.id },
            })
          }
        />
      )}
    </Panel>
  )
}
