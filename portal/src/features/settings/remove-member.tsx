/** Ends a membership, and says what ends with it. */
import { Checkbox } from '@mantine/core'
import type { MemberDuties, WorkspaceMember } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Choice } from '../../components/choice.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { FormFault } from '../../components/form.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { apiKeysQuery, invitationsQuery, memberDutiesQuery } from './queries.ts'

/** A change of the members, after which they are read again. */
export function useMemberChange<Input>(mutationFn: (input: Input) => Promise<unknown>) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return useMutation<unknown, Error, Input>({
    mutationFn,
    // Also of what was refused, as it may be what somebody else changed.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['members', workspaceId] }),
  })
}

export function RemoveMember({
  member: { subjectId, displayName, email },
}: {
  member: WorkspaceMember
}) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [revokesKeys, setRevokesKeys] = useState(false)
  const [heirId, setHeirId] = useState<string | null>(null)
  const remove = useMemberChange<void>(async () => {
    await api.delete('/workspaces/{workspaceId}/members/{subjectId}', {
      params: { workspaceId, subjectId },
      query: {
        revokesKeys: revokesKeys ? 'true' : 'false',
        ...(heirId !== null && { handOverTo: heirId }),
      },
    })
    await queryClient.invalidateQueries({ queryKey: ['api-keys', workspaceId] })
    await queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] })
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Remove ${displayName}`}
      title={`Remove ${displayName} from this workspace?`}
      verb="Remove member"
      act={remove}
      what={
        <>
          <Departure {...{ email, revokesKeys, setRevokesKeys }} />
          <LeftDuties {...{ subjectId, heirId, setHeirId }} />
        </>
      }
    >
      Remove…
    </ConfirmedButton>
  )
}

interface LeftProps {
  subjectId: string
  heirId: string | null
  setHeirId: (subjectId: string | null) => void
}

/** What the member looks after, and who takes it. */
function LeftDuties({ subjectId, heirId, setHeirId }: LeftProps) {
  const workspaceId = useWorkspaceId()
  const { data, error } = useQuery(memberDutiesQuery(workspaceId, subjectId))
  const mayDecide = useMay('Vulnerabilities: write')
  const mayHandle = useMay('Alerts: write')
  const maySet = useMay('Workspace settings: write')
  const others = useColleagues().filter(({ value }) => value !== subjectId)
  if (error) return <FormFault error={error} said="What they look after is not known." />
  if (!data) return null
  const left = listDuties(data)
  if (left.length === 0) return <p>They look after nothing.</p>
  return (
    <>
      <p>They look after:</p>
      <ul>
        {left.map(({ text, end }) => (
          <li key={text}>
            <strong>{text}</strong>: {end}
          </li>
        ))}
      </ul>
      {mayDecide && mayHandle && maySet && (
        <Choice
          label="Hand all of it to"
          none="Hand it to nobody"
          options={others.map(({ value, name }) => ({ value, text: `Hand it to ${name}` }))}
          value={heirId}
          onChange={setHeirId}
        />
      )}
    </>
  )
}

/** With what becomes of it where nobody takes it. */
function listDuties(duties: MemberDuties): { text: string; end: string }[] {
  const { acceptedRisks, vulnerabilities, incidents, ownerRules, teams } = duties
  const alone = duties.teamsWithoutOthers
  const emptied = alone === 0 ? 'the others stay in them' : `${formatCount(alone)} without others`
  const all = [
    [acceptedRisks, 'accepted risk', 'nobody is told before the end'],
    [vulnerabilities, 'assigned vulnerability', 'nobody is assigned', 'assigned vulnerabilities'],
    [incidents, 'open incident', 'nobody is assigned'],
    [ownerRules, 'owner rule', 'gives findings to nobody'],
    [teams, 'team of owners', emptied, 'teams of owners'],
  ] as const
  return all
    .filter(([count]) => count > 0)
    .map(([count, one, end, many]) => ({ text: formatCountOf(count, one, many), end }))
}

interface DepartureProps {
  email: string
  revokesKeys: boolean
  setRevokesKeys: (revokes: boolean) => void
}

/** What ends with a membership, and what ends only on demand. */
function Departure({ email, revokesKeys, setRevokesKeys }: DepartureProps) {
  const workspaceId = useWorkspaceId()
  const { data: keys, error } = useQuery(apiKeysQuery(workspaceId))
  const { data: invitations = [], error: noInvitations } = useQuery(invitationsQuery(workspaceId))
  const made = keys?.filter(
    ({ createdByEmail, revokedAt, isLogin }) =>
      createdByEmail === email && revokedAt === null && !isLogin,
  )
  const open = invitations.filter(({ invitedByEmail }) => invitedByEmail === email)
  return (
    <>
      <p>Their sessions and terminal logins end at once.</p>
      {open.length > 0 && (
        <p>Invitations that they made end too: {open.map((one) => one.email).join(', ')}.</p>
      )}
      {noInvitations && (
        <FormFault error={noInvitations} said="Which invitations end with it is not known." />
      )}
      {error && <FormFault error={error} said="Which API keys they made is not known." />}
      {made && made.length === 0 && <p>They made no API key that works.</p>}
      {made && made.length > 0 && (
        <>
          <p>They made API keys, which somebody may still have:</p>
          <ul>
            {made.map(({ id, name, lastUsedAt }) => (
              <li key={id}>
                <strong>{name}</strong>,{' '}
                {lastUsedAt === null ? (
                  'never used'
                ) : (
                  <>
                    last used <Time at={lastUsedAt} />
                  </>
                )}
              </li>
            ))}
          </ul>
          <Checkbox
            label={
              made.length === 1 ? 'Revoke this key too' : `Revoke these ${made.length} keys too`
            }
            checked={revokesKeys}
            onChange={(event) => setRevokesKeys(event.currentTarget.checked)}
          />
        </>
      )}
    </>
  )
}
