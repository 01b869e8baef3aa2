/** Which mails one gets of each workspace, and when. */
import { Checkbox, Select, TextInput } from '@mantine/core'
import type { BodyOf, MyWorkspaceNotifications } from '@plimsoll/api-client'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import css from './settings-page.module.css'

type WeeklyMail = NonNullable<BodyOf<'changeMyNotifications'>['weeklyMail']>

const notificationsQuery = queryOptions({
  queryKey: ['me', 'notifications'],
  queryFn: () => api.get('/me/notifications', {}),
})

export function WeeklyMailsPanel() {
  const { data, error, refetch } = useQuery(notificationsQuery)
  return (
    <Panel title="Mails" note="the week: what is new, decided and overdue; and proposals">
      <div className={css['stack']}>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.mail === false && (
          <p className={css['note']}>
            This service sends no mail yet. What you choose counts once its operator has named a
            mail server.
          </p>
        )}
        {data?.workspaces.map((workspace) => (
          <WorkspaceForm key={workspace.workspaceId} workspace={workspace} />
        ))}
      </div>
    </Panel>
  )
}

const DAYS = [
  { value: 'Mon', label: 'Monday' },
  { value: 'Tue', label: 'Tuesday' },
  { value: 'Wed', label: 'Wednesday' },
  { value: 'Thu', label: 'Thursday' },
  { value: 'Fri', label: 'Friday' },
  { value: 'Sat', label: 'Saturday' },
  { value: 'Sun', label: 'Sunday' },
]

/** In the reader's zone, for who gets none yet. */
const usual = (): WeeklyMail => ({
  day: 'Mon',
  at: '08:00',
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
})

function WorkspaceForm({ workspace }: { workspace: MyWorkspaceNotifications }) {
  const { workspaceId, workspaceName } = workspace
  const queryClient = useQueryClient()
  const { weeklyMail, proposalMails } = workspace
  const { save, submit, values, field, checkbox } = useForm(
    () => ({ isWanted: weeklyMail !== null, proposalMails, ...(weeklyMail ?? usual()) }),
    {
      mutationFn: ({ isWanted, proposalMails: isTold, ...when }) =>
        api.put('/me/notifications/{workspaceId}', {
          params: { workspaceId },
          body: { weeklyMail: isWanted ? when : null, proposalMails: isTold },
        }),
      onSuccess: () => queryClient.invalidateQueries({ queryKey: ['me', 'notifications'] }),
    },
  )
  return (
    <Form onSubmit={submit} label={`Mails of ${workspaceName}`}>
      <Checkbox label={`Send me the week of ${workspaceName}`} {...checkbox('isWanted')} />
      <Checkbox
        label="Tell me of proposals that wait for a decision"
        description="At most once a day, if you may decide"
        {...checkbox('proposalMails')}
      />
      <div className={css['row']}>
        {values.isWanted && (
          <>
            <Select label="On" data={DAYS} allowDeselect={false} {...field('day')} />
            <TextInput label="At" type="time" required {...field('at')} />
            <TextInput label="Time zone" required {...field('timeZone')} />
          </>
        )}
        <Button type="submit" isBusy={save.isPending}>
          Save
        </Button>
      </div>
      <FormFault error={save.error} />
      <Sent workspace={workspace} isSaved={save.isSuccess} />
    </Form>
  )
}

function Sent({ workspace, isSaved }: { workspace: MyWorkspaceNotifications; isSaved: boolean }) {
  const { nextAt, lastSentAt, lastAnswer } = workspace
  return (
    <p className={css['note']} role="status">
      {isSaved && 'Saved. '}
      {nextAt !== null && (
        <>
          Next <Time at={nextAt} as="dateTime" />
          {lastSentAt === null ? '' : ', last '}
          {lastSentAt !== null && <Time at={lastSentAt} as="dateTime" />}
          {lastAnswer === null ? '' : `. The mail server said: ${lastAnswer}`}
        </>
      )}
    </p>
  )
}
