/** What assistants and pipelines propose to decide, over the whole workspace. */
import type { DecisionProposal } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Choice } from '../../components/choice.tsx'
import type { Column } from '../../components/data-table.tsx'
import { describeAssessment } from '../../components/decision/assessments.ts'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { selectColumn } from '../../components/select-column.tsx'
import { useSelection } from '../../components/selection.ts'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import type { ProposalsSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { firmwaresQuery } from '../../workspace-queries.ts'
import { Evidence, nameAuthor, ProposalActs } from './proposals.tsx'
import css from './proposals-page.module.css'
import { RefuseMany } from './refuse-proposals.tsx'
import { allProposalsQuery } from './queries.ts'

const route = getRouteApi('/w/$workspaceId/proposals')

const COLUMNS: readonly Column<DecisionProposal>[] = [
  {
    id: 'finding',
    title: 'Vulnerability',
    width: 'minmax(0, 1.4fr)',
    cell: (proposal) => <Finding of={proposal} />,
  },
  {
    id: 'version',
    title: 'In',
    width: 'minmax(0, 1fr)',
    cell: ({ firmwareVersion }) => firmwareVersion.name,
  },
  {
    id: 'proposed',
    title: 'Proposed',
    width: 'minmax(0, 1fr)',
    cell: ({ assessment }) => <strong>{describeAssessment(assessment)}</strong>,
  },
  { id: 'by', title: 'By', width: 'minmax(0, 1fr)', cell: nameAuthor },
  {
    id: 'reason',
    title: 'Because',
    width: 'minmax(0, 2fr)',
    cell: (proposal) => <Because of={proposal} />,
  },
  {
    id: 'at',
    title: 'Since',
    width: '90px',
    isNumber: true,
    cell: ({ proposedAt }) => <Time at={proposedAt} as="date" />,
    isWideOnly: true,
  },
]

const DECIDE: Column<DecisionProposal> = {
  id: 'decide',
  title: <span className="visually-hidden">Decide</span>,
  width: '330px',
  cell: (proposal) => <ProposalActs proposal={proposal} />,
}

const OUTCOME: Column<DecisionProposal> = {
  id: 'outcome',
  title: 'Decided',
  width: 'minmax(0, 1.2fr)',
  cell: ({ state, decidedByEmail, refusal }) => {
    const text = [
      STATES.find(({ value }) => value === state)?.text ?? state,
      decidedByEmail && `by ${decidedByEmail}`,
      refusal,
    ]
      .filter(Boolean)
      .join(', ')
    return <span title={text}>{text}</span>
  },
}

function Finding({ of: { findingId, cveId, component } }: { of: DecisionProposal }) {
  const workspaceId = useWorkspaceId()
  return (
    <>
      <Link to="/w/$workspaceId/findings/$findingId" params={{ workspaceId, findingId }}>
        <code>{cveId}</code>
      </Link>{' '}
      {component.name} {component.version ?? ''}
    </>
  )
}

function Because({ of: proposal }: { of: DecisionProposal }) {
  return (
    <div className={css['because']}>
      <span title={proposal.reason}>{proposal.reason}</span>
      <Evidence proposal={proposal} />
    </div>
  )
}

export function ProposalsPage() {
  const workspaceId = useWorkspaceId()
  const search = route.useSearch()
  const query = useQuery(allProposalsQuery(workspaceId, search))
  const { proposals, openCount, authors = [], hasMore } = query.data ?? {}
  return (
    <>
      <TopBar
        title="Proposals"
        trail={[
          <Link key="findings" to="/w/$workspaceId/findings" params={{ workspaceId }}>
            Findings
          </Link>,
        ]}
      />
      <Page>
        <Filters authors={authors} />
        <ListPanel
          query={query}
          rows={proposals}
          title="Proposals"
          note={
            openCount === undefined
              ? undefined
              : `${formatCount(openCount)} wait for a decision${hasMore ? '. The first 500 are shown.' : ''}`
          }
          empty={
            <Empty title="None">
              What assistants and pipelines propose to decide is listed here, until somebody takes,
              changes or refuses it.
            </Empty>
          }
        >
          {(rows) => <Proposals rows={rows} search={search} />}
        </ListPanel>
      </Page>
    </>
  )
}

const STATES = [
  { value: 'Open', text: 'Open' },
  { value: 'Taken', text: 'Taken' },
  { value: 'Changed', text: 'Changed' },
  { value: 'Refused', text: 'Refused' },
  { value: 'Replaced', text: 'Replaced' },
] as const

const ASSESSMENTS = ['InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved'] as const

function Filters({ authors }: { authors: readonly { id: string; name: string }[] }) {
  const workspaceId = useWorkspaceId()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const firmwares = useQuery(firmwaresQuery(workspaceId)).data?.firmwares ?? []
  const change = (changes: Partial<ProposalsSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...changes }), replace: true })
  return (
    <div className={css['filters']}>
      <Choice
        label="State"
        options={STATES}
        value={search.state ?? 'Open'}
        onChange={(state) => change({ state: state === 'Open' ? undefined : (state ?? undefined) })}
      />
      <Choice
        label="Firmware"
        none="Any firmware"
        options={firmwares.map(({ id, name }) => ({ value: id, text: name }))}
        value={search.firmware ?? null}
        onChange={(firmware) => change({ firmware: firmware ?? undefined })}
      />
      <Choice
        label="Proposed by"
        none="Anybody"
        options={authors.map(({ id, name }) => ({ value: id, text: name }))}
        value={search.by ?? null}
        onChange={(by) => change({ by: by ?? undefined })}
      />
      <Choice
        label="What is proposed"
        none="Any assessment"
        options={ASSESSMENTS.map((value) => ({ value, text: describeAssessment(value) }))}
        value={search.assessment ?? null}
        onChange={(assessment) => change({ assessment: assessment ?? undefined })}
      />
    </div>
  )
}

