import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconFlameFilled, IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Chip, ChipRow } from '../../../components/chip.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Exploited, SEVERITIES, SeverityBadge } from '../../../components/severity.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { Dot, Tag, type Tone } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { formatPercent } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import {
  type FirmwareVersion,
  summaryQuery,
  type VersionFilter,
  type VersionFinding,
  versionFindingsQuery,
  type VersionSort,
} from '../queries.ts'
import css from '../version-page.module.css'

const DECISIONS: Record<VersionFinding['assessment'], { text: string; tone: Tone }> = {
  NotAssessed: { text: 'Not assessed', tone: 'warn' },
  InTriage: { text: 'In triage', tone: 'accent' },
  Exploitable: { text: 'Exploitable', tone: 'danger' },
  NotAffected: { text: 'Not affected', tone: 'ok' },
  FalsePositive: { text: 'False positive', tone: 'ok' },
  Resolved: { text: 'Resolved', tone: 'ok' },
}

function Decision({ finding }: { finding: VersionFinding }) {
  const { text, tone } = DECISIONS[finding.assessment]
  if (finding.ignored) return <Dot tone="muted">Ignored</Dot>
  return (
    <Dot tone={tone} isHollow={finding.assessment === 'NotAssessed'}>
      {text}
    </Dot>
  )
}

const COLUMNS: readonly Column<VersionFinding>[] = [
  {
    id: 'severity',
    title: <span className="visually-hidden">Severity</span>,
    width: '20px',
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    id: 'cve',
    title: 'Vulnerability',
    width: '150px',
    sort: 'CveId',
    cell: ({ cveId }) => <code>{cveId}</code>,
  },
  {
    id: 'name',
    title: 'Title',
    width: 'minmax(0, 3fr)',
    cell: ({ name, confidence }) => (
      <>
        {name} {confidence === 'Low' && <Tag tone="warn">low confidence</Tag>}
      </>
    ),
  },
  {
    id: 'package',
    title: 'Package',
    width: 'minmax(0, 1.4fr)',
    sort: 'ComponentName',
    cell: ({ componentName, componentVersion }) => (
      <code>
        {componentName} {componentVersion}
      </code>
    ),
  },
  {
    id: 'kev',
    title: 'Known exploited',
    width: '110px',
    cell: ({ exploitedSources, isKnownCisaExploit }) =>
      (exploitedSources.length > 0 || isKnownCisaExploit) && <Exploited />,
  },
  {
    id: 'epss',
    title: 'EPSS',
    width: '80px',
    isNumber: true,
    sort: 'EpssScore',
    cell: ({ epssScore }) => (epssScore === null ? '' : formatPercent(epssScore)),
  },
  {
    id: 'assessment',
    title: 'Assessment',
    width: '130px',
    sort: 'Assessment',
    cell: (finding) => <Decision finding={finding} />,
  },
  {
    id: 'age',
    title: 'Age',
    width: '56px',
    isNumber: true,
    sort: 'DetectedAt',
    cell: ({ detectedAt }) => <Time at={detectedAt} as="age" />,
  },
]

type Search = Record<string, string | undefined>

interface FindingsTabProps {
  version: FirmwareVersion
  search: Search
  onChange: (next: Search) => void
}

export function FindingsTab({ version, search, onChange }: FindingsTabProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const sortColumn = (search['sort'] ?? 'Risk') as VersionSort
  const ascending = search['order'] === 'up'
  const asked = { filter: filterOf(search), sortColumn, ascending }
  const list = useInfiniteQuery(versionFindingsQuery(workspaceId, version.id, asked))
  const rows = list.data?.pages.flatMap((page) => page.findings) ?? []
  return (
    <>
      <Filters versionId={version.id} search={search} onChange={onChange} />
      <Panel isFlush>
        {list.error && rows.length === 0 && (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.isPending && <Loading rows={10} />}
        {list.isSuccess && rows.length === 0 && <NoFindings version={version} search={search} />}
        {rows.length > 0 && (
          <DataTable
            label="Findings"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            totalCount={list.data?.pages[0]?.totalCount}
            sortedBy={sortColumn}
            isAscending={ascending}
            onSort={(sort) =>
              onChange({ sort, order: sort === sortColumn && !ascending ? 'up' : undefined })
            }
            onOpen={({ id }) =>
              void navigate({
                to: '/w/$workspaceId/findings/$findingId',
                params: { workspaceId, findingId: id },
              })
            }
            onEnd={() => {
              if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
            }}
          />
        )}
      </Panel>
    </>
  )
}

function filterOf({ severity, exploited, open, q }: Search): VersionFilter {
  const wanted = SEVERITIES.find((one) => one === severity)
  return {
    ...(wanted && { severities: [wanted] }),
    ...(exploited === '1' && { exploited: true }),
    ...(open === '1' && { assessments: ['NotAssessed', 'InTriage'], ignored: false }),
    ...(q !== undefined && q !== '' && { name: [{ contains: q }] }),
  }
}

const TYPING_MS = 150

function Filters({
  versionId,
  search,
  onChange,
}: {
  versionId: string
  search: Search
  onChange: (next: Search) => void
}) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(summaryQuery(workspaceId, versionId))
  const type = useDebouncedCallback((q: string) => onChange({ q }), TYPING_MS)
  return (
    <div className={css['row']}>
      <TextInput
        aria-label="Filter by id, alias, or title"
        placeholder="Filter by id or title"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        defaultValue={search['q'] ?? ''}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <ChipRow label="Filters">
        {SEVERITIES.slice(0, 4).map((severity) => (
          <Chip
            key={severity}
            isOn={search['severity'] === severity}
            onChange={(isOn) => onChange({ severity: isOn ? severity : undefined })}
            count={data?.countsBySeverity.find((one) => one.severity === severity)?.count}
          >
            <SeverityBadge severity={severity} />
          </Chip>
        ))}
        <Chip
          isOn={search['exploited'] === '1'}
          onChange={(isOn) => onChange({ exploited: isOn ? '1' : undefined })}
          tone="danger"
        >
          <IconFlameFilled size={13} aria-hidden="true" />
          Exploited
        </Chip>
        <Chip
          isOn={search['open'] === '1'}
          onChange={(isOn) => onChange({ open: isOn ? '1' : undefined })}
        >
          To decide
        </Chip>
      </ChipRow>
      <a
        href={`/workspaces/${workspaceId}/firmware-versions/${versionId}/vulnerability-findings/export?format=csv`}
        download
      >
        CSV
      </a>
    </div>
  )
}

function NoFindings({ version, search }: { version: FirmwareVersion; search: Search }) {
  const { sbomCount } = version
  if (sbomCount === 0)
    return (
      <Empty title="Not known without an SBOM">
        Drop the SBOM of {version.name} anywhere on this page. Until then nobody can say what is in
        it.
      </Empty>
    )
  if (Object.keys(filterOf(search)).length > 0)
    return (
      <Empty title="Nothing matches">
        No finding of this version has all of these at once. Drop a filter.
      </Empty>
    )
  return (
    <Empty title="No findings">
      No record of the loaded sources names a component of this version. What could not be looked up
      is under Components.
    </Empty>
  )
}
