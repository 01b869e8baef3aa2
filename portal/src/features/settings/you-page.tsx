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
import { ConfirmedButton, type Question } from '../../components/confirm.tsx'
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
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: ['me', 'sessions'] })
  const end = useMutation({
    mutationFn: (sessionId: string) =>
      api.delete('/me/sessions/{sessionId}', { params: { sessionId } }),
    onSuccess,
  })
  const endOthers = useMutation({ mutationFn: () => api.delete('/me/sessions', {}), onSuccess })
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
      <div className={css['scroll']} tabIndex={0}>
        <table className={css['table']}>
          <tbody>
            {data?.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                end={{ ...end, mutate: (_, then) => end.mutate(session.id, then) }}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function SessionRow({ session, end }: { session: Session; end: Question['act'] }) {
  const { current, userAgent, address, lastUsedAt, createdAt } = session
  return (
    <tr>
      <td>
        {browserOf(userAgent)} {current && <Tag tone="ok">this one</Tag>}
        <p className={css['note']}>{address}</p>
      </td>
      <td>
        last used <Time at={lastUsedAt} />
        <p className={css['note']}>
          since <Time at={createdAt} as="date" />
        </p>
      </td>
      <td>
        {!current && (
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
        )}
      </td>
    </tr>
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
