/** What was published, newest first, each with what it changed; and what the next one would change. */
import type { SecurityAdvisory } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { documentQuery } from '../../components/advisories/queries.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'
import { compareDocuments, listStatements } from './statements.ts'

type Revision = SecurityAdvisory['revisions'][number]

export function RevisionsPanel({ one }: { one: SecurityAdvisory }) {
  const { revisions, state } = one
  return (
    <Panel title="Revisions" note="kept for ever, to the letter">
      {revisions.length === 0 && <p>Nothing of it was published.</p>}
      {state === 'Changed' && (
        <Comparison
          one={one}
          earlier={revisions.length}
          later={0}
          label="What the next revision would change"
        />
      )}
      {revisions.toReversed().map((revision) => (
        <RevisionRow key={revision.number} one={one} revision={revision} />
      ))}
    </Panel>
  )
}

function RevisionRow({ one, revision }: { one: SecurityAdvisory; revision: Revision }) {
  const workspaceId = useWorkspaceId()
  const { number, publishedAt, publishedByEmail, summary, isWithdrawal, sha512 } = revision
  const base = `/workspaces/${workspaceId}/security-advisories/${one.id}`
  return (
    <section className={css['revision']} aria-label={`Revision ${number}`}>
      <p>
        <strong>Revision {number}</strong>, <Time at={publishedAt} as="dateTime" />, by{' '}
        {publishedByEmail ?? 'an API key'} {isWithdrawal && <Tag tone="danger">withdrawal</Tag>}
      </p>
      <q>{summary}</q>
      <p className={css['facts']}>
        <a href={`${base}/page?revision=${number}`} target="_blank" rel="noopener">
          Page of revision {number}
        </a>
        <a href={`${base}/document?revision=${number}`} download={`${one.id}-${number}.json`}>
          CSAF document of revision {number}
        </a>
        <Copyable text={sha512.slice(0, SHOWN_DIGITS)} label="beginning of the SHA-512" />
      </p>
      {number > 1 && (
        <Comparison
          one={one}
          earlier={number - 1}
          later={number}
          label={`What revision ${number} changed`}
        />
      )}
    </section>
  )
}

const SHOWN_DIGITS = 16

interface ComparisonProps {
  one: SecurityAdvisory
  earlier: number
  /** 0: the draft. */
  later: number
  label: string
}

/** Read once somebody opens it. */
function Comparison({ label, ...of }: ComparisonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className={css['comparison']}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{label}</summary>
      {isOpen && <Differences {...of} />}
    </details>
  )
}

/** `earlier` 0: nothing was published before. */
export function Differences({ one, earlier, later }: Omit<ComparisonProps, 'label'>) {
  const workspaceId = useWorkspaceId()
  const of = { advisoryId: one.id, asOf: one.updatedAt }
  const before = useQuery({
    ...documentQuery(workspaceId, { ...of, revision: earlier }),
    enabled: earlier > 0,
  })
  const after = useQuery(documentQuery(workspaceId, { ...of, revision: later }))
  const error = before.error ?? after.error
  if (error) return <Failure error={error} onRetry={() => void after.refetch()} />
  if (!after.data || (earlier > 0 && !before.data)) return <Loading rows={3} height={20} />
  const { added, gone } =
    earlier > 0
      ? compareDocuments(before.data, after.data)
      : { added: listStatements(after.data), gone: [] }
  if (added.length + gone.length === 0) return <p>No statement differs.</p>
  return (
    <>
      <p className={css['note']}>
        {formatCountOf(added.length, 'statement')} new, {formatCountOf(gone.length, 'statement')}{' '}
        gone
      </p>
      <ul className={css['statements']}>
        {gone.map((text) => (
          <li key={`- ${text}`}>
            <del>
              <span className={css['sign']}>gone</span> <bdi>{text}</bdi>
            </del>
          </li>
        ))}
        {added.map((text) => (
          <li key={`+ ${text}`}>
            <ins>
              <span className={css['sign']}>new</span> <bdi>{text}</bdi>
            </ins>
          </li>
        ))}
      </ul>
    </>
  )
}
