/** Who looks after a vulnerability, and the choice of somebody else. */
import { type ReactNode, useId } from 'react'
import { useQuery } from '@tanstack/react-query'
import { findBlockingError } from '../blocking-error.ts'
import { api } from '../../api.ts'
import { meQuery, useMay, useWorkspaceId } from '../../session.ts'
import { membersQuery } from '../../workspace-queries.ts'
import type { ActForm } from '../acts.ts'
import { Choice } from '../choice.tsx'
import { useFormAct } from '../form-act.ts'
import { usePerform, writeValue } from '../perform.ts'
import { describeFailure } from '../states.tsx'
import css from './discussion.module.css'
import { assignmentQuery } from './queries.ts'

const NOBODY = 'Nobody'

/** Members by what people call them, whoever is signed in first. */
export function useColleagues() {
  const { data: me } = useQuery(meQuery)
  const { data: members = [] } = useQuery(membersQuery(useWorkspaceId()))
  const named = members.map(({ subjectId, displayName, email }) => ({
    value: subjectId,
    name: displayName === '' ? email : displayName,
    email,
    isMe: email === me?.email,
  }))
  return named.toSorted((a, b) => Number(b.isMe) - Number(a.isMe) || a.name.localeCompare(b.name))
}

interface MemberChoiceProps {
  label: string
  value: string | null
  /** `name`: what people call the member; of nobody, undefined. Answers whether it was done. */
  assign: (subjectId: string | null, name: string | undefined, form: ActForm) => Promise<boolean>
  /** What stands behind the choice. */
  children: ReactNode
}

/** A member, or nobody; why it was refused stands beside it. */
export function MemberChoice({ label, value, assign, children }: MemberChoiceProps) {
  const colleagues = useColleagues()
  const faultId = useId()
  const { send, error, findFault } = useFormAct(() => undefined)
  const isRefused = error !== null
  return (
    <div className={css['assignee']}>
      <Choice
        label={label}
        none={NOBODY}
        options={colleagues.map(({ value: subjectId, name, isMe }) => ({
          value: subjectId,
          text: isMe ? `${name} (you)` : name,
        }))}
        value={value}
        onChange={(next) => {
          const name = colleagues.find((one) => one.value === next)?.name
          send((form) => assign(next, name, form))
        }}
        faultId={isRefused ? faultId : undefined}
      />
      <span className={css['muted']}>{children}</span>
      {isRefused && (
        <p id={faultId} className={css['fault']} role="alert">
          Not changed. {findFault('subjectId') ?? describeFailure(error)}
        </p>
      )}
    </div>
  )
}

export function AssigneeChoice({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  const mayAssign = useMay('Vulnerabilities: write')
  const query = useQuery(assignmentQuery(workspaceId, cveId))
  const { data } = query
  const error = findBlockingError(query)
  const perform = usePerform('findings')
  if (error) return <p className={css['muted']}>Who looks after it could not be read.</p>
  if (!data) return <p className={css['muted']}>…</p>
  const { assignee } = data
  if (!mayAssign)
    return <p>{assignee ? `${assignee.displayName} looks after it.` : describeNobody}</p>
  const path = '/workspaces/{workspaceId}/vulnerabilities/{cveId}/assignee'
  const params = { workspaceId, cveId }
  const assign = (subjectId: string | null, name: string | undefined, form: ActForm) =>
    perform({
      form,
      text:
        name === undefined ? `${cveId}: nobody looks after it` : `${cveId}: ${name} looks after it`,
      send: () =>
        writeValue({
          before: assignee?.subjectId ?? null,
          after: subjectId,
          read: async () => (await api.get(path, { params })).assignee?.subjectId ?? null,
          write: (value) => api.put(path, { params, body: { subjectId: value } }),
        }),
    })
  return (
    <MemberChoice
      label={`Who looks after ${cveId}`}
      value={assignee?.subjectId ?? null}
      assign={assign}
    >
      looks after it, in all versions
    </MemberChoice>
  )
}

const describeNobody = 'Nobody looks after it.'
