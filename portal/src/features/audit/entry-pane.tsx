/** One entry with all that is known of it: who and how, what it is about, before and after. */
import type { AuditLogEntry } from '@plimsoll/api-client'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { findAuditLog } from '../../components/addresses.ts'
import { Sentence } from '../../components/audit/sentence.tsx'
import { findSubjectPage } from '../../components/audit/subject-page.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { Copyable, CopyLink } from '../../components/copyable.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { formatDate, formatTime, formatUtc } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { listChangedMembers } from './changed-members.ts'
import { DecidedFindings } from './decided-findings.tsx'
import css from './entry-pane.module.css'
import { formatKind } from './kind-words.ts'
import { auditEntryQuery } from './queries.ts'

interface EntryPaneProps {
  entryId: string
  /** As the list has it; else it is read. */
  listed: AuditLogEntry | undefined
  /** It stands in place of the list. */
  isNarrow: boolean
  onStep: (by: 1 | -1) => void
  onClose: () => void
}

export function EntryPane({ entryId, listed, isNarrow, onStep, onClose }: EntryPaneProps) {
  const query = useQuery({ ...auditEntryQuery(useWorkspaceId(), entryId), enabled: !listed })
  const error = findBlockingError(query)
  const entry = listed ?? query.data
  const close = useRef<HTMLButtonElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0
  }, [entryId])
  // The list is gone, and with it what had the focus.
  useEffect(() => {
    if (isNarrow) close.current?.focus()
  }, [isNarrow])
  return (
    <aside className={css['pane']} aria-label="Entry" data-paper="none">
      <div ref={scroller} className={css['scroll']} data-scroll="" tabIndex={0}>
        <header className={css['head']}>
          <h2>{entry ? formatKind(entry.kind) : 'Entry'}</h2>
          <Button size="small" aria-label="Newer entry (k)" onClick={() => onStep(-1)}>
            <IconChevronUp size={16} aria-hidden="true" />
          </Button>
          <Button size="small" aria-label="Older entry (j)" onClick={() => onStep(1)}>
            <IconChevronDown size={16} aria-hidden="true" />
          </Button>
          <Button
            ref={close}
            size="small"
            kind="quiet"
            aria-label="Close the entry (Esc)"
            onClick={onClose}
          >
            <IconX size={16} aria-hidden="true" />
          </Button>
        </header>
        {error && !listed && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!entry && !error && <Loading rows={6} />}
        {entry && (listed || !error) && <Content entry={entry} />}
      </div>
    </aside>
  )
}

const ACTOR_TYPES: Record<AuditLogEntry['actorType'], string> = {
  User: 'a member, signed in',
  ApiKey: 'an API key',
  Operator: 'whoever runs the service',
  System: 'the service by itself',
  Device: 'a device by itself',
}

function Content({ entry }: { entry: AuditLogEntry }) {
  const { createdAt, actorType, note, requestId } = entry
  return (
    <>
      <p className={css['sentence']}>
        <Sentence entry={entry} />.
      </p>
      <dl className={css['facts']}>
        <dt>When</dt>
        <dd>
          {formatDate(createdAt)}, {formatTime(createdAt)} <small>{formatUtc(createdAt)}</small>
        </dd>
        <dt>Who</dt>
        <dd>
          {describeWho(entry)} <small>{ACTOR_TYPES[actorType]}</small>
        </dd>
        {note !== null && (
          <>
            <dt>Note</dt>
            <dd className={css['note']}>{note}</dd>
          </>
        )}
        {requestId !== null && (
          <>
            <dt>Request</dt>
            <dd>
              <Copyable text={requestId} label="request id" />{' '}
              <small>in the log of the service</small>
            </dd>
          </>
        )}
      </dl>
      <About entry={entry} />
      <Changes entry={entry} />
      <DecidedFindings entry={entry} />
      <details className={css['raw']}>
        <summary>
          Raw entry <small>{entry.action}</small>
        </summary>
        <pre tabIndex={0}>
          {JSON.stringify(
            { id: entry.id, action: entry.action, before: entry.before, after: entry.after },
            null,
            2,
          )}
        </pre>
      </details>
      <CopyLink />
    </>
  )
}

/** A key has the address of who made it. */
function describeWho({ actorType, actorId, actorEmail, subjects }: AuditLogEntry): string {
  const name = subjects.find(({ id }) => id === actorId)?.name
  if (actorType === 'ApiKey')
    return `${name ?? actorId ?? 'A key'}${actorEmail === null ? '' : `, made by ${actorEmail}`}`
  if (actorType === 'User')
    return [name, actorEmail].filter(Boolean).join(', ') || (actorId ?? 'Not known')
  return actorType === 'System' ? 'The service' : 'The operator'
}

const TYPES: Record<AuditLogEntry['subjects'][number]['type'], string> = {
  'alert-incident': 'Incident',
  'alert-rule': 'Alert rule',
  'api-key': 'Key',
  case: 'Case',
  'crash-group': 'Crash',
  customer: 'Customer',
  deployment: 'Deployment',
  'deployment-cohort': 'Cohort',
  device: 'Device',
  'device-issuer': 'Issuer of device certificates',
  'device-key': 'Device key',
  firmware: 'Firmware',
  'firmware-version': 'Version',
  member: 'Member',
  'notification-target': 'Target',
  'package-override': 'Override',
  'product-line': 'Product line',
  'disclosure-report': 'Report from outside',
  'security-advisory': 'Advisory',
  'standing-address': 'Standing address',
  'supplier-feed': 'Supplier',
  'upstream-report': 'Upstream report',
  vulnerability: 'Vulnerability',
  webhook: 'Webhook',
}

/** The first five of each type, as the service names them. */
function About({ entry: { subjects } }: { entry: AuditLogEntry }) {
  const workspaceId = useWorkspaceId()
  if (subjects.length === 0) return null
  return (
    <section>
      <h3>About</h3>
      <ul className={css['about']}>
        {subjects.map(({ type, id, name }) => (
          <li key={`${type}:${id}`}>
            <span>{TYPES[type]}</span>
            <Link {...findSubjectPage(workspaceId, { type, id }, subjects)}>{name ?? id}</Link>
            <Link {...findAuditLog(workspaceId, `${type}:${id}`)}>
              its entries<span className="visually-hidden">, of {name ?? id}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Changes({ entry: { before, after, subjects } }: { entry: AuditLogEntry }) {
  const names = new Map(subjects.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
  const changed = listChangedMembers(before, after, names)
  const [hadNone, hasNone] = [isNothing(before), isNothing(after)]
  if (changed.length === 0)
    return <p className={css['none']}>The entry keeps no values from before or after.</p>
  const title = hadNone ? 'What it says' : hasNone ? 'What there was' : 'Before and after'
  return (
    <section>
      <h3>{title}</h3>
      <div className={css['frame']}>
        <table className={css['changes']} aria-label={title}>
          <thead>
            <tr>
              <th scope="col">What</th>
              {!hadNone && <th scope="col">Before</th>}
              {!hasNone && <th scope="col">{hadNone ? 'Value' : 'After'}</th>}
            </tr>
          </thead>
          <tbody>
            {changed.map((one) => (
              <tr key={one.name}>
                <th scope="row">{one.title}</th>
                {!hadNone && <td>{one.before}</td>}
                {!hasNone && <td>{one.after}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const isNothing = (state: unknown) =>
  state === null ||
  state === undefined ||
  (typeof state === 'object' && Object.keys(state).length === 0)
