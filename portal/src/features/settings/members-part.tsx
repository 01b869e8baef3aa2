import { Checkbox, Select, TextInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
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
      <div className={css['scroll']} tabIndex={0}>
        <table className={css['table']}>
          <thead>
            <tr>
              <th>Person</th>
              <th>Role</th>
              <th>Since</th>
              <th>
                <span className="visually-hidden">Acts</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data?.map((member) => (
              <tr key={member.subjectId}>
                <td>
                  <strong>{member.displayName}</strong>
                  <p className={css['note']}>{member.email}</p>
                </td>
                <td>{mayWrite ? <MemberRole member={member} /> : member.role}</td>
                <td>
                  <Time at={member.joinedAt} as="date" />
                </td>
                <td className={css['acts']}>{mayWrite && <RemoveMember member={member} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function Invitations() {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(invitationsQuery(workspaceId))
  return (
    <Panel title="Invitations" note="a link works for seven days, once">
      <InviteForm />
      {data && data.length > 0 && (
        <table className={css['table']}>
          <tbody>
            {data.map(({ id, email, role, expiresAt }) => (
              <tr key={id}>
                <td>{email}</td>
                <td>{role}</td>
                <td>
                  <Time at={expiresAt} />
                </td>
                <td className={css['acts']}>
                  <RevokeInvitation invitationId={id} email={email} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

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
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('Engineer')
  const { data: options } = useQuery(optionsQuery)
  const [isMailed, setMailed] = useState(true)
  const invite = useMutation({
    mutationFn: (send: boolean) =>
      api.post('/workspaces/{workspaceId}/invitations', {
        params: { workspaceId },
        body: { email, role, send },
      }),
    onSuccess: async () => {
      setEmail('')
      await queryClient.invalidateQueries({ queryKey: ['members', workspaceId] })
    },
  })
  const submit = () => invite.mutate(isMailed && options?.mail === true)
  return (
    <Form onSubmit={submit} label="Invite">
      <div className={css['row']}>
        <TextInput
          label="E-mail"
          type="email"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Select
          label="Role"
          data={[...ROLES]}
          value={role}
          onChange={(value) => setRole(value as Role)}
        />
        <Button type="submit" kind="primary" isBusy={invite.isPending} disabled={!options}>
          Invite
        </Button>
      </div>
      {options?.mail === true && (
        <Checkbox
          label="Send the link by mail"
          checked={isMailed}
          onChange={(event) => setMailed(event.currentTarget.checked)}
        />
      )}
      {options?.mail === false && (
        <p className={css['note']}>
          This service sends no mail: you get a link, to hand over yourself.
        </p>
      )}
      <FormFault error={invite.error} />
      {invite.data && (
        <ShownOnce text={invite.data.link} label="invitation link">
          {invite.variables
            ? `A mail is on its way to ${invite.data.email}.`
            : `No mail was sent: hand the link over to ${invite.data.email} yourself.`}{' '}
          The link, shown this once:
        </ShownOnce>
      )}
    </Form>
  )
}

/** Scopes by role, from the same source as the service's guard. */
function Roles() {
  const workspaceId = useWorkspaceId()
  const { data: roles = [] } = useQuery(rolesQuery(workspaceId))
  const scopes = [...new Set(roles.flatMap((role) => role.scopes))]
  return (
    <Panel title="What each role may do" isFlush>
      <ul className={css['roles']}>
        {roles.map(({ role, description }) => (
          <li key={role}>
            <strong>{role}</strong> {description}
          </li>
        ))}
      </ul>
      <div className={css['scroll']} tabIndex={0}>
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
      </div>
    </Panel>
  )
}
