/** Decisions that also hold for findings to come, and who made them. */
import type { StandingDecision } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { api } from '../../api.ts'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListedTable } from '../../components/listed-table.tsx'
import { describeAssessment, JUSTIFICATIONS } from '../../components/decision/assessments.ts'
import { Page } from '../../components/page.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { standingDecisionsQuery } from './queries.ts'

const COLUMNS: readonly Column<StandingDecision>[] = [
  {
    id: 'vulnerability',
    title: 'Vulnerability',
    width: '160px',
    cell: ({ vulnerabilityId }) => <Vulnerability cveId={vulnerabilityId} />,
  },
  {
    id: 'component',
    title: 'In',
    width: 'minmax(0, 1fr)',
    cell: ({ componentName, line }) => (
      <>
        {componentName === null ? 'whatever component' : <code>{componentName}</code>}
        {line && ` of ${line.firmware.name}, line ${line.name}`}
      </>
    ),
  },
  {
    id: 'decision',
    title: 'Decision',
    width: 'minmax(0, 1fr)',
    cell: (decision) => <strong>{decisionText(decision)}</strong>,
  },
  {
    id: 'reason',
    title: 'Because',
    width: 'minmax(0, 2fr)',
    cell: (decision) => <span title={reasonText(decision)}>{reasonText(decision)}</span>,
  },
  {
    id: 'by',
    title: 'By',
    width: 'minmax(0, 1fr)',
    cell: ({ createdByEmail }) => createdByEmail ?? 'a key',
    isWideOnly: true,
  },
  {
    id: 'at',
    title: 'Since',
    width: '90px',
    isNumber: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="date" />,
  },
]

export function StandingPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(standingDecisionsQuery(workspaceId))
  const decisions = query.data?.standingDecisions
  return (
    <>
      <TopBar
        title="Standing decisions"
        trail={[
          <Link key="findings" to="/w/$workspaceId/findings" params={{ workspaceId }}>
            Findings
          </Link>,
        ]}
      />
      <Page>
        <ListPanel
          query={query}
          rows={decisions}
          title="Standing decisions"
          note={
            decisions &&
            `${formatCountOf(decisions.length, 'decision')} that findings to come take over, unless somebody decided them`
          }
          empty={
            <Empty title="None yet">
              Decide a finding with “later ones too”: the decision then also holds for findings that
              begin later.
            </Empty>
          }
        >
          {(rows) => <Decisions decisions={rows} />}
        </ListPanel>
      </Page>
    </>
  )
}

const FILE: ListFile<StandingDecision> = {
  name: 'standing-decisions',
  columns: [
    ['cve', ({ vulnerabilityId }) => vulnerabilityId],
    ['component', ({ componentName }) => componentName],
    ['firmware', ({ line }) => line?.firmware.slug ?? null],
    ['line', ({ line }) => line?.name ?? null],
    'assessment',
    ['ignored', ({ ignored }) => String(ignored)],
    'justification',
    'detail',
    ['by', ({ createdByEmail }) => createdByEmail],
    ['at', ({ createdAt }) => createdAt],
  ],
}

function Decisions({ decisions }: { decisions: readonly StandingDecision[] }) {
  const mayDecide = useMay('Vulnerabilities: write')
  const columns = mayDecide ? [...COLUMNS, REMOVE] : COLUMNS
  return (
    <ListedTable
      list="standing-decisions"
      csv={FILE}
      label="Standing decisions"
      cardLines={3}
      columns={columns}
      rows={decisions}
      keyOf={({ id }) => id}
    />
  )
}

const REMOVE: Column<StandingDecision> = {
  id: 'remove',
  title: <span className="visually-hidden">Remove</span>,
  width: '90px',
  cell: (decision) => <RemoveButton decision={decision} />,
}

function RemoveButton({ decision }: { decision: StandingDecision }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/standing-decisions/{standingDecisionId}', {
        params: { workspaceId, standingDecisionId: decision.id },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Remove the decision about ${decision.vulnerabilityId}`}
      title={`Remove “${decisionText(decision)}” for ${decision.vulnerabilityId}?`}
      verb="Remove decision"
      act={remove}
      what="Findings that it decided stay decided. Those that begin later wait for a decision."
    >
      Remove…
    </ConfirmedButton>
  )
}

function Vulnerability({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link {...findVulnerabilityPage(workspaceId, cveId)}>
      <code>{cveId}</code>
    </Link>
  )
}

function decisionText({ assessment, ignored }: StandingDecision): string {
  const texts = [assessment !== null && describeAssessment(assessment), ignored && 'Ignored']
  return texts.filter(Boolean).join(', ')
}

function reasonText({ justification, detail }: StandingDecision): string {
  const words = JUSTIFICATIONS.find(({ value }) => value === justification)?.text ?? justification
  return [words, detail].filter(Boolean).join(' · ')
}
