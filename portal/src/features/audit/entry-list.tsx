/** The entries by day. The time of each opens it; a click on the rest of its row does, too. */
import type { AuditLogEntry } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { type MouseEvent, useState } from 'react'
import { ActorSign, Sentence } from '../../components/audit/sentence.tsx'
import { useIsPrinting } from '../../components/printing.ts'
import { formatCountOf } from '../../format/counts.ts'
import { formatDay, formatTime, formatUtc } from '../../format/dates.ts'
import type { AuditSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './audit-page.module.css'
import { listDays, type LogDay } from './days.ts'
import { formatKind, formatKindCount } from './kind-words.ts'

/** Days that somebody unfolded. */
export function useUnfolded() {
  const [days, setDays] = useState<ReadonlySet<string>>(new Set())
  return {
    has: (day: string) => days.has(day),
    add: (day: string) => setDays(new Set([...days, day])),
  }
}

export const nameRow = (entryId: string) => `entry-${entryId}`

export interface EntryListProps {
  days: readonly (LogDay<AuditLogEntry> & { day: string })[]
  search: AuditSearch
  opened: string | undefined
  /** There are older ones. */
  hasMore: boolean
  onOpen: (entryId: string) => void
  onUnfold: (day: string) => void
}

export function EntryList({ days, hasMore, onUnfold, ...row }: EntryListProps) {
  return days.map(({ day, at, entries, shown, folded }, index) => (
    <section key={day} className={css['day']} aria-label={formatDay(at)}>
      <header>
        <h2>{formatDay(at)}</h2>
        <span>
          {describeDay(entries.length, shown.length, hasMore && index === days.length - 1)}
          {day === new Date().toDateString() && ', today'}
        </span>
      </header>
      <ol>
        {shown.map((entry) => (
          <EntryRow key={entry.id} entry={entry} {...row} />
        ))}
      </ol>
      {folded.length > 0 && (
        <button type="button" className={css['fold']} onClick={() => onUnfold(day)}>
          {describeFolded(folded)}
        </button>
      )}
    </section>
  ))
}

function describeDay(count: number, shownCount: number, hasOlder: boolean): string {
  const all = formatCountOf(count, 'entry', 'entries')
  const soFar = hasOlder ? `${all} so far` : all
  return shownCount < count ? `${soFar}, ${shownCount} shown` : soFar
}

/** "5 more entries of the service: 3 acts on deployments, 2 acts on alerts". */
function describeFolded(folded: readonly AuditLogEntry[]): string {
  const kinds = [...Map.groupBy(folded, ({ kind }) => kind)]
  const counts = kinds.map(([kind, entries]) => formatKindCount(kind, entries.length))
  const all = formatCountOf(folded.length, 'more entry', 'more entries')
  return `${all} of the service: ${counts.join(', ')}`
}

interface EntryRowProps extends Pick<EntryListProps, 'search' | 'opened' | 'onOpen'> {
  entry: AuditLogEntry
}

function EntryRow({ entry, search, opened, onOpen }: EntryRowProps) {
  const workspaceId = useWorkspaceId()
  const { id, createdAt, note, kind } = entry
  const isOpen = id === opened
  const onClick = ({ target }: MouseEvent) => {
    const isLink = target instanceof Element && target.closest('a') !== null
    // Who marks a text to copy it does not open anything.
    if (!isLink && String(getSelection()) === '') onOpen(id)
  }
  return (
    <li className={`${css['row']} ${isOpen ? css['chosen'] : ''}`} onClick={onClick}>
      <Link
        id={nameRow(id)}
        to="/w/$workspaceId/settings/audit-log"
        params={{ workspaceId }}
        search={{ ...search, at: id }}
        replace
        className={css['time']}
        title={formatUtc(createdAt)}
      >
        <time dateTime={createdAt}>{formatTime(createdAt)}</time>
        <span className="visually-hidden">: open this entry</span>
      </Link>
      <ActorSign entry={entry} />
      <div className={css['told']}>
        <p>
          <Sentence entry={entry} />
        </p>
        {note !== null && <p className={css['note']}>“{note}”</p>}
      </div>
      <span className={css['kind']}>{formatKind(kind)}</span>
    </li>
  )
}

/** On paper nothing is folded. */
export function useDays(entries: readonly AuditLogEntry[], unfolded: (day: string) => boolean) {
  const isPrinting = useIsPrinting()
  return listDays(entries, (day) => isPrinting || unfolded(day))
}
