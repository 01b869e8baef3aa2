/** How many active findings each owner has; each number leads to its rows. */
import type { OwnerCount, Severity } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { ownerCountsQuery } from './queries.ts'

const countOf = ({ countsBySeverity }: OwnerCount, severity: Severity) =>
  countsBySeverity.find((one) => one.severity === severity)?.count ?? 0

const COLUMNS: readonly CardColumn<OwnerCount>[] = [
  {
    title: 'Owner',
    isPlain: true,
    cell: ({ owner }) =>
      owner ? (
        <>
          <strong>{owner.name}</strong> {owner.type === 'Team' && <Tag>team</Tag>}
        </>
      ) : (
        'nobody'
      ),
  },
  { title: 'Active', cell: (one) => <CountLink of={one} count={one.activeCount} /> },
  {
    title: 'Critical',
    cell: (one) => <CountLink of={one} severity="Critical" count={countOf(one, 'Critical')} />,
  },
  { title: 'High', cell: (one) => formatCount(countOf(one, 'High')) },
  { title: 'Medium', cell: (one) => formatCount(countOf(one, 'Medium')) },
]

interface CountLinkProps {
  of: OwnerCount
  count: number
  severity?: 'Critical'
}

function CountLink({ of: { owner }, count, severity }: CountLinkProps) {
  const workspaceId = useWorkspaceId()
  const what = severity === undefined ? 'active' : 'critical'
  return (
    <Link
      to="/w/$workspaceId/findings"
      params={{ workspaceId }}
      search={{ show: 'active', group: 'single', assignee: owner?.id ?? 'nobody', severity }}
      aria-label={`${formatCount(count)} ${what} of ${owner?.name ?? 'nobody'}`}
    >
      {formatCount(count)}
    </Link>
  )
}

const FILE: ListFile<OwnerCount> = {
  name: 'owners',
  columns: [
    ['owner', ({ owner }) => owner?.name ?? 'nobody'],
    ['kind', ({ owner }) => owner?.type ?? null],
    ['active', ({ activeCount }) => activeCount],
    ...(['Critical', 'High', 'Medium', 'Low'] as const).map(
      (severity) => [severity, (one: OwnerCount) => countOf(one, severity)] as const,
    ),
  ],
}

export function CountsPanel() {
  const query = useQuery(ownerCountsQuery(useWorkspaceId()))
  return (
    <ListPanel
      query={query}
      rows={query.data?.owners}
      loadingRows={3}
      title="Whose findings are"
      note="who is assigned, else by the first rule that fits; a member also has what their teams have"
    >
      {(rows) => (
        <CardTable
          label="Owners"
          list="owners"
          csv={FILE}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ owner }) => owner?.id ?? ''}
        />
      )}
    </ListPanel>
  )
}
