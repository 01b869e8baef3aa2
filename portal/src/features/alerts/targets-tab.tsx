/** Who is told: people by mail once they confirmed their address, programs by webhook. */
import type { NotificationTarget, Webhook } from '@plimsoll/api-client'
import { TagsInput, TextInput } from '@mantine/core'
import {
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { Form, FormFault } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { ListedRows } from './listed-rows.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { emailTargetsQuery } from './queries.ts'
import { webhooksQuery } from '../../workspace-queries.ts'

export function TargetsTab() {
  return (
    <div className={css['stack']}>
      <EmailTargets />
      <Webhooks />
    </div>
  )
}

function EmailTargets() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const query = useQuery(emailTargetsQuery(workspaceId))
  return (
    <ListPanel
      query={query}
      rows={query.data?.notificationTargets}
      title="Mail"
      note="an address gets alerts once its reader confirmed it"
      empty={
        <Empty title="No mail target yet">
          A target is a name for one or more addresses, such as the people on call.
        </Empty>
      }
      foot={mayWrite && <NewEmailTarget />}
    >
      {(targets) => (
        <ListedRows list="email-targets" csv={MAIL_CSV} rows={targets}>
          {(target) => <EmailRow key={target.id} target={target} />}
        </ListedRows>
      )}
    </ListPanel>
  )
}

const MAIL_CSV: ListFile<NotificationTarget> = {
  name: 'mail-targets',
  columns: [
    'id',
    'name',
    'state',
    [
      'addresses',
      ({ addresses }) =>
        addresses.map(({ emailAddress, state }) => `${emailAddress} (${state})`).join(', '),
    ],
    'alertRuleCount',
  ],
}

const ADDRESS_TONES: Record<NotificationTarget['addresses'][number]['state'], Tone> = {
  Pending: 'warn',
  Confirmed: 'ok',
  Unsubscribed: 'muted',
  Dead: 'danger',
}

function EmailRow({
  target: { id, name, addresses, alertRuleCount },
}: {
  target: NotificationTarget
}) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Alerts: write')
  const params = { workspaceId, notificationTargetId: id }
  const test = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/notification-targets/{notificationTargetId}/test', {
        params,
      }),
  })
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/notification-targets/{notificationTargetId}', {
        params,
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] }),
  })
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p>
          <RulesLink targetId={id} name={name} count={alertRuleCount} />
        </p>
      </div>
      <ul>
        {addresses.map(({ emailAddress, state, lastAnswer }) => (
          <li key={emailAddress}>
            {emailAddress} <Tag tone={ADDRESS_TONES[state]}>{state.toLowerCase()}</Tag>
            {lastAnswer !== null && <p>{lastAnswer}</p>}
          </li>
        ))}
      </ul>
      {mayWrite && (
        <TargetActs name={name} alertRuleCount={alertRuleCount} test={test} remove={remove} />
      )}
    </li>
  )
}

interface RulesLinkProps {
  targetId: string
  name: string
  count: number
}

function RulesLink({ targetId, name, count }: RulesLinkProps) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/alerts"
      params={{ workspaceId }}
      search={{ tab: 'rules', target: targetId }}
    >
      {formatCountOf(count, 'rule')}
      <span className="visually-hidden">
        {' '}
        {count === 1 ? 'tells' : 'tell'} {name}
      </span>
    </Link>
  )
}

interface TargetActsProps {
  name: string
  alertRuleCount: number
  test: UseMutationResult<unknown, unknown, void>
  remove: UseMutationResult<unknown, unknown, void>
}

function TargetActs({ name, alertRuleCount, test, remove }: TargetActsProps) {
  return (
    <div className={css['acts']}>
      <Button size="small" isBusy={test.isPending} onClick={() => test.mutate()}>
        {test.isSuccess ? 'The test is on its way' : 'Send a test'}
      </Button>
      <ConfirmedButton
        size="small"
        label={`Delete ${name}`}
        title={`Delete ${name}?`}
        verb="Delete target"
        act={remove}
        what={
          alertRuleCount === 0
            ? 'No rule tells it anything.'
            : `${formatCountOf(alertRuleCount, 'rule tells', 'rules tell')} it, and then no longer.`
        }
      >
        Delete…
      </ConfirmedButton>
      <FormFault error={test.error} />
    </div>
  )
}

function NewEmailTarget() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const first = { name: '', emailAddresses: [] as string[] }
  const { save, submit, change, field } = useForm(first, {
    mutationFn: (values) =>
      api.post('/workspaces/{workspaceId}/notification-targets', {
        params: { workspaceId },
        body: { ...values, type: 'Email', state: 'Enabled' },
      }),
    onSuccess: async () => {
      change(first)
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
    },
  })
  return (
    <div className={css['new']}>
      <Form onSubmit={submit} label="New mail target">
        <div className={css['row']}>
          <TextInput label="Name" placeholder="On call" required {...field('name')} />
          <TagsInput
            label="Addresses"
            withAsterisk
            splitChars={[',', ' ']}
            acceptValueOnBlur
            {...field('emailAddresses')}
          />
          <Button type="submit" isBusy={save.isPending}>
            Create mail target
          </Button>
        </div>
        <FormFault error={save.error} />
      </Form>
    </div>
  )
}

function Webhooks() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const query = useQuery(webhooksQuery(workspaceId))
  return (
    <ListPanel
      query={query}
      rows={query.data?.webhooks}
      title="Webhooks"
      note="servers and chats that get alerts"
      empty={
        <Empty title="No webhook yet">Chat systems and ticket systems take alerts this way.</Empty>
      }
      foot={mayWrite && <NewWebhook />}
    >
      {(webhooks) => (
        <ListedRows list="webhooks" csv={WEBHOOK_CSV} rows={webhooks}>
          {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
        </ListedRows>
      )}
    </ListPanel>
  )
}

const WEBHOOK_CSV: ListFile<Webhook> = {
  name: 'webhooks',
  columns: [
    'id',
    'name',
    'url',
    'format',
    'state',
    'alertRuleCount',
    'lastAnswer',
    'lastAnswerAt',
    'failingSince',
  ],
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Alerts: write')
  const { id, name, url, format, alertRuleCount, lastAnswer, lastAnswerAt, failingSince } = webhook
  const params = { workspaceId, webhookId: id }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
  const test = useMutation({
    mutationFn: () => api.post('/workspaces/{workspaceId}/webhooks/{webhookId}/test', { params }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/workspaces/{workspaceId}/webhooks/{webhookId}', { params }),
    onSettled,
  })
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p>
          <code>{url}</code>
          {format !== 'Plimsoll' && <> for {format}</>}
        </p>
      </div>
      <p>
        <RulesLink targetId={id} name={name} count={alertRuleCount} />
        {failingSince !== null && (
          <>
            {' '}
            <Tag tone="danger">failing</Tag> since <Time at={failingSince} />
          </>
        )}
        {lastAnswerAt !== null && (
          <>
            ; last answer <Time at={lastAnswerAt} />: {lastAnswer}
          </>
        )}{' '}
        <Link
          to="/w/$workspaceId/alerts"
          params={{ workspaceId }}
          search={{ tab: 'deliveries', webhook: id }}
        >
          Deliveries<span className="visually-hidden"> to {name}</span>
        </Link>
      </p>
      {mayWrite && (
        <TargetActs name={name} alertRuleCount={alertRuleCount} test={test} remove={remove} />
      )}
    </li>
  )
}
