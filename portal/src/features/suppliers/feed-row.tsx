/** One supplier's feed: how far what it says is known, what that changes, and what can be done with it. */
import type { SupplierFeed } from '@plimsoll/api-client'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { findAuditLog } from '../../components/addresses.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormFault } from '../../components/form.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import type { SuppliersSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { FeedForm } from './feed-form.tsx'
import { deleteFeed, readFeedNow } from './queries.ts'
import css from './suppliers.module.css'

interface FeedRowProps {
  feed: SupplierFeed
  mayWrite: boolean
}

export function FeedRow({ feed, mayWrite }: FeedRowProps) {
  const { id, name, url, standing, error, notice, documents } = feed
  const workspaceId = useWorkspaceId()
  return (
    <li aria-label={name}>
      <div className={css['head']}>
        <h3>{name}</h3>
        <State feed={feed} />
        {mayWrite && <Acts feed={feed} />}
      </div>
      <p className={css['note']}>{url}</p>
      <p>{standing}</p>
      {error !== null && <p className={css['fault']}>{error}</p>}
      {notice !== null && <p className={css['note']}>{notice}</p>}
      <dl className={css['facts']}>
        <Fact name="Documents in force">
          <Detail feed={feed} show="documents">
            {formatCount(documents.read)}
          </Detail>
        </Fact>
        <Fact name="Refused">
          <Detail feed={feed} show="documents">
            {formatCount(documents.refused)}
          </Detail>
        </Fact>
        <Fact name="Not fetched">{formatCount(documents.notFetched)}</Fact>
        <Fact name="Withdrawn">{formatCount(documents.withdrawn)}</Fact>
        <Fact name="Next">
          {feed.nextReadAt === null ? 'not by itself' : <Time at={feed.nextReadAt} />}
        </Fact>
      </dl>
      <Effects feed={feed} />
      <p className={css['note']}>
        <Link {...findAuditLog(workspaceId, `supplier-feed:${id}`)}>Who changed it, and when</Link>
      </p>
    </li>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface DetailProps {
  feed: SupplierFeed
  show: NonNullable<SuppliersSearch['show']>
  children: ReactNode
}

/** A number that leads to what it counts, below the feeds. */
function Detail({ feed, show, children }: DetailProps) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/settings/suppliers"
      params={{ workspaceId }}
      search={{ feed: feed.id, show }}
      hash={show}
      replace
    >
      {children}
    </Link>
  )
}

function Effects({ feed }: { feed: SupplierFeed }) {
  const { statementCount, firmwareVersionCount, decidedCount, affectedWithoutFindingCount } =
    feed.effects
  if (statementCount === 0) return <p>{describeNothing(feed)}</p>
  return (
    <>
      <p>
        {formatCountOf(statementCount, 'statement')} about{' '}
        {formatCountOf(firmwareVersionCount, 'firmware version')}; they decide{' '}
        {formatCountOf(decidedCount, 'finding')}.
      </p>
      {affectedWithoutFindingCount > 0 && (
        <p className={css['meaning']}>
          <Detail feed={feed} show="affected">
            {formatCountOf(affectedWithoutFindingCount, 'statement')}
          </Detail>{' '}
          that a component is affected, by what no source knows: no finding, in no list and no gate.
          Look at each.
        </p>
      )}
    </>
  )
}

/** Silence is no safety: what was not read may say something. */
const describeNothing = ({ documents: { read } }: SupplierFeed) =>
  read === 0
    ? 'Nothing was read yet, so it is not known what the supplier says of your firmware versions.'
    : 'What was read says nothing of what your firmware versions hold.'

const STATES = {
  Current: { tone: 'ok', text: 'Current' },
  Stale: { tone: 'warn', text: 'Stale' },
  NeverRead: { tone: 'muted', text: 'Never read' },
  Off: { tone: 'muted', text: 'Off' },
} as const

function State({ feed: { state, isBeingRead, error } }: { feed: SupplierFeed }) {
  if (isBeingRead)
    return (
      <Dot tone="accent" isHollow>
        Being read
      </Dot>
    )
  const { tone, text } = STATES[state]
  if (error !== null) return <Dot tone="danger">{text}, failing</Dot>
  return (
    <Dot tone={tone} isHollow={tone === 'muted'}>
      {text}
    </Dot>
  )
}

function Acts({ feed }: { feed: SupplierFeed }) {
  return (
    <div className={css['acts']}>
      <ReadNow feed={feed} />
      <Change feed={feed} />
      <End feed={feed} />
    </div>
  )
}

function ReadNow({ feed: { id, name, isBeingRead } }: { feed: SupplierFeed }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const ask = useMutation({
    mutationFn: () => readFeedNow(workspaceId, id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['supplier-feeds', workspaceId] }),
  })
  return (
    <>
      <Button
        size="small"
        isBusy={ask.isPending}
        disabled={isBeingRead}
        aria-label={`Read now: ${name}`}
        onClick={() => ask.mutate()}
      >
        Read now
      </Button>
      <FormFault error={ask.error} said="Not asked for." />
    </>
  )
}

function Change({ feed }: { feed: SupplierFeed }) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button
        size="small"
        aria-haspopup="dialog"
        aria-label={`Change: ${feed.name}`}
        onClick={dialog.open}
      >
        Change…
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={`Feed of ${feed.name}`}>
        <FeedForm known={feed} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

function End({ feed: { id, name, effects, documents } }: { feed: SupplierFeed }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => deleteFeed(workspaceId, id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['supplier-feeds', workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] })
    },
  })
  const { statementCount, decidedCount } = effects
  return (
    <ConfirmedButton
      size="small"
      label={`End the subscription to ${name}`}
      title={`End the subscription to ${name}?`}
      verb="End subscription"
      act={end}
      what={
        <>
          {formatCountOf(documents.read, 'document')} with{' '}
          {formatCountOf(statementCount, 'statement')} count no more.{' '}
          {formatCountOf(decidedCount, 'finding')} that they decided stay so. You can subscribe
          again; it is then read anew.
        </>
      }
    >
      End…
    </ConfirmedButton>
  )
}
