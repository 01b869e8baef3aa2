/** What the list has, in a sentence; its counts lead to what they count. */
import type { AuditLogCounts } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { formatCountOf } from '../../format/counts.ts'
import type { AuditSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeTime } from './audit-filters.ts'
import css from './audit-page.module.css'
import { formatKindCount } from './kind-words.ts'

interface OpeningProps {
  counts: AuditLogCounts
  search: AuditSearch
}

const MOST_KINDS = 6

export function Opening({ counts, search }: OpeningProps) {
  const { count, kinds } = counts
  const named = kinds.slice(0, MOST_KINDS)
  const others = kinds.slice(MOST_KINDS).reduce((sum, kind) => sum + kind.count, 0)
  return (
    <p className={css['opening']}>
      <strong>{formatCountOf(count, 'entry', 'entries')}</strong> {describeTime(search)}
      <By counts={counts} search={search} />.{' '}
      {kinds.length > 1 && (
        <span className={css['second']}>
          {named.map((one, index) => (
            <Fragment key={one.kind}>
              {index > 0 && ', '}
              <Narrowed search={search} next={{ kind: one.kind ?? undefined }}>
                {formatKindCount(one.kind, one.count)}
              </Narrowed>
            </Fragment>
          ))}
          {others > 0 && `, ${formatCountOf(others, 'other')}`}.
        </span>
      )}
    </p>
  )
}

function By({ counts, search }: OpeningProps) {
  const { peopleCount, apiKeyCount, actors } = counts
  const has = (type: string) => actors.some(({ actorType }) => actorType === type)
  const all = [
    { actor: 'User', text: peopleCount > 0 && formatCountOf(peopleCount, 'person', 'people') },
    { actor: 'ApiKey', text: apiKeyCount > 0 && formatCountOf(apiKeyCount, 'key') },
    { actor: 'System', text: has('System') && 'the service' },
    { actor: 'Operator', text: has('Operator') && 'the operator' },
    { actor: 'Device', text: has('Device') && 'devices' },
  ].filter((one): one is { actor: string; text: string } => one.text !== false)
  return all.map(({ actor, text }, index) => (
    <Fragment key={actor}>
      {index === 0 ? ' by ' : index === all.length - 1 ? ' and ' : ', '}
      <Narrowed search={search} next={{ actor: search.actor ?? actor }}>
        {text}
      </Narrowed>
    </Fragment>
  ))
}

function Narrowed({
  search,
  next,
  children,
}: {
  search: AuditSearch
  next: AuditSearch
  children: string
}) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/settings/audit-log"
      params={{ workspaceId }}
      search={{ ...search, at: undefined, ...next }}
    >
      {children}
    </Link>
  )
}
