/** Ends a membership, and says what ends with it. */
import { Checkbox } from '@mantine/core'
import type { WorkspaceMember } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Choice } from '../../components/choice.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { FormFault } from '../../components/form.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { apiKeysQuery, invitationsQuery, ownedAcceptancesQuery } from './queries.ts'

/** A change of the members, after which they are read again. */
export function useMemberChange<Input>(mutationFn: (input: Input) => Promise<unknown>) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return useMutation<unknown, Error, Input>({
    mutationFn,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['members', workspaceId] }),
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
        ...(heirId !== null && { acceptancesTo: heirId }),
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
          <LeftAcceptances {...{ subjectId, heirId, setHeirId }} />
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

/** The accepted risks that the member looks after, and who takes them. */
function LeftAcceptances({ subjectId, heirId, setHeirId }: LeftProps) {
  const workspaceId = useWorkspaceId()
  const { data, error } = useQuery(ownedAcceptancesQuery(workspaceId, subjectId))
  const mayDecide = useMay('Vulnerabilities: write')
  const others = useColleagues().filter(({ value }) => value !== subjectId)
  if (error)
    return <FormFault error={error} said="Which accepted risks they look after is not known." />
  if (!data) return null
  const count = data.counts.open + data.counts.endingSoon
  if (count === 0) return <p>They look after no accepted risk.</p>
  return (
    <>
      <p>
        They look after {formatCountOf(count, 'accepted risk')}. Without somebody else, nobody is
        told before {count === 1 ? 'it ends' : 'they end'}.
      </p>
      {mayDecide && (
        <Choice
          label="Hand them to"
          none="Hand them to nobody"
          options={others.map(({ value, name }) => ({ value, text: `Hand them to ${name}` }))}
          value={heirId}
          onChange={setHeirId}
        />
      )}
    </>
  )
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
