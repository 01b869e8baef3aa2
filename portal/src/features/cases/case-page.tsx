/** One case: the time that is left, what is missing, whom it concerns, what was submitted, and all facts. */
import { ApiProblem, type Case } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { AdvisoriesOf } from '../../components/advisories/advisories-of.tsx'
import { DraftAdvisory } from '../../components/advisories/draft-advisory.tsx'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { GoodPractice, Law, NoAdvice } from '../../components/cases/law-mark.tsx'
import { formatSpan } from '../../components/cases/clock-drawing.ts'
import { caseQuery, productLinesQuery } from '../../components/cases/queries.ts'
import { nameCase, STATE_WORDS, TYPE_WORDS } from '../../components/cases/words.ts'
import { UpstreamReports } from '../../components/cases/upstream-reports.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { CaseAct, CasePart } from './act.ts'
import { ActButtons } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'
import { Assessment } from './assessment.tsx'
import css from './cases.module.css'
import { ClocksPanel } from './clocks-panel.tsx'
import { Concerned } from './concerned.tsx'
import { close, dismiss, reopen } from './ending-acts.ts'
import { FactsPanel } from './facts-panel.tsx'
import { JoinedReports } from './joined-reports.tsx'
import { MissingPanel } from './missing-panel.tsx'
import { NextStep } from './next-step.tsx'
import { ReportsPanel } from './reports-panel.tsx'
import { setAwareness, watch } from './stating-acts.ts'
import { useNow } from './use-now.ts'

const route = getRouteApi('/w/$workspaceId/cases/$caseId')

