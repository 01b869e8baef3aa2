/** All cases, open clocks first. */
import type { CaseList, CaseSummary } from '@plimsoll/api-client'
import { CASE_STATE } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { drawClock } from '../../components/cases/clock-drawing.ts'
import { findNextClock } from '../../components/cases/next-clock.ts'
import { NoAdvice } from '../../components/cases/law-mark.tsx'
import { casesQuery } from '../../components/cases/queries.ts'
import { lowerStage, STATE_WORDS, TYPE_WORDS } from '../../components/cases/words.ts'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { Choice } from '../../components/choice.tsx'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { DropFilters } from '../../components/drop-filters.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { selectColumn } from '../../components/select-column.tsx'
import { useSelection } from '../../components/selection.ts'
import { Empty } from '../../components/states.tsx'
import { Dot, Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatCalendarDay, formatUtc } from '../../format/dates.ts'
import { CASES, type CasesSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { isFound, readCaseFilter, REPORTS_SINCE } from './case-filters.ts'
import css from './cases.module.css'
import { DismissMany } from './dismiss-many.tsx'
import { NewCase } from './new-case.tsx'

const route = getRouteApi('/w/$workspaceId/cases')

const COLUMNS: readonly Column<CaseSummary>[] = [
  {
    id: 'next',
    title: 'Next',
    width: 'minmax(0, 1.5fr)',
    cell: (one) => <Next one={one} />,
  },
  {
    id: 'title',
    title: 'Case',
    width: 'minmax(0, 2fr)',
    cell: ({ title, isDrill }) => (
      <>
        {isDrill && <Tag tone="warn">drill</Tag>} <span title={title}>{title}</span>
      </>
    ),
  },
  {
    id: 'cve',
    title: 'Vulnerability',
    width: '150px',
    cell: ({ cveId, type }) => (cveId === null ? TYPE_WORDS[type] : <code>{cveId}</code>),
  },
  { id: 'state', title: 'State', width: '100px', cell: ({ state }) => STATE_WORDS[state] },
  {
    id: 'lines',
    title: 'Product lines',
    width: 'minmax(0, 1.2fr)',
    cell: ({ productLines }) =>
      productLines.map(({ name }) => name).join(', ') || <em>not known</em>,
  },
  {
    id: 'aware',
    title: 'Aware since',
    width: '110px',
    cell: ({ awareAt }) => (awareAt === null ? <em>not set</em> : <Time at={awareAt} as="date" />),
    isWideOnly: true,
  },
]

/** What is due next, or what the case waits for. */
function Next({ one }: { one: CaseSummary }) {
  const { state, nextLookAt, assessBefore } = one
  const now = new Date()
  if (state === 'Open') {
    const clock = findNextClock(one)
    if (!clock) return <Dot tone="ok">all recorded</Dot>
    const { tone, words } = drawClock(clock, { startedAt: undefined, now })
    return (
      <Dot tone={tone}>
        <span title={clock.dueAt === null ? '' : `due ${formatUtc(clock.dueAt)}`}>
          {lowerStage(clock.stage)}, {words}
        </span>
      </Dot>
    )
  }
  if (state === 'Watching' && nextLookAt !== null)
    return (
      <>
        next look <Time at={nextLookAt} />
      </>
    )
  if (state === 'Proposed' && assessBefore !== null)
    return new Date(assessBefore) < now ? (
      <Dot tone="warn">to assess, overdue</Dot>
    ) : (
      <Dot tone="muted">to assess</Dot>
    )
  return one.hasNewVersions ? <Dot tone="warn">new versions since</Dot> : <span>nothing</span>
}

const FILE: ListFile<CaseSummary> = {
  name: 'cases',
  columns: [
    'id',
    'title',
    ['cve', ({ cveId }) => cveId],
    'type',
    'state',
    ['drill', ({ isDrill }) => (isDrill ? 'yes' : 'no')],
    'manufacturer',
    ['productLines', ({ productLines }) => productLines.map(({ name }) => name).join(', ')],
    ['memberStates', ({ memberStates }) => memberStates.join(' ')],
    'signalAt',
    'awareAt',
    ['awarenessEstimated', ({ isAwarenessEstimated }) => (isAwarenessEstimated ? 'yes' : 'no')],
    'measureAvailableAt',
    'nextStage',
    'nextDueAt',
    'listedOn',
  ],
}

export function CasesPage() {
  const workspaceId = useWorkspaceId()
  const search = route.useSearch()
  const query = useQuery(casesQuery(workspaceId, readCaseFilter(search)))
  const mayWrite = useMay('Cases: write')
  const { hasMore, counts } = query.data ?? {}
  const rows = query.data?.cases.filter((one) => isFound(search.q, one))
  return (
    <>
      <TopBar title="Cases" />
      <Page>
        <Filters counts={counts} />
        <ListPanel
          query={query}
          rows={rows}
          title="Cases"
          note={
            rows &&
            `${formatCountOf(rows.length, 'case')}, open clocks first${hasMore === true ? '; the first 500 are shown' : ''}`
          }
          aside={
            <>
              <Link to="/w/$workspaceId/disclosure-reports" params={{ workspaceId }}>
                Reports from outside
              </Link>
              <Link to="/w/$workspaceId/product-lines" params={{ workspaceId }}>
                Product lines
              </Link>
              <Link to="/w/$workspaceId/obligations" params={{ workspaceId }}>
                Obligations
              </Link>
              {mayWrite && <NewCase />}
            </>
          }
          empty={<None search={search} />}
        >
          {(listed) => <Cases rows={listed} search={search} />}
        </ListPanel>
        <NoAdvice />
      </Page>
    </>
  )
}

function None({ search }: { search: CasesSearch }) {
  const navigate = route.useNavigate()
  const filters = CASES.listFilters(search)
  if (filters.length > 0)
    return (
      <Empty
        title="No case by these filters"
        action={
          <DropFilters
            filters={filters}
            onChange={(next) =>
              void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
            }
          />
        }
      />
    )
  return (
    <Empty title="No case waits">
      A vulnerability that CISA or ENISA lists as exploited is proposed here once a version that has
      it was deployed, or devices report it. That rests on sources that are read and on SBOMs that
      are here. A case can also be made by hand.
    </Empty>
  )
}

const STATES = [
  { value: 'All', text: 'All states' },
  ...CASE_STATE.map((value) => ({ value, text: STATE_WORDS[value] })),
] as const

function Filters({ counts }: { counts: CaseList['counts'] | undefined }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changes: Partial<CasesSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...changes }), replace: true })
  const only = (state: 'Open' | 'Proposed' | 'Watching', count: number | undefined) => (
    <Chip
      isOn={search.state === state}
      onChange={(isOn) => change({ state: isOn ? state : undefined, late: undefined })}
      count={count}
    >
      {STATE_WORDS[state]}
    </Chip>
  )
  return (
    <div className={css['filters']}>
      <ChipRow label="What waits">
        <Chip
          tone="danger"
          isOn={search.late === '1'}
          onChange={(isOn) => change({ late: isOn ? '1' : undefined, state: undefined })}
          count={counts?.late}
        >
          Late
        </Chip>
        {only('Open', counts?.open)}
        {only('Proposed', counts?.proposed)}
        {only('Watching', counts?.watching)}
      </ChipRow>
      <Choice
        label="State"
        none="Neither closed nor dismissed"
        options={STATES}
        value={search.state ?? null}
        onChange={(state) => change({ state: state ?? undefined })}
      />
      <Choice
        label="Kind"
        none="Any kind"
        options={[
          { value: 'Vulnerability', text: 'Exploited vulnerabilities' },
          { value: 'Incident', text: 'Severe incidents' },
        ]}
        value={search.type ?? null}
        onChange={(type) => change({ type: type ?? undefined })}
      />
      <Choice
        label="Drills"
        none="With drills"
        options={[
          { value: 'only', text: 'Drills only' },
          { value: 'without', text: 'Without drills' },
        ]}
        value={search.drill ?? null}
        onChange={(drill) => change({ drill: drill ?? undefined })}
      />
      <Chip
        isOn={search.older === '1'}
        onChange={(isOn) => change({ older: isOn ? '1' : undefined })}
      >
        Listed before {formatCalendarDay(REPORTS_SINCE)}
      </Chip>
      <FilterInput
        aria-label="Filter by title, vulnerability, manufacturer or line"
        placeholder="Filter by title, id or line"
        value={search.q}
        onChange={(q) => change({ q: q === '' ? undefined : q })}
      />
    </div>
  )
}

const keyOf = ({ id }: CaseSummary) => id
const nameOf = ({ title }: CaseSummary) => `the case ${title}`

function Cases({ rows, search }: { rows: readonly CaseSummary[]; search: CasesSearch }) {
  const workspaceId = useWorkspaceId()
  const mayDecide = useMay('Cases: decide')
  const selection = useSelection(rows.map(keyOf), JSON.stringify(search))
  const selected = rows.filter((row) => selection.has(keyOf(row)))
  return (
    <>
      {mayDecide && <DismissMany selected={selected} onDone={selection.clear} />}
      <ListedTable
        list="cases"
        csv={FILE}
        label="Cases"
        cardLines={4}
        columns={mayDecide ? [selectColumn(selection, keyOf, nameOf), ...COLUMNS] : COLUMNS}
        rows={rows}
        keyOf={keyOf}
        selection={mayDecide ? selection : undefined}
        onOpen={({ id }, go) =>
          go({ to: '/w/$workspaceId/cases/$caseId', params: { workspaceId, caseId: id } })
        }
      />
    </>
  )
}
