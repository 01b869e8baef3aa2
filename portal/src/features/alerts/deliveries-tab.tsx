/** Each message that was to be sent, what was sent, and what the servers answered. */
import type { Notification } from '@plimsoll/api-client'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { FormFault } from '../../components/form.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { type AlertsSearch, DELIVERIES } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import {
  attemptsQuery,
  type NotificationFilter,
  notificationsQuery,
  requestQuery,
} from './queries.ts'
import { webhooksQuery } from '../../workspace-queries.ts'

const TONES: Record<Notification['state'], Tone> = {
  Pending: 'warn',
  Delivered: 'ok',
  Failed: 'danger',
  Dropped: 'muted',
}
const STATES = Object.keys(TONES) as Notification['state'][]

interface DeliveriesTabProps {
  search: AlertsSearch
  onChange: (next: AlertsSearch) => void
}

export function DeliveriesTab({ search, onChange }: DeliveriesTabProps) {
  const workspaceId = useWorkspaceId()
  const filter = filterOf(search)
  const list = useInfiniteQuery(notificationsQuery(workspaceId, filter))
  const inUse = DELIVERIES.listFilters(search)
  return (
    <>
      <ListPanel
        query={list}
        rows={list.data?.pages.flatMap((page) => page.notifications)}
        title="Deliveries"
        note="newest first"
        head={<Filters search={search} onChange={onChange} />}
        empty={
          <Empty
            title={inUse.length > 0 ? 'Nothing matches' : 'Nothing was sent yet'}
            action={<DropFilters filters={inUse} onChange={onChange} />}
          >
            Mails and webhooks stand here with each attempt and its answer.
          </Empty>
        }
      >
        {(notifications) => <Deliveries filter={filter} notifications={notifications} />}
      </ListPanel>
      <OlderButton list={list} />
    </>
  )
}

interface DeliveriesProps {
  filter: NotificationFilter
  notifications: readonly Notification[]
}

function Deliveries({ filter, notifications }: DeliveriesProps) {
  const workspaceId = useWorkspaceId()
  const [openId, setOpenId] = useState<string>()
  const attempts: CardColumn<Notification> = {
    title: 'Attempts',
    cell: ({ id, title, attempts: count }) => (
      <Button
        size="small"
        aria-expanded={id === openId}
        aria-label={`${formatCountOf(count, 'attempt')} of ${title}`}
        onClick={() => setOpenId(id === openId ? undefined : id)}
      >
        {formatCountOf(count, 'attempt')}
      </Button>
    ),
  }
  return (
    <CardTable
      label="Deliveries"
      list="deliveries"
      viewedList="deliveries"
      isPaged
      csv={{ path: `/workspaces/${workspaceId}/notifications/export`, body: { filter } }}
      columns={[...COLUMNS, attempts, ACTS]}
      rows={notifications}
      keyOf={({ id }) => id}
      detail={(one) => (one.id === openId ? <Sent notification={one} /> : undefined)}
    />
  )
}

