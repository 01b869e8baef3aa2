/** The versions of one firmware, newest first, each with its mark. */
import type { Firmware, FirmwareVersionListItem } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { DevicesLink } from '../../components/devices-link.tsx'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListedTable } from '../../components/listed-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { SEVERITIES, type Severity } from '../../components/severity.tsx'
import { NOT_COUNTED, SeverityCounts } from '../../components/severity-counts.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { firmwareQuery, linesQuery, versionsQuery } from '../../workspace-queries.ts'
import { FirmwareProductLine } from './firmware-product-line.tsx'
import { LinesButton } from './lines/lines-dialog.tsx'
import { VersionLine } from './lines/version-line.tsx'
import { NewVersion } from './new-version.tsx'
import { describeSecurityOnly } from './security-only.tsx'
import { vulnerableQuery } from './queries.ts'

interface VersionRow extends FirmwareVersionListItem {
  counts: { severity: Severity; count: number }[] | undefined
}

/** Where a firmware has release lines: to which one a version belongs, and whether it is the newest of it. */
const lineColumn = (firmwareId: string): Column<VersionRow> => ({
  id: 'line',
  title: 'Line',
  width: 'minmax(110px, 1fr)',
  cell: (version) => (
    <>
      <VersionLine version={version} firmwareId={firmwareId} />{' '}
      {version.line && version.isNewestOfLine && <Tag tone="accent">newest</Tag>}
    </>
  ),
})

const COLUMNS: readonly Column<VersionRow>[] = [
  {
    id: 'mark',
    title: 'Mark',
    width: 'minmax(220px, 2fr)',
    cell: ({ mark }) => <Mark mark={mark} />,
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(0, 1fr)',
    cell: ({ name, securityOnly }) => (
      <>
        <code>{name}</code> {securityOnly === true && <Tag>security only</Tag>}
      </>
    ),
  },
  {
    id: 'counts',
    title: 'Active findings',
    width: '270px',
    cell: ({ id, counts, sbomCount, mark }) => {
      if (sbomCount === 0) return 'not known without an SBOM'
      if (counts === undefined) return NOT_COUNTED
      if (counts.length === 0 && mark.state === 'Unknown') return 'none found, not all is known'
      return <SeverityCounts versionId={id} counts={counts} />
    },
  },
  {
    id: 'devices',
    title: 'Devices',
    width: '110px',
    isNumber: true,
    cell: ({ id, affectedDeviceCount }) => (
      <DevicesLink of={{ version: id }} count={affectedDeviceCount} />
    ),
  },
  {
    id: 'sboms',
    title: 'SBOMs',
    width: '60px',
    isNumber: true,
    cell: ({ id, sbomCount }) => <SbomsLink versionId={id} count={sbomCount} />,
    isWideOnly: true,
  },
  {
    id: 'created',
    title: 'Created',
    width: '100px',
    isNumber: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="date" />,
  },
]

function SbomsLink({ versionId, count }: { versionId: string; count: number }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/versions/$versionId"
      params={{ workspaceId, versionId }}
      search={{ tab: 'sboms' }}
    >
      {formatCount(count)}
    </Link>
  )
}

/** Empty where nobody has counted. */
const countOf = (severity: Severity, counts: VersionRow['counts']) =>
  counts ? (counts.find((one) => one.severity === severity)?.count ?? 0) : null

/** The list as a file, with the mark in words. */
const fileOf = (slug: string): ListFile<VersionRow> => ({
  name: `${slug}-versions`,
  columns: [
    'id',
    ['version', ({ name }) => name],
    ['line', ({ line }) => line?.name ?? null],
    ['newestOfLine', ({ isNewestOfLine }) => (isNewestOfLine ? 'yes' : 'no')],
    ['mark', ({ mark }) => mark.state],
    ['sentence', ({ mark }) => mark.sentence],
    ['outOfSupportFrom', ({ supportPeriod }) => supportPeriod.endsOn],
    ...SEVERITIES.slice(0, 4).map(
      (severity) => [severity, ({ counts }: VersionRow) => countOf(severity, counts)] as const,
    ),
    ['devices', ({ affectedDeviceCount }) => affectedDeviceCount],
    ['sboms', ({ sbomCount }) => sbomCount],
    'createdAt',
    ['securityOnly', ({ securityOnly }) => describeSecurityOnly(securityOnly)],
  ],
})

export function FirmwarePage() {
  const { firmwareId } = useParams({ from: '/w/$workspaceId/firmware/$firmwareId' })
  const workspaceId = useWorkspaceId()
  const firmware = useQuery(firmwareQuery(workspaceId, firmwareId))
  return (
    <>
      <TopBar
        title={firmware.data?.name ?? 'Firmware'}
        {...(firmware.data && { subject: `firmware:${firmware.data.id}` })}
        trail={[
          <Link key="firmware" to="/w/$workspaceId/firmware" params={{ workspaceId }}>
            Firmware
          </Link>,
        ]}
      />
      <Page>
        {firmware.error && (
          <Failure error={firmware.error} onRetry={() => void firmware.refetch()} />
        )}
        {firmware.data && <FirmwareProductLine firmware={firmware.data} />}
        {firmware.data && <Versions firmware={firmware.data} />}
      </Page>
    </>
  )
}

function useVersionRows(firmwareId: string) {
  const workspaceId = useWorkspaceId()
  const versions = useQuery(versionsQuery(workspaceId, firmwareId))
  const { data: vulnerable } = useQuery(vulnerableQuery(workspaceId, firmwareId))
  const counts = new Map(
    vulnerable?.map((one) => [one.firmwareVersionId, one.vulnerabilitySummary.countsBySeverity]),
  )
  const rows = versions.data?.firmwareVersions.map((version) => ({
    ...version,
    // Versions without active findings are not in the answer.
    counts: vulnerable && version.sbomCount > 0 ? (counts.get(version.id) ?? []) : undefined,
  }))
  return { rows, query: versions }
}

function Versions({
  firmware: { id: firmwareId, slug, name, description },
}: {
  firmware: Firmware
}) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Firmware: write')
  const { rows, query } = useVersionRows(firmwareId)
  const { data: lined } = useQuery(linesQuery(workspaceId, firmwareId))
  const hasLines = lined !== undefined && lined.lines.length > 0
  return (
    <ListPanel
      query={query}
      rows={rows}
      title="Versions"
      note={description ?? undefined}
      aside={
        <>
          <Link
            to="/w/$workspaceId/exposure"
            params={{ workspaceId }}
            search={{ firmware: firmwareId }}
          >
            Exposure over time
          </Link>
          {lined && (mayWrite || hasLines) && <LinesButton firmwareId={firmwareId} found={lined} />}
          {mayWrite && (
            <NewVersion
              firmwareId={firmwareId}
              newest={hasLines ? undefined : rows?.[0]}
              lines={lined?.lines ?? []}
            />
          )}
        </>
      }
      empty={
        <Empty title="No version yet">
          Add the version that your build makes. Its SBOM says what is inside; devices report it by
          this name.
        </Empty>
      }
    >
      {(versions) => (
        <ListedTable
          list="versions"
          csv={fileOf(slug)}
          label={`Versions of ${name}`}
          columns={hasLines ? COLUMNS.toSpliced(2, 0, lineColumn(firmwareId)) : COLUMNS}
          rows={versions}
          keyOf={({ id }) => id}
          onOpen={({ id }, go) =>
            go({
              to: '/w/$workspaceId/versions/$versionId',
              params: { workspaceId, versionId: id },
            })
          }
        />
      )}
    </ListPanel>
  )
}
