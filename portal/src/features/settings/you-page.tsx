/** One's own account: name, password, sessions. */
import { Checkbox, PasswordInput, TextInput } from '@mantine/core'
import type { Session } from '@plimsoll/api-client'
import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { Form, FormFault } from '../../components/form.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCountOf } from '../../format/counts.ts'
import { meQuery } from '../../session.ts'
import { PasskeysPanel, TotpPanel } from './second-factor-panels.tsx'
import { TerminalsPanel, terminalsQuery } from './terminals-panel.tsx'
import { WatchedPanel } from './watched-panel.tsx'
import { WeeklyMailsPanel } from './weekly-mails-panel.tsx'
import css from './settings-page.module.css'

const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: () => api.get('/me/sessions', {}),
})

export function YouPage() {
  return (
    <>
      <TopBar title="You" />
      <Page isNarrowColumn>
        <NamePanel />
        <WeeklyMailsPanel />
        <WatchedPanel />
        <PasswordPanel />
        <PasskeysPanel />
        <TotpPanel />
        <SessionsPanel />
        <TerminalsPanel />
      </Page>
    </>
  )
}

function NamePanel() {
  const { data: me } = useSuspenseQuery(meQuery)
  const queryClient = useQueryClient()
  const { displayName } = me
  const { save, submit, field } = useForm(
    { displayName },
    {
      mutationFn: (body) => api.patch('/me', { body }),
      onSuccess: () => queryClient.invalidateQueries({ queryKey: ['me'] }),
    },
  )
  return (
    <Panel title="You" note={me.email}>
      <Form onSubmit={submit} label="Name">
        <div className={css['row']}>
          <TextInput label="Name" required {...field('displayName')} />
          <Button type="submit" isBusy={save.isPending}>
            Save name
          </Button>
        </div>
        <FormFault error={save.error} />
      </Form>
    </Panel>
  )
}

function PasswordPanel() {
  const { data: me } = useSuspenseQuery(meQuery)
  const queryClient = useQueryClient()
  const { data: terminals, error: noTerminals } = useQuery(terminalsQuery)
  const empty = { currentPassword: '', newPassword: '' }
  const { save, submit, change, field, checkbox } = useForm(
    { ...empty, endsTerminals: true },
    {
      mutationFn: ({ currentPassword, ...body }) =>
        api.put('/me/password', {
          body: { ...body, ...(me.hasPassword && { currentPassword }) },
        }),
      onSuccess: async () => {
        change(empty)
        await queryClient.invalidateQueries({ queryKey: ['me'] })
      },
    },
  )
  return (
    <Panel title="Password" note="a new one ends your other sessions">
      <Form onSubmit={submit} label="Password">
        <div className={css['row']}>
          {me.hasPassword && (
            <PasswordInput
              label="Password now"
              autoComplete="current-password"
              required
              {...field('currentPassword')}
            />
          )}
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            required
            minLength={12}
            maxLength={200}
            {...field('newPassword')}
          />
          <Button type="submit" isBusy={save.isPending}>
            Change password
          </Button>
        </div>
        {(terminals ? terminals.length > 0 : noTerminals) && (
          <Checkbox
            label={`Also end ${describeLogins(terminals?.length)} of terminals, in case somebody else made one`}
            {...checkbox('endsTerminals')}
          />
        )}
        <FormFault error={save.error} />
        {save.isSuccess && <p role="status">Changed.</p>}
      </Form>
    </Panel>
  )
}

function SessionsPanel() {
  const queryClient = useQueryClient()
  const { data } = useQuery(sessionsQuery)
  const endOthers = useMutation({
    mutationFn: () => api.delete('/me/sessions', {}),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  const others = data?.filter(({ current }) => !current).length ?? 0
  return (
    <Panel
      title="Sessions"
      note="where you are signed in"
      aside={
        others > 0 && (
          <ConfirmedButton
            size="small"
            title={`End ${formatCountOf(others, 'other session')}?`}
            verb="End all others"
            act={endOthers}
            what="Whoever uses them has to sign in again. This one stays."
          >
            End all others…
          </ConfirmedButton>
        )
      }
      isFlush
    >
      {data && (
        <CardTable
          label="Sessions"
          list="sessions"
          csv={SESSIONS_FILE}
          columns={SESSION_COLUMNS}
          rows={data}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  )
}

const SESSIONS_FILE: ListFile<Session> = {
  name: 'sessions',
  columns: [
    ['browser', ({ userAgent }) => browserOf(userAgent)],
    'address',
    'createdAt',
    'lastUsedAt',
    ['isThisOne', ({ current }) => String(current)],
  ],
}

const SESSION_COLUMNS: readonly CardColumn<Session>[] = [
  {
    title: 'Session',
    isPlain: true,
    cell: ({ userAgent, current }) => (
      <>
        {browserOf(userAgent)} {current && <Tag tone="ok">this one</Tag>}
      </>
    ),
  },
  { title: 'Address', cell: ({ address }) => address ?? 'not known' },
  { title: 'Since', cell: ({ createdAt }) => <Time at={createdAt} as="date" /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  {
    title: 'Acts',
    isActs: true,
    cell: (session) => (session.current ? null : <EndSession session={session} />),
  },
]

function EndSession({ session: { id, userAgent } }: { session: Session }) {
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => api.delete('/me/sessions/{sessionId}', { params: { sessionId: id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`End ${browserOf(userAgent)}`}
      title={`End the session of ${browserOf(userAgent)}?`}
      verb="End session"
      act={end}
      what="Whoever uses it has to sign in again."
    >
      End…
    </ConfirmedButton>
  )
}

const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'] as const
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const

/** "Firefox on Linux", of a User-Agent header. */
function browserOf(userAgent: string | null): string {
  const browser = BROWSERS.find((name) => userAgent?.includes(name) === true)
  const system = SYSTEMS.find((name) => userAgent?.includes(name) === true)
  const name = browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser
  return `${name ?? 'Another program'} on ${system ?? 'another system'}`
}

/** undefined: nobody knows how many. */
function describeLogins(count: number | undefined): string {
  if (count === undefined) return 'all logins'
  return count === 1 ? 'the login' : `the ${count} logins`
}
