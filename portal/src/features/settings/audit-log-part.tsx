import type { AuditLogEntry } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { DropFilters } from '../../components/drop-filters.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { AUDIT_LOG, type AuditSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { AUDIT_FILTERS, buildExportAddress, readFilter } from './audit-filters.ts'
import { auditLogQuery } from './queries.ts'
import { listChangedMembers } from './changed-members.ts'
import css from './settings-page.module.css'

export function AuditLogPart() {
  const workspaceId = useWorkspaceId()
  const search = AUDIT_LOG.parse(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: AuditSearch) =>
    void navigate({
      to: '/w/$workspaceId/settings/$part',
      params: { workspaceId, part: 'audit-log' },
      search: { ...search, ...next },
      replace: true,
    })
  const filter = readFilter(search)
  const log = useInfiniteQuery(auditLogQuery(workspaceId, filter))
  return (
    <>
      <Filters search={search} onChange={change} />
      <ListPanel
        query={log}
        rows={log.data?.pages.flatMap((page) => page.entries)}
        empty={<Nothing search={search} onChange={change} />}
        title="Audit log"
        note="newest first"
        aside={
          <>
            <a href={buildExportAddress(workspaceId, filter, 'csv')} download>
              CSV
            </a>
            <a href={buildExportAddress(workspaceId, filter, 'jsonl')} download>
              JSON lines
            </a>
          </>
        }
      >
        {(entries) => <Entries entries={entries} />}
      </ListPanel>
      <OlderButton list={log} />
    </>
  )
}

interface FiltersProps {
  search: AuditSearch
  onChange: (next: AuditSearch) => void
}

function Filters({ search, onChange }: FiltersProps) {
  return (
    <div className={css['row']}>
      {AUDIT_FILTERS.map(({ name, label, placeholder, type }) => (
        <FilterInput
          key={name}
          type={type}
          label={label}
          placeholder={placeholder}
          value={search[name]}
          onChange={(text) => onChange({ [name]: text })}
        />
      ))}
    </div>
  )
}

function Nothing({ search, onChange }: FiltersProps) {
  return (
    <Empty
      title="Nothing matches"
      action={<DropFilters filters={AUDIT_LOG.listFilters(search)} onChange={onChange} />}
    >
      Every change a person or key makes is kept here.
    </Empty>
  )
}

function Entries({ entries }: { entries: readonly AuditLogEntry[] }) {
  return (
    <div className={css['scroll']} tabIndex={0}>
      <table className={css['table']}>
        <thead>
          <tr>
            <th>When</th>
            <th>Who</th>
            <th>What</th>
            <th>Changes</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function EntryRow({ entry }: { entry: AuditLogEntry }) {
  const { createdAt, actorEmail, actorType, note } = entry
  return (
    <tr>
      <td>
        <Time at={createdAt} as="dateTime" />
      </td>
      <td>
        {actorEmail ?? actorType}
        {actorType === 'ApiKey' && <span className={css['note']}> by a key</span>}
      </td>
      <td>
        <Summary parts={entry.parts} />
        {note !== null && <p className={css['note']}>“{note}”</p>}
      </td>
      <td className={css['changes']}>
        {listChangedMembers(entry.before, entry.after).map(({ name, before, after }) => (
          <div key={name}>
            {name}: {before} → {after}
          </div>
        ))}
      </td>
    </tr>
  )
}

/** Each name leads to what else the log has about it. */
function Summary({ parts }: Pick<AuditLogEntry, 'parts'>) {
  const workspaceId = useWorkspaceId()
  return (
    <span>
      {parts.map(({ text, subject }, index) =>
        subject ? (
          <Link
            key={index}
            to="/w/$workspaceId/settings/$part"
            params={{ workspaceId, part: 'audit-log' }}
            search={{ subject: `${subject.type}:${subject.id}` }}
          >
            {text}
          </Link>
        ) : (
          text
        ),
      )}
    </span>
  )
}
