/** The draft of a report: each field in the order of the platform, to copy, with where its text comes from. */
import type { Case, CaseDraft } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Clock } from '../../components/cases/case-clock.tsx'
import { findStart } from '../../components/cases/clock-drawing.ts'
import { GoodPractice, Law, NoAdvice } from '../../components/cases/law-mark.tsx'
import { nameMemberState } from '../../components/cases/member-states.ts'
import { caseQuery, draftQuery, productLinesQuery } from '../../components/cases/queries.ts'
import { lowerStage, STAGE_WORDS } from '../../components/cases/words.ts'
import { FailedPage } from '../../components/failed-page.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'
import type { CaseAct } from './act.ts'
import css from './cases.module.css'
import { findInstants } from './clocks-panel.tsx'
import { DraftFieldRow } from './draft-field.tsx'
import { recordDraft } from './report-acts.ts'
import { useNow } from './use-now.ts'

const route = getRouteApi('/w/$workspaceId/cases/$caseId/drafts/$stage')

export function DraftPage() {
  const { caseId, stage } = route.useParams()
  const query = useQuery(draftQuery(useWorkspaceId(), caseId, readStage(stage)))
  const error = findBlockingError(query)
  if (error) return <FailedPage title="Draft" error={error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Loading rows={8} />
  return <Content key={`${caseId} ${stage}`} draft={query.data} />
}

/** Addresses may hold anything. */
const readStage = (stage: string): CaseDraft['stage'] =>
  stage === 'Notification' || stage === 'FinalReport' ? stage : 'EarlyWarning'

function Content({ draft }: { draft: CaseDraft }) {
  const workspaceId = useWorkspaceId()
  const [act, setAct] = useState<CaseAct>()
  const { caseId, stage, title } = draft
  const { data: one } = useQuery(caseQuery(workspaceId, caseId))
  const on = { workspaceId, one: { id: caseId, title } }
  const blocked =
    draft.submittedReportId !== null
      ? 'Its submission is recorded.'
      : one && one.state !== 'Open'
        ? 'Nobody has set the instant of awareness, or the case has ended.'
        : undefined
  const offerRecord = (label: string) => (
    <ActButtons
      acts={[
        {
          act: recordDraft(on, draft),
          label,
          isPrimary: true,
          ...(blocked !== undefined && { blocked }),
        },
      ]}
      onAct={setAct}
    />
  )
  return (
    <>
      <TopBar
        title={`${STAGE_WORDS[stage]}: ${title}`}
        subject={`case:${caseId}`}
        trail={[
          <Link key="cases" to="/w/$workspaceId/cases" params={{ workspaceId }}>
            Cases
          </Link>,
          <Link key="case" to="/w/$workspaceId/cases/$caseId" params={{ workspaceId, caseId }}>
            {title}
          </Link>,
        ]}
      >
        Draft of the {lowerStage(stage)}
      </TopBar>
      <Page isNarrowColumn>
        <Panel>
          <div className={`${css['facts']} ${css['untitled']}`}>
            <Law article={draft.article} />
            {draft.isDrill && <Tag tone="warn">drill: nothing is to be submitted</Tag>}
            <span>
              Fields of ENISA’s glossary {draft.fieldSet}, as read on{' '}
              <Time at={draft.fieldSetReadOn} as="date" />
            </span>
          </div>
          {one && <StageClock one={one} stage={stage} />}
          <div className={css['spaced']}>
            <Coordinator draft={draft} />
            <MissingFields draft={draft} />
            {offerRecord('Record submission…')}
            <Exports draft={draft} />
          </div>
        </Panel>
        <Panel
          title="Fields"
          note="in the order of the platform; a text is saved here, and sent nowhere"
        >
          <ul className={css['fields']}>
            {draft.fields.map((field) => (
              <DraftFieldRow key={field.key} field={field} draft={draft} />
            ))}
          </ul>
          {/* Whoever has copied the last field is down here. */}
          {blocked === undefined && offerRecord('Record submission of these fields…')}
        </Panel>
        <NoAdvice />
      </Page>
      {act && <ActDialog act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}

/** How much time is left for it, and until when. */
function StageClock({ one, stage }: { one: Case; stage: CaseDraft['stage'] }) {
  const now = useNow()
  const { data } = useQuery(productLinesQuery(useWorkspaceId()))
  const clock = one.clocks.find((other) => other.stage === stage)
  if (!clock) return null
  const timeZones = (data?.productLines ?? []).flatMap(({ id, timeZone }) =>
    one.productLines.some((line) => line.id === id) ? [timeZone] : [],
  )
  const startedAt = findStart({ clock, ...one, ...findInstants(one, clock) })
  return (
    <ul>
      <Clock {...{ clock, startedAt, timeZones, now }} />
    </ul>
  )
}

function Coordinator({ draft: { coordinatorStates, suggestedStates } }: { draft: CaseDraft }) {
  return (
    <>
      <p>
        Coordinator: {coordinatorStates.map(nameMemberState).join(', ') || 'not known'}{' '}
        <Law article="14(7)" />
      </p>
      {suggestedStates.length > 0 && (
        <p>
          Affected devices also name{' '}
          {suggestedStates
            .map(({ state, deviceCount }) => `${nameMemberState(state)} (${deviceCount})`)
            .join(', ')}
          : was it made available there? <GoodPractice />
        </p>
      )}
      <p className={css['note']}>
        The platform asks for EU Login with a second factor. A secondary representative sees only
        own notifications there: this case is the record of the team.
      </p>
    </>
  )
}

function MissingFields({ draft: { fields, missing, tooLong } }: { draft: CaseDraft }) {
  const labels = (keys: readonly string[]) =>
    fields
      .filter(({ key }) => keys.includes(key))
      .map(({ key, number, label }) => (
        <li key={key}>
          <a href={`#field-${key}`}>
            {number} {label}
          </a>
        </li>
      ))
  if (missing.length + tooLong.length === 0)
    return <p>Nothing is missing, and no text is too long.</p>
  return (
    <>
      {missing.length > 0 && (
        <>
          <p className={css['late']}>
            {formatCountOf(missing.length, 'field')} missing. They block nothing.
          </p>
          <ul className={css['keys']}>{labels(missing)}</ul>
        </>
      )}
      {tooLong.length > 0 && (
        <>
          <p className={css['late']}>
            {formatCountOf(tooLong.length, 'text')} longer than the platform takes
          </p>
          <ul className={css['keys']}>{labels(tooLong)}</ul>
        </>
      )}
    </>
  )
}

/** The service writes them as this page shows them. */
function Exports({ draft: { caseId, stage } }: { draft: CaseDraft }) {
  const base = `/workspaces/${useWorkspaceId()}/cases/${caseId}/drafts/${stage}`
  return (
    <p className={css['exports']}>
      Export as <a href={`${base}/export?format=text`}>text</a>,{' '}
      <a href={`${base}/export?format=markdown`}>Markdown</a>,{' '}
      <a href={base} download={`${stage}.json`}>
        JSON
      </a>
    </p>
  )
}
