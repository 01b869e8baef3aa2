/** Reports of vulnerabilities from outside, what is due first, and the page on which they are sent. */
import type { DisclosureReportSummary } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { disclosureReportsQuery } from '../../../components/cases/queries.ts'
import { NoAdvice } from '../../../components/cases/law-mark.tsx'
import { Chip, ChipRow } from '../../../components/chip.tsx'
import type { Column } from '../../../components/data-table.tsx'
import type { ListFile } from '../../../components/download-csv.ts'
import { ListPanel } from '../../../components/list-panel.tsx'
import { ListedTable } from '../../../components/listed-table.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { Dot } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { TopBar } from '../../../components/top-bar.tsx'
import { formatCountOf } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import css from '../cases.module.css'
import { PolicyPanel } from './policy-panel.tsx'
import { DISMISSAL_WORDS, REPORT_STATE_WORDS, STEP_WORDS } from './words.ts'

const route = getRouteApi('/w/$workspaceId/disclosure-reports')

const COLUMNS: readonly Column<DisclosureReportSummary>[] = [
  {
    id: 'next',
    title: 'Next',
    width: 'minmax(0, 1.5fr)',
    cell: ({ nextStep, nextDueAt, isLate }) =>
      nextStep === null || nextDueAt === null ? (
        <span>nothing</span>
      ) : (
        <Dot tone={isLate ? 'danger' : 'muted'}>
          {STEP_WORDS[nextStep]}, {isLate ? 'was due' : 'due'} <Time at={nextDueAt} as="date" />
        </Dot>
      ),
  },
  {
    id: 'title',
    title: 'Report',
    width: 'minmax(0, 2fr)',
    cell: ({ title }) => <bdi title={title}>{title}</bdi>,
  },
  {
    id: 'state',
    title: 'State',
    width: '140px',
    cell: ({ state, dismissal }) =>
      dismissal === null ? REPORT_STATE_WORDS[state] : DISMISSAL_WORDS[dismissal],
  },
  {
    id: 'product',
    title: 'Product',
    width: 'minmax(0, 1fr)',
    cell: ({ productLineName }) => productLineName ?? <em>product not known</em>,
  },
  {
    id: 'contact',
    title: 'From',
    width: 'minmax(0, 1fr)',
    cell: ({ contact }) => (contact === null ? <em>anonymous</em> : <bdi>{contact}</bdi>),
    isWideOnly: true,
  },
  {
    id: 'received',
    title: 'Received',
    width: '110px',
    cell: ({ receivedAt }) => <Time at={receivedAt} as="date" />,
  },
]

const FILE: ListFile<DisclosureReportSummary> = {
  name: 'disclosure-reports',
  columns: [
    'id',
    'title',
    'state',
    'dismissal',
    'productLineName',
    'contact',
    'credit',
    'receivedAt',
    'nextStep',
    'nextDueAt',
    'caseId',
    'embargoUntil',
    'disclosedAt',
  ],
}

export function DisclosureReportsPage() {
  const workspaceId = useWorkspaceId()
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(disclosureReportsQuery(workspaceId, readFilter(show)))
  const { reports, counts, hasMore } = query.data ?? {}
  const chip = (value: 'waiting' | 'all', text: string, count: number | undefined) => (
    <Chip
      isOn={show === value}
      onChange={(isOn) =>
        void navigate({
          search: (old) => ({ ...old, show: isOn ? value : undefined }),
          replace: true,
        })
      }
      count={count}
    >
      {text}
    </Chip>
  )
  return (
    <>
      <TopBar title="Reports from outside" />
      <Page>
        <div className={css['filters']}>
          <ChipRow label="Which reports">
            {chip('waiting', 'Waiting for somebody', counts?.waiting)}
            {chip('all', 'With ended ones', counts?.all)}
          </ChipRow>
        </div>
        <ListPanel
          query={query}
          rows={reports}
          title="Reports from outside"
          note={
            reports &&
            `${formatCountOf(reports.length, 'report')}, what is due first${hasMore === true ? '; the first 500 are shown' : ''}`
          }
          empty={
            <Empty title={show === 'waiting' ? 'No report waits' : 'No open report'}>
              Whoever finds a weakness in a product can report it on the public page below, once it
              is switched on.
            </Empty>
          }
        >
          {(rows) => (
            <ListedTable
              list="disclosure-reports"
              csv={FILE}
              label="Reports from outside"
              cardLines={4}
              columns={COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }, go) =>
                go({
                  to: '/w/$workspaceId/disclosure-reports/$reportId',
                  params: { workspaceId, reportId: id },
                })
              }
            />
          )}
        </ListPanel>
        <PolicyPanel />
        <NoAdvice />
      </Page>
    </>
  )
}

function readFilter(show: 'waiting' | 'all' | undefined) {
  if (show === 'all') return {}
  return show === 'waiting' ? { isWaiting: 'true' as const } : { isOpen: 'true' as const }
}