export function CasePage() {
  const { caseId } = route.useParams()
  const query = useQuery(caseQuery(useWorkspaceId(), caseId))
  const error = findBlockingError(query)
  if (error instanceof ApiProblem && [400, 404].includes(error.problem.status)) return <Gone />
  if (error) return <FailedPage title="Case" error={error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Loading rows={8} />
  return <Content key={caseId} one={query.data} />
}

function AllCases({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/cases" params={{ workspaceId }}>
      {children}
    </Link>
  )
}

const TRAIL = [<AllCases key="cases">Cases</AllCases>]

function Gone() {
  return (
    <>
      <TopBar title="Case" trail={TRAIL} />
      <Page>
        <Empty title="There is no such case" action={<AllCases>All cases</AllCases>}>
          Is the link whole, and of this workspace? Cases are not deleted.
        </Empty>
      </Page>
    </>
  )
}

function Content({ one }: { one: Case }) {
  const workspaceId = useWorkspaceId()
  const [act, setAct] = useState<CaseAct>()
  const now = useNow()
  const { data } = useQuery(productLinesQuery(workspaceId))
  const lines = data?.productLines.filter(({ id }) =>
    one.productLines.some((line) => line.id === id),
  )
  const part = { one, now, onAct: setAct }
  return (
    <>
      <TopBar title={nameCase(one)} subject={`case:${one.id}`} trail={TRAIL} />
      <Page>
        <Head {...part} />
        <div className={css['case']}>
          <div className={css['stack']}>
            <ClocksPanel {...part} timeZones={lines?.map(({ timeZone }) => timeZone) ?? []} />
            <MissingPanel {...part} lines={lines} all={data?.productLines ?? []} />
            <Concerned {...part} all={data?.productLines ?? []} />
            <ReportsPanel {...part} />
            <JoinedReports caseId={one.id} />
            {one.cveId !== null && (
              <Panel>
                <UpstreamReports cveId={one.cveId} />
              </Panel>
            )}
            <Advisories one={one} />
          </div>
          <div className={css['stack']}>
            {one.type === 'Vulnerability' && <Assessment {...part} />}
            <FactsPanel {...part} />
            <Ends {...part} />
          </div>
        </div>
        <NoAdvice />
      </Page>
      {act && <ActDialog act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}

function Head({ one, now, onAct }: CasePart) {
  const workspaceId = useWorkspaceId()
  const { state, type, cveId, manufacturer, isDrill, productLines } = one
  const on = { workspaceId, one }
  const isBefore = state === 'Proposed' || state === 'Watching'
  return (
    <Panel>
      <p className={css['sentence']}>{describeStanding(one, now)}</p>
      <div className={css['facts']}>
        <Tag tone={state === 'Open' ? 'danger' : 'muted'}>{STATE_WORDS[state]}</Tag>
        {isDrill && <Tag tone="warn">drill: nothing is to be reported</Tag>}
        <span>{TYPE_WORDS[type]}</span>
        {cveId !== null && (
          <Link {...findVulnerabilityPage(workspaceId, cveId)}>
            <code>{cveId}</code>
          </Link>
        )}
        <span>
          {productLines.length === 0
            ? 'product line not known'
            : `${productLines.map(({ name }) => name).join(', ')} of ${manufacturer}`}
        </span>
        {one.listedOn !== null && (
          <span>
            listed as exploited since <Time at={one.listedOn} as="date" />
          </span>
        )}
      </div>
      {one.appliesFrom !== null && (
        <p className={css['note']}>
          All lines are of stewards: Article 14 applies to them from{' '}
          <Time at={one.appliesFrom} as="date" />. <Law article="24(3), 71(2)" />
        </p>
      )}
      {state === 'Open' && <NextStep {...{ one, now, onAct }} />}
      {isBefore && (
        <ActButtons
          acts={[
            { act: setAwareness(on), isPrimary: true, label: 'Set the instant of awareness…' },
            { act: watch(on), label: 'Watch…' },
            { act: dismiss(on), label: 'Dismiss…' },
          ]}
          onAct={onAct}
        />
      )}
    </Panel>
  )
}

/** What holds now, in one sentence of facts. */
function describeStanding(one: Case, now: Date): string {
  const { state, awareAt, signalAt, isAwarenessEstimated } = one
  const ago = (at: string) => formatSpan(now.getTime() - Date.parse(at))
  switch (state) {
    case 'Proposed':
      return `Proposed ${ago(signalAt)} ago. No clock of the law runs: somebody is to look at it.`
    case 'Watching':
      return 'Watched. No clock of the law runs.'
    case 'Open':
      return `Aware for ${ago(awareAt ?? signalAt)}${isAwarenessEstimated ? ', by estimate' : ''}: reports are due without undue delay.`
    case 'Closed':
      return 'Closed.'
    case 'Dismissed':
      return 'Dismissed: somebody found nothing to report. The facts say who, and why.'
  }
}

function Advisories({ one }: { one: Case }) {
  return (
    <Panel title="Advisories for users" aside={<Law article="14(8)" />}>
      <div className={css['spaced']}>
        <AdvisoriesOf filter={{ caseId: one.id }} none="None was drafted of this case." />
        <DraftAdvisory source={{ caseId: one.id }} size="small" />
      </div>
    </Panel>
  )
}

function Ends({ one, onAct }: CasePart) {
  const workspaceId = useWorkspaceId()
  const on = { workspaceId, one }
  const isEnded = one.state === 'Closed' || one.state === 'Dismissed'
  const waits = one.clocks.some(({ stage, doneAt }) => stage === 'UsersInformed' && doneAt === null)
  const blocked = waits
    ? 'First record that users were informed, 14(8), or why not: no case is closed without.'
    : undefined
  return (
    <Panel title={isEnded ? 'Reopen' : 'End it'} aside={<GoodPractice />}>
      {isEnded ? (
        <ActButtons acts={[{ act: reopen(on), label: 'Reopen…' }]} onAct={onAct} />
      ) : (
        <ActButtons
          acts={[
            ...(one.state === 'Open'
              ? [{ act: close(on), label: 'Close…', ...(blocked && { blocked }) }]
              : []),
            { act: dismiss(on), label: 'Dismiss…' },
          ]}
          onAct={onAct}
        />
      )}
    </Panel>
  )
}
