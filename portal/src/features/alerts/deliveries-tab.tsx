/** Each message that was to be sent, and what the servers answered. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { attemptsQuery, type Notification, notificationsQuery } from './queries.ts'

const TONES: Record<Notification['state'], Tone> = {
  Pending: 'warn',
  Delivered: 'ok',
  Failed: 'danger',
  Dropped: 'muted',
}

export function DeliveriesTab() {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(notificationsQuery(workspaceId))
  const notifications = list.data?.pages.flatMap((page) => page.notifications) ?? []
  return (
    <>
      <Panel title="Deliveries" note="newest first" isFlush>
        {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Loading />}
        {list.isSuccess && notifications.length === 0 && (
          <Empty title="Nothing was sent yet">
            Mails and webhooks stand here with each attempt and its answer.
          </Empty>
        )}
        <ul className={css['rows']}>
          {notifications.map((notification) => (
            <Row key={notification.id} notification={notification} />
          ))}
        </ul>
      </Panel>
      {list.hasNextPage && (
        <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  )
}

function Row({ notification }: { notification: Notification }) {
  const [isOpen, setIsOpen] = useState(false)
  const { id, title, recipient, state, createdAt, dueAt, attempts, answer } = notification
  return (
    <li>
      <div>
        <strong>{title}</strong>
        <p>
          to {recipient.name ?? recipient.emailAddress ?? 'a target that was deleted'}
          {recipient.emailAddress !== null && `, ${recipient.emailAddress}`}
        </p>
      </div>
      <div>
        <Tag tone={TONES[state]}>{state.toLowerCase()}</Tag> <Time at={createdAt} />
        {state === 'Pending' && attempts > 0 && (
          <p>
            next attempt <Time at={dueAt} />
          </p>
        )}
        {answer !== null && <p>{answer}</p>}
        {isOpen && <Attempts notificationId={id} />}
      </div>
      {attempts > 0 && (
        <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {countOf(attempts, 'attempt')}
        </Button>
      )}
    </li>
  )
}

function Attempts({ notificationId }: { notificationId: string }) {
  const workspaceId = useWorkspaceId()
  const { data, error } = useQuery(attemptsQuery(workspaceId, notificationId))
  if (error) return <Failure error={error} />
  return (
    <ol>
      {data?.attempts.map(({ id, beganAt, outcome, answer }) => (
        <li key={id}>
          <p>
            <Time at={beganAt} as="dateTime" /> {outcome.toLowerCase()}: {answer}
          </p>
        </li>
      ))}
    </ol>
  )
}