const COLUMNS: readonly CardColumn<Notification>[] = [
  { title: 'What', isPlain: true, cell: ({ title }) => <strong>{title}</strong> },
  {
    title: 'To',
    cell: ({ recipient: { name, emailAddress } }) =>
      [name ?? (emailAddress === null && 'a target that was deleted'), emailAddress]
        .filter(Boolean)
        .join(', '),
  },
  {
    title: 'State',
    cell: ({ state, attempts, dueAt }) => (
      <>
        <Tag tone={TONES[state]}>{state.toLowerCase()}</Tag>
        {state === 'Pending' && (
          <p className={css['note']}>
            {attempts > 0 ? 'next attempt' : 'due'} <Time at={dueAt} />
          </p>
        )}
      </>
    ),
  },
  { title: 'Written', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Answer', cell: ({ answer }) => answer ?? '–' },
]
const ACTS: CardColumn<Notification> = {
  title: 'Acts',
  isActs: true,
  cell: (notification) => <SendAgain notification={notification} />,
}

function filterOf({ state, webhook, incident }: AlertsSearch): NotificationFilter {
  return {
    ...(state !== undefined && { states: [state] }),
    ...(webhook !== undefined && { webhookId: webhook }),
    ...(incident !== undefined && { incidentId: incident }),
  }
}

function Filters({ search, onChange }: DeliveriesTabProps) {
  const workspaceId = useWorkspaceId()
  const { webhook, incident } = search
  const { data } = useQuery(webhooksQuery(workspaceId))
  const name = data?.webhooks.find(({ id }) => id === webhook)?.name
  return (
    <div className={css['filters']}>
      <ChipRow label="State">
        {STATES.map((state) => (
          <Chip
            key={state}
            isOn={search.state === state}
            onChange={(isOn) => onChange({ state: isOn ? state : undefined })}
          >
            {state.toLowerCase()}
          </Chip>
        ))}
        {webhook !== undefined && (
          <Chip isOn isRemovable onChange={() => onChange({ webhook: undefined })}>
            to {name ?? 'one webhook'}
          </Chip>
        )}
        {incident !== undefined && (
          <Chip isOn isRemovable onChange={() => onChange({ incident: undefined })}>
            of one incident
          </Chip>
        )}
      </ChipRow>
    </div>
  )
}

function SendAgain({ notification }: { notification: Notification }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Alerts: write')
  const { id, kind, state, title } = notification
  const send = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/notifications/{notificationId}/send-again', {
        params: { workspaceId, notificationId: id },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] }),
  })
  // The mail that asks to confirm an address is asked for at its target, which counts them.
  if (!mayWrite || kind === 'Confirmation') return null
  const act = state === 'Pending' ? 'Send now' : 'Send again'
  return (
    <>
      <Button
        size="small"
        isBusy={send.isPending}
        aria-label={`${act}: ${title}`}
        onClick={() => send.mutate()}
      >
        {act}
      </Button>
      <FormFault error={send.error} />
    </>
  )
}

/** The request with each attempt and its answer. */
function Sent({ notification: { id, recipient, state, dueAt } }: { notification: Notification }) {
  const workspaceId = useWorkspaceId()
  const attempts = useQuery(attemptsQuery(workspaceId, id))
  const request = useQuery({
    ...requestQuery(workspaceId, id),
    enabled: recipient.type === 'Webhook',
  })
  const error = attempts.error ?? request.error
  return (
    <div className={css['sent']}>
      {error && <Failure error={error} />}
      {request.data?.request && <RequestText request={request.data.request} />}
      <h3>Attempts</h3>
      <ol>
        {attempts.data?.attempts.map(({ id: attemptId, beganAt, outcome, answer }) => (
          <li key={attemptId}>
            <p>
              <Time at={beganAt} as="dateTime" /> {outcome.toLowerCase()}: {answer}
            </p>
          </li>
        ))}
        {attempts.data?.attempts.length === 0 && (
          <li>
            <p>none yet</p>
          </li>
        )}
        {state === 'Pending' && (
          <li>
            <p>
              next: <Time at={dueAt} as="dateTime" />
            </p>
          </li>
        )}
      </ol>
    </div>
  )
}

interface RequestTextProps {
  request: { method: string; url: string | null; headers: Record<string, string>; body: string }
}

function RequestText({ request: { method, url, headers, body } }: RequestTextProps) {
  const lines = [
    `${method} ${url ?? '(the webhook was deleted)'}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    readable(body),
  ]
  return (
    <>
      <h3>Request</h3>
      <pre tabIndex={0} aria-label="Request">
        {lines.join('\n')}
      </pre>
      <p className={css['note']}>
        The same at each attempt, and signed anew. A server knows a repetition by its webhook-id.
      </p>
    </>
  )
}

/** One member a line. */
function readable(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2)
}
