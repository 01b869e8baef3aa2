/** Gives a member another role, and asks before: a lower one ends what they left open. */
import { Select } from '@mantine/core'
import type { WorkspaceMember } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormFault } from '../../components/form.tsx'
import { isChangedMeanwhile } from '../../components/put-back.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import { invitationsQuery, memberQuery, rolesQuery } from './queries.ts'
import { useMemberChange } from './remove-member.tsx'
import css from './settings-page.module.css'

export type Role = WorkspaceMember['role']

/** The lowest first. */
export const ROLES: readonly Role[] = ['Viewer', 'Engineer', 'Admin', 'Owner']

export function MemberRole({ member }: { member: WorkspaceMember }) {
  const { displayName, role } = member
  const [asked, setAsked] = useState<Role>()
  return (
    <>
      <Select
        className={css['choice']}
        aria-label={`Role of ${displayName}`}
        data={[...ROLES]}
        allowDeselect={false}
        value={role}
        onChange={(next) => setAsked(next as Role)}
      />
      {asked !== undefined && asked !== role && (
        <ChangeRole member={member} role={asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

/** An Owner invites to every role, an Admin to those below Owner, the others to none. */
const mayInvite = (role: Role, other: Role) =>
  role === 'Owner' || (role === 'Admin' && other !== 'Owner')

interface ChangeRoleProps {
  member: WorkspaceMember
  role: Role
  onClose: () => void
}

function ChangeRole({ member, role, onClose }: ChangeRoleProps) {
  const workspaceId = useWorkspaceId()
  const { subjectId, displayName } = member
  const title = `Make ${displayName} ${/^[AEIO]/.test(role) ? 'an' : 'a'} ${role}?`
  const { data: latest, error, refetch } = useQuery(memberQuery(workspaceId, subjectId))
  const change = useMemberChange<void>(() =>
    api.put('/workspaces/{workspaceId}/members/{subjectId}', {
      params: { workspaceId, subjectId },
      body: { role },
      ...(latest && { ifStill: latest }),
    }),
  )
  if (!latest)
    return (
      <Dialog opened onClose={onClose} title={title}>
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading rows={2} />}
      </Dialog>
    )
  const isLate = isChangedMeanwhile(change.error)
  return (
    <ConfirmDialog
      title={title}
      verb="Change role"
      act={isLate ? { ...change, error: null } : change}
      onClose={onClose}
      what={
        <>
          {isLate && (
            <p role="alert">
              <strong>Nothing was changed: somebody else changed the role meanwhile.</strong> Below
              is what it is now; to change it all the same, press the button again.
            </p>
          )}
          <Consequences member={latest} role={role} />
        </>
      }
    />
  )
}

function Consequences({ member, role }: Omit<ChangeRoleProps, 'onClose'>) {
  const workspaceId = useWorkspaceId()
  const { data: roles = [] } = useQuery(rolesQuery(workspaceId))
  const { data: invitations = [], error } = useQuery(invitationsQuery(workspaceId))
  const ended = invitations.filter(
    (one) => one.invitedByEmail === member.email && !mayInvite(role, one.role),
  )
  return (
    <>
      <p>
        {member.role} now; then {role}: {roles.find((one) => one.role === role)?.description}
      </p>
      {error && <FormFault error={error} said="Which invitations end with it is not known." />}
      {ended.length > 0 && (
        <p>Invitations that they made end: {ended.map(({ email }) => email).join(', ')}.</p>
      )}
    </>
  )
}
