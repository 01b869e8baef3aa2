/** An entry of the audit log as a sentence: who acts stands out, and what it names leads to its page. */
import type { AuditLogEntry } from '@plimsoll/api-client'
import { IconCpu, IconKey, IconRefresh, IconTool } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useWorkspaceId } from '../../session.ts'
import css from './audit.module.css'
import { findSubjectPage } from './subject-page.ts'
import { pickInitials, splitSentence } from './told-actor.ts'

export function Sentence({ entry }: { entry: AuditLogEntry }) {
  const workspaceId = useWorkspaceId()
  const { actor, done } = splitSentence(entry)
  return (
    <>
      {actor !== '' && <strong>{actor}</strong>}
      {done.map(({ text, subject }, index) =>
        subject ? (
          <Link
            key={index}
            {...findSubjectPage(workspaceId, subject, entry.subjects)}
            className={subject.type === 'vulnerability' ? css['cve'] : undefined}
          >
            {text}
          </Link>
        ) : (
          text
        ),
      )}
    </>
  )
}

/** Beside the sentence, which says who it is. */
export function ActorSign({ entry }: { entry: AuditLogEntry }) {
  const { actorType, actorEmail } = entry
  const { actor } = splitSentence(entry)
  return (
    <span
      className={`${css['sign']} ${actorType === 'User' ? css['person'] : ''}`}
      aria-hidden="true"
    >
      {actorType === 'User' && pickInitials(actor === '' ? (actorEmail ?? '?') : actor)}
      {actorType === 'ApiKey' && <IconKey size={12} />}
      {actorType === 'System' && <IconRefresh size={12} />}
      {actorType === 'Operator' && <IconTool size={12} />}
      {actorType === 'Device' && <IconCpu size={12} />}
    </span>
  )
}
