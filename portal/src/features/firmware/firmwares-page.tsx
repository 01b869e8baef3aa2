/** What devices run, what is newest, and where it is overloaded: all firmwares with their versions. */
import type { FirmwareOverview } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, type UseNavigateResult, useSearch } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { type ListFile, saveRows } from '../../components/download-csv.ts'
import { DropFilters } from '../../components/drop-filters.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { MARK_WORDS, MarkSign, type MarkState } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { SEVERITIES } from '../../components/severity.tsx'
import { Empty } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { FIRMWARES, type FirmwaresSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { createColumns } from './firmware-columns.tsx'
import { type FirmwareRow, nameRow, listRows, splitFolded } from './firmware-rows.ts'
import { FirmwareSentence } from './firmware-sentence.tsx'
import css from './firmwares-page.module.css'
import { NewFirmware } from './new-firmware.tsx'
import { firmwareOverviewQuery } from './queries.ts'

type Show = NonNullable<FirmwaresSearch['show']>

const GROUPS: readonly { show: Show | undefined; text: string; sign?: MarkState }[] = [
  { show: undefined, text: 'All' },
  { show: 'InField', text: 'In the field' },
  { show: 'Overloaded', text: MARK_WORDS.Overloaded, sign: 'Overloaded' },
  { show: 'ToDecide', text: MARK_WORDS.ToDecide, sign: 'ToDecide' },
  { show: 'Unknown', text: MARK_WORDS.Unknown, sign: 'Unknown' },
  { show: 'OnNoDevice', text: 'On no device' },
]

/** As many as the service lists. */
const MOST_IN_CSV = 1000

async function saveOverview(workspaceId: string, show: Show | undefined): Promise<void> {
  const { firmwares } = await api.get('/workspaces/{workspaceId}/firmware-overview', {
    params: { workspaceId },
    query: { group: show ?? 'All', limit: MOST_IN_CSV },
  })
  saveRows(
    FILE,
    firmwares.flatMap(({ versions, ...firmware }) =>
      versions.map((version) => ({ ...version, firmware })),
    ),
  )
}

type Firmware = FirmwareOverview['firmwares'][number]
type FiledVersion = Firmware['versions'][number] & { firmware: Omit<Firmware, 'versions'> }

const FILE: ListFile<FiledVersion> = {
  name: 'firmware',
  columns: [
    ['firmware', ({ firmware }) => firmware.slug],
    ['name', ({ firmware }) => firmware.name],
    ['version', ({ name }) => name],
    ['versionId', ({ id }) => id],
    ['mark', ({ mark }) => mark.state],
    ['sentence', ({ mark }) => mark.sentence],
    ['devices', ({ deviceCount }) => deviceCount],
    ...SEVERITIES.slice(0, 4).map(
      (severity) =>
        [
          severity,
          // Not known is no zero.
          ({ countsBySeverity }: FiledVersion) =>
            countsBySeverity?.find((one) => one.severity === severity)?.count ?? '',
        ] as const,
    ),
  ],
}

export function FirmwaresPage() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/firmware' })
  const navigate = useNavigate({ from: '/w/$workspaceId/firmware' })
  const change = (next: FirmwaresSearch) =>
    void navigate({ search: { ...search, ...next }, replace: true })
  const mayWrite = useMay('Firmware: write')
  const { show } = search
  const query = useQuery(firmwareOverviewQuery(workspaceId, { ...(show && { show }) }))
  const { data } = query
  return (
    <>
      <TopBar title="Firmware" />
      <Page>
        <div className={css['opens']}>
          <FirmwareSentence devices={data?.devices} />
          {mayWrite && <NewFirmware />}
        </div>
        <ChipRow label="Which versions">
          {GROUPS.map((group) => (
            <Chip
              key={group.text}
              isOn={show === group.show}
              count={countVersions(data, group.show)}
              onChange={() => change({ show: group.show })}
            >
              {group.sign && <MarkSign state={group.sign} size={16} isBesideWord />}
              {group.text}
            </Chip>
          ))}
        </ChipRow>
        <ListPanel
          query={query}
          rows={data?.firmwares}
          title="Versions"
          note={noteOf(data)}
          empty={
            show === undefined ? (
              <Empty title="No firmware yet">
                A firmware is what one kind of device runs. Create one, then add a version and drop
                its SBOM there.
              </Empty>
            ) : (
              <Empty
                title="No such version"
                action={<DropFilters filters={FIRMWARES.listFilters(search)} onChange={change} />}
              >
                No version of this workspace is in this group.
              </Empty>
            )
          }
        >
          {(firmwares) => (
            <Versions
              rows={listRows(firmwares, search)}
              folded={search.folded}
              onFold={(folded) => change({ folded })}
              onCsv={() => void saveOverview(workspaceId, show)}
            />
          )}
        </ListPanel>
      </Page>
    </>
  )
}

interface VersionsProps {
  rows: readonly FirmwareRow[]
  folded: string | undefined
  onFold: (folded: string | undefined) => void
  onCsv: () => void
}

function Versions({ rows, folded, onFold, onCsv }: VersionsProps) {
  const workspaceId = useWorkspaceId()
  const toggle = (slug: string) => {
    const others = splitFolded(folded).filter((one) => one !== slug)
    const next = others.length < splitFolded(folded).length ? others : [...others, slug]
    onFold(next.length === 0 ? undefined : next.join(','))
  }
  const open = (row: FirmwareRow, go: UseNavigateResult<string>) => {
    if (row.kind === 'version' && row.version.id !== null)
      void go({
        to: '/w/$workspaceId/versions/$versionId',
        params: { workspaceId, versionId: row.version.id },
      })
    else if (row.kind === 'version' || row.firmware.id === null)
      void go({
        to: '/w/$workspaceId/devices',
        params: { workspaceId },
        search: { show: 'unknown' },
      })
    else
      void go({
        to: '/w/$workspaceId/firmware/$firmwareId',
        params: { workspaceId, firmwareId: row.firmware.id },
      })
  }
  return (
    <ListedTable
      list="firmware"
      label="Firmware"
      columns={createColumns(toggle)}
      rows={rows}
      keyOf={nameRow}
      cardLines={1}
      isHead={({ kind }) => kind === 'firmware'}
      onOpen={open}
      viewedList="firmware"
      csv={onCsv}
    />
  )
}

function countVersions(overview: FirmwareOverview | undefined, show: Show | undefined) {
  return overview?.versionCounts.find(({ group }) => group === (show ?? 'All'))?.versions
}

function noteOf(overview: FirmwareOverview | undefined): string {
  const unlisted = overview?.unlistedUnregistered ?? 0
  if (unlisted === 0) return 'by devices that run them'
  return `by devices that run them; ${unlisted} more that nobody registered are not listed here`
}
