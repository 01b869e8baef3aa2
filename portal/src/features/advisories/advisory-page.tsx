/** One advisory: its state, its texts to edit, what publishing still needs, and what was published. */
import { ApiProblem, type SecurityAdvisory, type WithEntityTag } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { advisoryQuery } from '../../components/advisories/queries.ts'
import {
  ADVISORY_STATE_TONES,
  ADVISORY_STATE_WORDS,
  isWaiting,
} from '../../components/advisories/words.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Law, NoAdvice } from '../../components/cases/law-mark.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'
import { AdvisoryActs } from './advisory-acts.tsx'
import { AdvisoryEditor } from './advisory-editor.tsx'
import { RevisionsPanel } from './revisions-panel.tsx'
import { ToldPanel } from './told-panel.tsx'

const route = getRouteApi('/w/$workspaceId/advisories/$advisoryId')

export function AdvisoryPage() {
  const { advisoryId } = route.useParams()
  const query = useQuery(advisoryQuery(useWorkspaceId(), advisoryId))
  const error = findBlockingError(query)
  if (error instanceof ApiProblem && [400, 404].includes(error.problem.status)) return <Gone />
  if (error)
    return <FailedPage title="Advisory" error={error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Loading rows={8} />
  return <Content key={advisoryId} one={query.data} />
}

function AllAdvisories({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/advisories" params={{ workspaceId }}>
      {children}
    </Link>
  )
}

const TRAIL = [<AllAdvisories key="advisories">Advisories</AllAdvisories>]

function Gone() {
  return (
    <>
      <TopBar title="Advisory" trail={TRAIL} />
      <Page>
        <Empty
          title="There is no such advisory"
          action={<AllAdvisories>All advisories</AllAdvisories>}
        >
          Is the link whole, and of this workspace? Drafts can be deleted; what was published stays.
        </Empty>
      </Page>
    </>
  )
}

function Content({ one }: { one: WithEntityTag<SecurityAdvisory> }) {
  const [isTouched, setTouched] = useState(false)
  return (
    <>
      <TopBar
        title={one.trackingId ?? one.title}
        subject={`security-advisory:${one.id}`}
        trail={TRAIL}
      />
      <Page>
        <Head one={one} isTouched={isTouched} />
        <div className={css['advisory']}>
          <AdvisoryEditor latest={one} onTouched={setTouched} />
          <div className={css['stack']}>
            <MissingPanel one={one} />
            <RevisionsPanel one={one} />
            <ToldPanel one={one} />
          </div>
        </div>
        <NoAdvice />
      </Page>
    </>
  )
}

function Head({ one, isTouched }: { one: WithEntityTag<SecurityAdvisory>; isTouched: boolean }) {
  const workspaceId = useWorkspaceId()
  const { state, caseId, pageUrl } = one
  const preview = `/workspaces/${workspaceId}/security-advisories/${one.id}/page`
  return (
    <Panel>
      <p className={css['sentence']}>{describeStanding(one)}</p>
      <div className={css['facts']}>
        <Tag tone={ADVISORY_STATE_TONES[state]}>{ADVISORY_STATE_WORDS[state]}</Tag>
        {one.trackingId !== null && <code>{one.trackingId}</code>}
        {caseId !== null && (
          <Link to="/w/$workspaceId/cases/$caseId" params={{ workspaceId, caseId }}>
            Its case
          </Link>
        )}
        <a href={preview} target="_blank" rel="noopener">
          Preview the page for people
        </a>
        {pageUrl !== null && (
          <a href={pageUrl} target="_blank" rel="noopener">
            The public page
          </a>
        )}
        <span>
          begun <Time at={one.createdAt} as="date" /> by {one.createdByEmail ?? 'an API key'}
        </span>
        <Law article="14(8)" />
      </div>
      <AdvisoryActs one={one} isTouched={isTouched} />
    </Panel>
  )
}

/** What holds now, in one sentence of facts. */
function describeStanding(one: SecurityAdvisory): string {
  const { state, heldUntil, heldReason, documentUrl, revisions } = one
  const wait =
    heldUntil !== null && isWaiting(one)
      ? ` Publishing waits until ${formatDateTime(heldUntil)}: ${heldReason ?? 'no reason'}.`
      : ''
  const read = documentUrl === null ? 'The public path is off: nobody outside reads it.' : ''
  switch (state) {
    case 'Draft':
      return `A draft: nobody outside has seen it.${wait}`
    case 'Published':
      return `Published as it is here, as revision ${revisions.length}. ${read || 'Everybody can read it.'}`
    case 'Changed':
      return `Changed since revision ${revisions.length}: readers still have that one. ${read}${wait}`
    case 'Withdrawn':
      return `Withdrawn: readers are told that nothing of it holds any more. ${read}`
  }
}

function MissingPanel({ one: { missing } }: { one: SecurityAdvisory }) {
  return (
    <Panel
      title="What publishing still needs"
      note={missing.length === 0 ? undefined : formatCount(missing.length)}
    >
      {missing.length === 0 ? (
        <p>Nothing: each affected version has a remedy for its users.</p>
      ) : (
        <ul className={css['missing']}>
          {missing.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