const FILE: ListFile<DecisionProposal> = {
  name: 'proposals',
  columns: [
    'state',
    ['cve', ({ cveId }) => cveId],
    ['component', ({ component }) => component.name],
    ['componentVersion', ({ component }) => component.version],
    ['version', ({ firmwareVersion }) => firmwareVersion.name],
    'assessment',
    'justification',
    'detail',
    ['by', nameAuthor],
    'reason',
    ['proposedAt', ({ proposedAt }) => proposedAt],
    ['decidedBy', ({ decidedByEmail }) => decidedByEmail],
    'refusal',
    ['findingId', ({ findingId }) => findingId],
  ],
}

const keyOf = ({ id }: DecisionProposal) => id
const nameOf = (proposal: DecisionProposal) =>
  `the proposal of ${nameAuthor(proposal)} about ${proposal.cveId} in ${proposal.firmwareVersion.name}`

function Proposals({
  rows,
  search,
}: {
  rows: readonly DecisionProposal[]
  search: ProposalsSearch
}) {
  const isOpen = search.state === undefined
  const mayDecide = useMay('Vulnerabilities: write') && isOpen
  const selection = useSelection(rows.map(keyOf), JSON.stringify(search))
  const selected = rows.filter((row) => selection.has(keyOf(row)))
  const last = mayDecide ? [DECIDE] : isOpen ? [] : [OUTCOME]
  // What is proposed stands on the button that takes it.
  const shown = mayDecide ? COLUMNS.filter(({ id }) => id !== 'proposed') : COLUMNS
  const columns = [...shown, ...last]
  return (
    <>
      {mayDecide && <RefuseMany selected={selected} onDone={selection.clear} />}
      <ListedTable
        list="proposals"
        csv={FILE}
        label="Proposals"
        cardLines={5}
        columns={mayDecide ? [selectColumn(selection, keyOf, nameOf), ...columns] : columns}
        rows={rows}
        keyOf={keyOf}
      />
    </>
  )
}
