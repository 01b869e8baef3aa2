/** One report from outside: what was written, what is due, and what the team does with it. Texts of strangers are shown as text. */
import { ApiProblem, type DisclosureReport } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { findBlockingError } from '../../../components/blocking-error.ts'
import { GoodPractice, NoAdvice } from '../../../components/cases/law-mark.tsx'
import {
  casesQuery,
  disclosureReportQuery,
  productLinesQuery,
} from '../../../components/cases/queries.ts'
import { FailedPage } from '../../../components/failed-page.tsx'
import { Page } from '../../../components/page.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Empty, Loading } from '../../../components/states.tsx'
import { Dot, Tag } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { TopBar } from '../../../components/top-bar.tsx'
import { useWorkspaceId } from '../../../session.ts'
import type { CaseAct } from '../act.ts'
import { ActButtons } from '../act-button.tsx'
import { ActDialog } from '../act-dialog.tsx'
import css from '../cases.module.css'
import * as acts from './acts.ts'
import { DISMISSAL_WORDS, EVENT_WORDS, REPORT_STATE_WORDS, STEP_WORDS } from './words.ts'

const route = getRouteApi('/w/$workspaceId/disclosure-reports/$reportId')

export function DisclosureReportPage() {
  const { reportId } = route.useParams()
  const query = useQuery(disclosureReportQuery(useWorkspaceId(), reportId))
  const error = findBlockingError(query)
  if (error instanceof ApiProblem && [400, 404].includes(error.problem.status)) return <Gone />
  if (error)
    return (
      <FailedPage title="Report from outside" error={error} onRetry={() => void query.refetch()} />
    )
  if (!query.data) return <Loading rows={8} />
  return <Content key={reportId} one={query.data} />
}

function AllReports({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/disclosure-reports" params={{ workspaceId }}>
      {children}
    </Link>
  )
}

const TRAIL = [<AllReports key="reports">Reports from outside</AllReports>]

function Gone() {
  return (
    <>
      <TopBar title="Report from outside" trail={TRAIL} />
      <Page>
        <Empty title="There is no such report" action={<AllReports>All reports</AllReports>}>
          Is the link whole, and of this workspace? Reports are not deleted.
        </Empty>
      </Page>
    </>
  )
}

