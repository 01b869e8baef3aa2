/** How the workspace publishes its advisories: whether everybody can read them, as whom, and the text of a security.txt. */
import type { AdvisoryPublisher, WithEntityTag } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { publisherQuery } from '../../components/advisories/queries.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { GoodPractice, Law, NoAdvice } from '../../components/cases/law-mark.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { describeFailure, Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'
import { PublisherForm } from './publisher-form.tsx'

export function PublisherPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(publisherQuery(workspaceId))
  const error = findBlockingError(query)
  return (
    <>
      <TopBar
        title="How advisories are published"
        trail={[
          <Link key="settings" to="/w/$workspaceId/settings" params={{ workspaceId }}>
            Settings
          </Link>,
          <Link key="advisories" to="/w/$workspaceId/advisories" params={{ workspaceId }}>
            Advisories
          </Link>,
        ]}
      />
      <Page isNarrowColumn>
        {error && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!query.data && !error && <Loading />}
        {query.data && <Content publisher={query.data} />}
        <NoAdvice />
      </Page>
    </>
  )
}

function Content({ publisher }: { publisher: WithEntityTag<AdvisoryPublisher> }) {
  return (
    <>
      <PublicPath publisher={publisher} />
      <PublisherForm key={publisher.updatedAt} publisher={publisher} />
      <SecurityText publisher={publisher} />
    </>
  )
}

function PublicPath({ publisher }: { publisher: WithEntityTag<AdvisoryPublisher> }) {
  const mayWrite = useMay('Workspace settings: write')
  const { isPublic, publishedCount, pageUrl, metadataUrl, feedUrl, publishesAs } = publisher
  const count = formatCountOf(publishedCount, 'published advisory', 'published advisories')
  return (
    <Panel title="Public path" note={isPublic ? 'on' : 'off'} aside={<Law article="14(8)" />}>
      <p className={css['sentence']}>
        {isPublic
          ? `Everybody can read ${count} of ${publishesAs}, without a key.`
          : `Nobody outside can read anything. ${count} would be readable.`}
      </p>
      <p className={css['note']}>
        Drafts, earlier revisions and changes that are not published are never shown there.
      </p>
      <dl className={css['terms']}>
        <dt>For people</dt>
        <dd>
          <Address url={pageUrl} isPublic={isPublic} />
        </dd>
        <dt>For CSAF readers</dt>
        <dd>
          <Address url={metadataUrl} isPublic={isPublic} />
        </dd>
        <dt>Feed (ROLIE)</dt>
        <dd>
          <Address url={feedUrl} isPublic={isPublic} />
        </dd>
      </dl>
      {mayWrite ? (
        <Switch publisher={publisher} />
      ) : (
        <p className={css['note']}>Admins and owners switch it on and off.</p>
      )}
    </Panel>
  )
}

function Address({ url, isPublic }: { url: string; isPublic: boolean }) {
  if (!isPublic) return <code>{url}</code>
  return (
    <a href={url} target="_blank" rel="noopener">
      {url}
    </a>
  )
}

function Switch({ publisher }: { publisher: WithEntityTag<AdvisoryPublisher> }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { isPublic, publishedCount, publishesAs, pageUrl } = publisher
  const act = useMutation({
    mutationFn: () =>
      api.patch('/workspaces/{workspaceId}/advisory-publisher', {
        params: { workspaceId },
        body: { isPublic: !isPublic },
        ifStill: publisher,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] }),
  })
  const count = formatCountOf(publishedCount, 'advisory', 'advisories')
  if (isPublic)
    return (
      <ConfirmedButton
        title="Switch the public path off?"
        what={
          <p>
            {count} can be read by nobody outside from then on. Caches keep a copy for a minute;
            copies that others made stay with them.
          </p>
        }
        verb="Switch it off"
        act={act}
      >
        Switch off…
      </ConfirmedButton>
    )
  return (
    <ConfirmedButton
      title="Let everybody read what is published?"
      what={
        <p>
          Everybody can read {count} of {publishesAs} at once, and each that is published later, at{' '}
          <code>{pageUrl}</code>. What others have read cannot be called back.
        </p>
      }
      verb="Switch it on"
      act={act}
    >
      Switch on…
    </ConfirmedButton>
  )
}

/** The service does not look at other sites: people say which text they serve, so that alerts can tell before it expires. */
function Served({ publisher }: { publisher: WithEntityTag<AdvisoryPublisher> }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Workspace settings: write')
  const queryClient = useQueryClient()
  const { securityTextServedUntil, securityTextExpiresAt } = publisher
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.patch('/workspaces/{workspaceId}/advisory-publisher', {
        params: { workspaceId },
        body: { securityTextServedUntil: securityTextExpiresAt },
        ifStill: publisher,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] }),
  })
  return (
    <>
      <span>
        {securityTextServedUntil === null ? (
          'Nobody has said which one you serve, so no alert can tell before it expires.'
        ) : (
          <>
            The one that you serve expires <Time at={securityTextServedUntil} as="date" />; alert
            rules about deadlines of cases tell 30, 7 and 1 days before.
          </>
        )}
      </span>
      {mayWrite && securityTextServedUntil !== securityTextExpiresAt && (
        <Button size="small" isBusy={isPending} onClick={() => mutate()}>
          I serve this text now
        </Button>
      )}
      {error && <p role="alert">{describeFailure(error)}</p>}
    </>
  )
}

function SecurityText({ publisher }: { publisher: WithEntityTag<AdvisoryPublisher> }) {
  const { securityText, securityTextExpiresAt } = publisher
  return (
    <Panel
      id="security-text"
      title="security.txt"
      note="to sign with your OpenPGP key and to serve at /.well-known/security.txt of your own domain"
      aside={<GoodPractice />}
    >
      {securityText === null ? (
        <p>There is no text yet: it needs a contact.</p>
      ) : (
        <>
          <pre className={css['text']} tabIndex={0}>
            {securityText}
          </pre>
          <div className={css['acts']}>
            <CopyText text={securityText} label="the security.txt" />
            <span>
              A copy of today expires <Time at={securityTextExpiresAt} as="date" />.
            </span>
            <Served publisher={publisher} />
          </div>
        </>
      )}
    </Panel>
  )
}
