/** The left half of the findings page: the list with its head. */
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { BulkActs } from '../../components/decision/bulk-acts.tsx'
import { AssignButton } from '../../components/discussion/assign-button.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { ListMenu } from '../../components/list-menu.tsx'
import { type ListView, useListView } from '../../components/list-view.ts'
import { buildDecisionsReport, openReport } from '../../components/reports.ts'
import { SelectionBar, SelectLoaded, formatTotal } from '../../components/selection-bar.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { FINDINGS } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { type Group, GROUPS, readGrouping } from './finding-filters.ts'
import { FindingList } from './finding-list.tsx'
import css from './findings-page.module.css'
import { OutcomeGroups } from './outcome-groups.tsx'
import { createCsvRequest, type ListedPage } from './queries.ts'
import { listAssignTargets, listTargets } from './rows.ts'
import type { Findings } from './use-findings.ts'

interface ListSideProps {
  findings: Findings
  isNarrow: boolean
}

export function ListSide({ findings, isNarrow }: ListSideProps) {
  const { list, selection, outcomes } = findings
  const [view, setView] = useListView('findings')
  const error = outcomes.error ?? findBlockingError(list)
  return (
    <section className={css['list']} aria-label="Findings">
      <header className={css['head']}>
        <SelectLoaded selection={selection} />
        {(selection.isEmpty || isNarrow) && (
          <Head findings={findings} view={view} onView={setView} />
        )}
        {!selection.isEmpty && <Selected findings={findings} />}
      </header>
      {list.isPending && !error && <Loading rows={10} height={56} />}
      {error && (
        <Failure
          error={error}
          onRetry={() => void (outcomes.error ? outcomes.refetch() : list.refetch())}
        />
      )}
      {list.data && !error && (
        <OutcomeGroups findings={findings}>
          <Rows findings={findings} view={view} isNarrow={isNarrow} />
        </OutcomeGroups>
      )}
      {isNarrow && selection.isEmpty && <StartTriage findings={findings} />}
    </section>
  )
}

function Rows({ findings, view, isNarrow }: ListSideProps & { view: ListView }) {
  const { list, rows, at, change, group, selection } = findings
  if (rows.length === 0) return <NothingHere findings={findings} />
  return (
    <FindingList
      rows={rows}
      group={group}
      selection={selection}
      isCompact={view.isCompact}
      isNarrow={isNarrow}
      opened={at}
      onOpen={(key) => change({ at: key })}
      onEnd={() => {
        if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
      }}
    />
  )
}

function StartTriage({ findings: { rows, change } }: { findings: Findings }) {
  const [first] = rows
  if (first === undefined) return null
  return (
    <div className={css['start']}>
      <Button kind="primary" size="touch" onClick={() => change({ at: first.key })}>
        Start triage
      </Button>
    </div>
  )
}

const REPORT_DAYS = 30
const DAY_MS = 86_400_000

interface HeadProps {
  findings: Findings
  view: ListView
  onView: (view: ListView) => void
}

function Head({ findings, view, onView }: HeadProps) {
  const workspaceId = useWorkspaceId()
  const { total, group, filter, search, change, outcomes } = findings
  const grouping = readGrouping(search)
  const navigate = useNavigate()
  const toStanding = () =>
    void navigate({ to: '/w/$workspaceId/standing-decisions', params: { workspaceId } })
  const toAccepted = () =>
    void navigate({ to: '/w/$workspaceId/accepted-risks', params: { workspaceId } })
  const toProposals = () =>
    void navigate({ to: '/w/$workspaceId/proposals', params: { workspaceId } })
  const toOwners = () =>
    void navigate({ to: '/w/$workspaceId/settings/owners', params: { workspaceId } })
  const toWatched = () =>
    void navigate({ to: '/w/$workspaceId/you', params: { workspaceId }, hash: 'watched' })
  const openDecisions = () => {
    const from = new Date(Date.now() - REPORT_DAYS * DAY_MS).toISOString()
    openReport(buildDecisionsReport(workspaceId, { from }))
  }
  return (
    <>
      <span role="status">{total ? totalText(total, group, outcomes.opened) : 'Loading…'}</span>
      <div className={css['groups']} role="group" aria-label="Group">
        {GROUPS.map(([name, text]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === grouping}
            onClick={() =>
              change({
                group: name === 'vulnerability' ? undefined : name,
                at: undefined,
                sort: undefined,
                outcome: undefined,
              })
            }
          >
            {text}
          </button>
        ))}
      </div>
      <ListMenu
        view={view}
        onChange={onView}
        csv={createCsvRequest(workspaceId, filter, search)}
        viewedList="findings"
        more={[
          { text: 'Standing decisions', onChoose: toStanding },
          { text: 'Accepted risks', onChoose: toAccepted },
          { text: 'Proposals', onChoose: toProposals },
          { text: 'Owners', onChoose: toOwners },
          { text: 'Vulnerabilities that you watch', onChoose: toWatched },
          { text: `Report of decisions, last ${REPORT_DAYS} days`, onChoose: openDecisions },
        ]}
      />
    </>
  )
}

const NOUNS: Record<Group, [string, string]> = {
  vulnerability: ['vulnerability', 'vulnerabilities'],
  component: ['component', 'components'],
  single: ['finding', 'findings'],
}

/** `outcome`: whose findings these are, where they are grouped. */
function totalText(total: ListedPage, group: Group, outcome: string | undefined): string {
  const [one, many] = NOUNS[group]
  const count = `${formatTotal(total)} ${total.totalCount === 1 ? one : many}`
  const text = outcome === undefined ? count : `${outcome}: ${count}`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function Selected({ findings: { selection, rows, filter, total } }: { findings: Findings }) {
  const reaches = useMemo(() => {
    const chosen = rows.filter(({ key }) => selection.keys.has(key))
    if (selection.isAll) return [{ text: 'What the list shows', targets: [{ filter }] }]
    return [
      { text: 'What the list shows of them', targets: listTargets(filter, chosen) },
      { text: 'All findings of them, decided or not', targets: listTargets({}, chosen) },
    ]
  }, [rows, selection.keys, selection.isAll, filter])
  return (
    <SelectionBar
      selection={selection}
      total={total ?? { totalCount: rows.length, totalCountIsLowerBound: false }}
    >
      <AssignButton
        targets={
          selection.isAll
            ? [{ filter }]
            : listAssignTargets(rows.filter(({ key }) => selection.keys.has(key)))
        }
        onSent={selection.clear}
      />
      <BulkActs selection={selection} reaches={reaches} hasIgnored={filter.activeOnly !== true} />
    </SelectionBar>
  )
}

function NothingHere({ findings: { search, change, outcomes } }: { findings: Findings }) {
  const inUse = FINDINGS.listFilters(search)
  if (outcomes.counts.some(({ totalCount }) => totalCount > 0))
    return (
      <Empty title={`No finding here is ${outcomes.opened}`}>Others have another outcome.</Empty>
    )
  if (inUse.length === 0 && search.show === undefined)
    return (
      <Empty title="Nothing to decide">
        Every active finding has an assessment. Versions that could not be judged show as Unknown
        under Firmware.
      </Empty>
    )
  return (
    <Empty
      title="Nothing matches"
      action={
        <DropFilters filters={inUse} onChange={change}>
          {search.show !== 'all' && (
            <button type="button" onClick={() => change({ show: 'all' })}>
              Show decided ones too
            </button>
          )}
        </DropFilters>
      }
    >
      No finding here has all of these at once.
    </Empty>
  )
}
