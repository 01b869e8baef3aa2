import { Checkbox, Select, TextInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { Invitation, WorkspaceMember } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { optionsQuery, useMay, useWorkspaceId } from '../../session.ts'
import { MemberRole, type Role, ROLES } from './member-role.tsx'
import { membersQuery } from '../../workspace-queries.ts'
import { invitationsQuery, rolesQuery } from './queries.ts'
import { RemoveMember } from './remove-member.tsx'
import css from './settings-page.module.css'

export function MembersPart() {
  const mayWrite = useMay('Workspace members: write')
  return (
    <>
      <Members mayWrite={mayWrite} />
      {mayWrite && <Invitations />}
      <Roles />
    </>
  )
}

function Members({ mayWrite }: { mayWrite: boolean }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(membersQuery(workspaceId))
  return (
    <Panel title="Members" isFlush>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data && (
        <CardTable
          label="Members"
          list="members"
          csv={{
            name: 'members',
            columns: ['displayName', 'email', 'role', 'joinedAt'],
          }}
          columns={mayWrite ? [...MEMBER_COLUMNS, MEMBER_ACTS] : READ_COLUMNS}
          rows={data}
          keyOf={({ subjectId }) => subjectId}
        />
      )}
    </Panel>
  )
}

const PERSON: CardColumn<WorkspaceMember> = {
  title: 'Person',
  isPlain: true,
  cell: ({ displayName, email }) => (
    <>
      <strong>{displayName}</strong>
      <p className={css['note']}>{email}</p>
    </>
  ),
}

const SINCE: CardColumn<WorkspaceMember> = {
  title: 'Since',
  cell: ({ joinedAt }) => <Time at={joinedAt} as="date" />,
}

const READ_COLUMNS = [PERSON, { title: 'Role', cell: ({ role }: WorkspaceMember) => role }, SINCE]

const MEMBER_COLUMNS = [
  PERSON,
  { title: 'Role', cell: (member: WorkspaceMember) => <MemberRole member={member} /> },
  SINCE,
]

const MEMBER_ACTS: CardColumn<WorkspaceMember> = {
  title: 'Acts',
  isActs: true,
  cell: (member) => <RemoveMember member={member} />,
}

function Invitations() {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(invitationsQuery(workspaceId))
  return (
    <Panel title="Invitations" note="a link works for seven days, once">
      <InviteForm />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && data.length > 0 && (
        <CardTable
          label="Invitations that are open"
          list="invitations"
          csv={{ name: 'invitations', columns: ['email', 'role', 'expiresAt'] }}
          columns={INVITATION_COLUMNS}
          rows={data}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  )
}

const INVITATION_COLUMNS: readonly CardColumn<Invitation>[] = [
  { title: 'E-mail', isPlain: true, cell: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    title: 'Acts',
    isActs: true,
    cell: ({ id, email }) => <RevokeInvitation invitationId={id} email={email} />,
  },
]

function RevokeInvitation({ invitationId, email }: { invitationId: string; email: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/invitations/{invitationId}', {
        params: { workspaceId, invitationId },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['members', workspaceId] }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Revoke the invitation of ${email}`}
      title={`Revoke the invitation of ${email}?`}
      verb="Revoke invitation"
      act={revoke}
      what="Its link stops working. You can invite the address again."
    >
      Revoke…
    </ConfirmedButton>
  )
}

function InviteForm() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { data: options } = useQuery(optionsQuery)
  const first = { email: '', role: 'Engineer' as Role, send: true }
  const { save, submit, change, field, checkbox } = useForm(first, {
    mutationFn: (values) =>
      api.post('/workspaces/{workspaceId}/invitations', {
        params: { workspaceId },
        body: { ...values, send: values.send && options?.mail === true },
      }),
    onSuccess: async () => {
      change({ email: '' })
      await queryClient.invalidateQueries({ queryKey: ['members', workspaceId] })
    },
  })
  return (
    <Form onSubmit={submit} label="Invite">
      <div className={css['row']}>
        <TextInput label="E-mail" type="email" required {...field('email')} />
        <Select label="Role" data={[...ROLES]} allowDeselect={false} {...field('role')} />
        <Button type="submit" kind="primary" isBusy={save.isPending} disabled={!options}>
          Invite
        </Button>
      </div>
      {options?.mail === true && <Checkbox label="Send the link by mail" {...checkbox('send')} />}
      {options?.mail === false && (
        <p className={css['note']}>
          This service sends no mail: you get a link, to hand over yourself.
        </p>
      )}
      <FormFault error={save.error} />
      {save.data && (
        <ShownOnce text={save.data.link} label="invitation link">
          {save.variables?.send && options?.mail === true
            ? `A mail is on its way to ${save.data.email}.`
            : `No mail was sent: hand the link over to ${save.data.email} yourself.`}{' '}
          The link, shown this once:
        </ShownOnce>
      )}
    </Form>
  )
}

/** Scopes by role, from the same source as the service's guard. */
function Roles() {
  const workspaceId = useWorkspaceId()
  const { data: roles = [], error, isPending, refetch } = useQuery(rolesQuery(workspaceId))
  const scopes = [...new Set(roles.flatMap((role) => role.scopes))]
  return (
    <Panel title="What each role may do" isFlush>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={4} />}
      <ul className={css['roles']}>
        {roles.map(({ role, description, scopes: own }) => (
          <li key={role}>
            <strong>{role}</strong> {description}
            <p className={css['onCard']}>{own.join(' · ')}</p>
          </li>
        ))}
      </ul>
      {roles.length > 0 && (
        <table className={`${css['table']} ${css['matrix']}`}>
          <thead>
            <tr>
              <th>Scope</th>
              {roles.map(({ role }) => (
                <th key={role}>{role}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {scopes.map((scope) => (
              <tr key={scope}>
                <td>{scope}</td>
                {roles.map((one) => (
                  <td key={one.role}>
                    {one.scopes.includes(scope) ? (
                      <IconCheck size={15} role="img" aria-label="yes" />
                    ) : (
                      <span className="visually-hidden">no</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