function Content({ one }: { one: DisclosureReport }) {
  const [act, setAct] = useState<CaseAct>()
  const part = { one, onAct: setAct }
  return (
    <>
      <TopBar title={one.title} subject={`disclosure-report:${one.id}`} trail={TRAIL} />
      <Page>
        <Head {...part} />
        <div className={css['case']}>
          <div className={css['stack']}>
            <Panel title="The report" note="as it was sent">
              <p className={css['stranger']}>
                <bdi>{one.text}</bdi>
              </p>
            </Panel>
            <Conversation {...part} />
          </div>
          <div className={css['stack']}>
            <Clocks {...part} />
            <Sender {...part} />
            <Ends {...part} />
          </div>
        </div>
        <NoAdvice />
      </Page>
      {act && <ActDialog act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}

interface ReportPart {
  one: DisclosureReport
  onAct: (act: CaseAct) => void
}

const isEnded = ({ state }: DisclosureReport) => state === 'Dismissed' || state === 'Disclosed'

function Head({ one, onAct }: ReportPart) {
  const workspaceId = useWorkspaceId()
  const { data: lines } = useQuery(productLinesQuery(workspaceId))
  const { data: cases } = useQuery(casesQuery(workspaceId, { isOpen: 'true' }))
  const on = { workspaceId, one }
  return (
    <Panel>
      <p className={css['sentence']}>{describeStanding(one)}</p>
      <div className={css['facts']}>
        <Tag tone={one.isWaiting ? 'warn' : 'muted'}>
          {one.dismissal === null ? REPORT_STATE_WORDS[one.state] : DISMISSAL_WORDS[one.dismissal]}
        </Tag>
        <span>
          Received <Time at={one.receivedAt} />
        </span>
        <span>{one.productLineName ?? 'product not known'}</span>
        {one.caseId !== null && (
          <Link to="/w/$workspaceId/cases/$caseId" params={{ workspaceId, caseId: one.caseId }}>
            Its case
          </Link>
        )}
        {one.duplicateOfId !== null && (
          <Link
            to="/w/$workspaceId/disclosure-reports/$reportId"
            params={{ workspaceId, reportId: one.duplicateOfId }}
          >
            The report that it repeats
          </Link>
        )}
      </div>
      {!isEnded(one) && (
        <ActButtons
          acts={[
            { act: acts.answer(on), label: 'Answer…', isPrimary: one.hasUnanswered },
            {
              act: acts.propose(on, lines?.productLines ?? []),
              label: 'Propose a case…',
              isPrimary: !one.hasUnanswered && one.caseId === null,
            },
            { act: acts.join(on, cases?.cases ?? []), label: 'Join a case…' },
            { act: acts.dismiss(on), label: 'Dismiss…' },
          ]}
          onAct={onAct}
        />
      )}
    </Panel>
  )
}

function describeStanding(one: DisclosureReport): string {
  if (one.state === 'Disclosed') return 'Disclosed.'
  if (one.state === 'Dismissed') return 'Dismissed: whoever reported sees that it is closed.'
  const answer = one.hasUnanswered ? 'Somebody is to answer.' : 'Answered.'
  const assessment = one.caseId === null ? ' Somebody is to assess it.' : ' It is in a case.'
  return `${answer}${assessment}`
}

function Conversation({ one, onAct }: ReportPart) {
  const on = { workspaceId: useWorkspaceId(), one }
  return (
    <Panel title="Since then" note="oldest first">
      {one.events.length === 0 && (
        <p className={`${css['note']} ${css['apart']}`}>Nobody has written anything yet.</p>
      )}
      <ul className={css['told']}>
        {one.events.map((event) => (
          <li key={event.id}>
            <span>
              {EVENT_WORDS[event.kind]}
              {event.dismissal !== null && `: ${DISMISSAL_WORDS[event.dismissal]}`}
              {event.kind === 'Embargo' && event.instant === null && ' the policy says'}{' '}
              {event.instant !== null && <Time at={event.instant} as="dateTime" />}
            </span>
            {event.text !== null && (
              <p className={css['stranger']}>
                <bdi>{event.text}</bdi>
              </p>
            )}
            <p>
              <Time at={event.recordedAt} as="dateTime" /> by{' '}
              {event.isByReporter ? 'whoever reported' : (event.byEmail ?? 'an API key')}
            </p>
          </li>
        ))}
      </ul>
      <ActButtons
        size="small"
        acts={[
          { act: acts.answer(on), label: 'Answer…', name: 'Answer whoever reported' },
          { act: acts.note(on), label: 'Note for the team…' },
        ]}
        onAct={onAct}
      />
    </Panel>
  )
}

const TONES = { Done: 'ok', DoneLate: 'warn', Running: 'muted', Late: 'danger' } as const

function Clocks({ one, onAct }: ReportPart) {
  const on = { workspaceId: useWorkspaceId(), one }
  return (
    <Panel title="Times" aside={<GoodPractice />}>
      <ul className={css['concerned']}>
        {one.clocks.map(({ step, dueAt, doneAt, state }) => (
          <li key={step}>
            <Dot tone={TONES[state]}>{STEP_WORDS[step]}</Dot>
            {doneAt === null ? (
              <span>
                {state === 'Late' ? 'was due' : 'due'} <Time at={dueAt} as="dateTime" />
              </span>
            ) : (
              <span>
                done <Time at={doneAt} as="dateTime" />
                {state === 'DoneLate' && ', late'}
              </span>
            )}
          </li>
        ))}
      </ul>
      {!isEnded(one) && (
        <ActButtons
          size="small"
          acts={[{ act: acts.setEmbargo(on), label: 'Set an embargo…' }]}
          onAct={onAct}
        />
      )}
    </Panel>
  )
}

function Sender({ one, onAct }: ReportPart) {
  const on = { workspaceId: useWorkspaceId(), one }
  return (
    <Panel title="Who reported">
      <dl className={css['terms']}>
        <dt>Contact</dt>
        <dd>
          {one.contact !== null ? (
            <bdi>{one.contact}</bdi>
          ) : one.contactErasedAt !== null ? (
            <em>
              erased <Time at={one.contactErasedAt} />
            </em>
          ) : (
            <em>anonymous</em>
          )}
        </dd>
        <dt>To be thanked as</dt>
        <dd>{one.credit === null ? <em>nobody</em> : <bdi>{one.credit}</bdi>}</dd>
      </dl>
      <ActButtons
        size="small"
        acts={[
          { act: acts.setCredit(on), label: 'Change the name…' },
          ...(one.contact === null
            ? []
            : [{ act: acts.eraseContact(on), label: 'Erase the contact…' }]),
        ]}
        onAct={onAct}
      />
    </Panel>
  )
}

function Ends({ one, onAct }: ReportPart) {
  const on = { workspaceId: useWorkspaceId(), one }
  return (
    <Panel title={isEnded(one) ? 'Reopen' : 'End it'} aside={<GoodPractice />}>
      <ActButtons
        acts={
          isEnded(one)
            ? [{ act: acts.reopen(on), label: 'Reopen…' }]
            : [{ act: acts.recordDisclosure(on), label: 'It was disclosed…' }]
        }
        onAct={onAct}
      />
    </Panel>
  )
}
