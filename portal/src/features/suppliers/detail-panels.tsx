/** What is behind the numbers of a feed: its documents, and what the supplier says that makes no finding. */
import type { SupplierAffected, SupplierDocument, SupplierFeed } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import { affectedQuery, documentsQuery } from './queries.ts'
import css from './suppliers.module.css'

interface PanelProps {
  feed: SupplierFeed
}

const AFFECTED_COLUMNS: readonly CardColumn<SupplierAffected>[] = [
  {
    title: 'Vulnerability',
    isPlain: true,
    cell: ({ vulnerability }) => <Vulnerability id={vulnerability} />,
  },
  {
    title: 'Component',
    cell: ({ component, componentVersion }) =>
      component === null ? 'the version itself' : `${component} ${componentVersion ?? ''}`,
  },
  {
    title: 'In',
    cell: ({ firmwareVersionId, firmwareName, firmwareVersionName }) => (
      <Version id={firmwareVersionId} name={`${firmwareName} ${firmwareVersionName}`} />
    ),
  },
  { title: 'The supplier says', cell: ({ detail }) => detail ?? 'affected' },
  { title: 'Document', cell: ({ document }) => document ?? 'without an id' },
]

function Vulnerability({ id }: { id: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link {...findVulnerabilityPage(workspaceId, id)}>
      <code>{id}</code>
    </Link>
  )
}

function Version({ id, name }: { id: string; name: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId: id }}>
      {name}
    </Link>
  )
}

const AFFECTED_FILE: ListFile<SupplierAffected> = {
  name: 'affected-without-finding',
  columns: [
    'vulnerability',
    'component',
    'componentVersion',
    'firmwareName',
    'firmwareVersionName',
    'detail',
    'document',
    'statedAt',
  ],
}

export function AffectedPanel({ feed }: PanelProps) {
  const query = useQuery(affectedQuery(useWorkspaceId(), feed.id))
  return (
    <ListPanel
      id="affected"
      query={query}
      rows={query.data?.statements}
      title="Affected without a finding"
      note={`says ${feed.name}, and no source of this service knows it; the first 1,000`}
      empty={
        <Empty title="None">
          Sources know all that {feed.name} says is affected in your versions.
        </Empty>
      }
    >
      {(rows) => (
        <CardTable
          label="Affected without a finding"
          list="affected-without-finding"
          csv={AFFECTED_FILE}
          columns={AFFECTED_COLUMNS}
          rows={rows}
          keyOf={keyOfAffected}
        />
      )}
    </ListPanel>
  )
}

const keyOfAffected = (one: SupplierAffected) =>
  [one.vulnerability, one.component, one.firmwareVersionId, one.document].join(' ')

const STATES = {
  Read: { tone: 'ok', text: 'in force' },
  Withdrawn: { tone: 'muted', text: 'withdrawn' },
  Refused: { tone: 'danger', text: 'refused' },
} as const

const DOCUMENT_COLUMNS: readonly CardColumn<SupplierDocument>[] = [
  {
    title: 'Document',
    isPlain: true,
    cell: ({ title, url }) => (
      <>
        <strong>{title ?? 'No title is known'}</strong>
        <p className={css['note']}>{url}</p>
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ state }) => <Dot tone={STATES[state].tone}>{STATES[state].text}</Dot>,
  },
  {
    title: 'Why',
    cell: ({ error, readAt }) =>
      error !== null && readAt !== null ? `${error} What was read before holds.` : error,
  },
  { title: 'Listed', cell: ({ listedAt }) => <Time at={listedAt} as="date" /> },
  {
    title: 'Fetched',
    cell: ({ readAt }) => (readAt === null ? 'never' : <Time at={readAt} as="date" />),
  },
]

const DOCUMENTS_FILE: ListFile<SupplierDocument> = {
  name: 'supplier-documents',
  columns: ['title', 'url', 'state', 'error', 'listedAt', 'triedAt', 'readAt'],
}

export function DocumentsPanel({ feed }: PanelProps) {
  const query = useQuery(documentsQuery(useWorkspaceId(), feed.id))
  return (
    <ListPanel
      id="documents"
      query={query}
      rows={query.data?.documents}
      title={`Documents of ${feed.name}`}
      note="those that cannot be used first; 1,000 at most"
      empty={<Empty title="None yet">Nothing was fetched: {feed.standing}</Empty>}
    >
      {(rows) => (
        <CardTable
          label="Documents"
          list="supplier-documents"
          csv={DOCUMENTS_FILE}
          columns={DOCUMENT_COLUMNS}
          rows={rows}
          keyOf={({ url }) => url}
        />
      )}
    </ListPanel>
  )
}
