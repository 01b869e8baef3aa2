import type { AlertIncident } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import type { ListFile } from '../../components/download-csv.ts'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Acknowledge } from './acknowledge.tsx'
import css from './alerts.module.css'
import { ListedRows } from './listed-rows.tsx'
import { END_CAUSES } from './rule-words.ts'
import { SilencedTag } from './silenced-tag.tsx'

interface IncidentRowsProps {
  incidents: readonly AlertIncident[]
  /** Names the list; undefined: a few at the side, without a menu. */
  list?: string
}

export function IncidentRows({ incidents, list }: IncidentRowsProps) {
  const rowOf = (incident: AlertIncident) => <IncidentRow key={incident.id} incident={incident} />
  if (list === undefined) return <ul className={css['rows']}>{incidents.map(rowOf)}</ul>
  return (
    <ListedRows list={list} csv={CSV} rows={incidents}>
      {rowOf}
    </ListedRows>
  )
}

const CSV: ListFile<AlertIncident> = {
  name: 'incidents',
  columns: [
    'id',
    ['rule', ({ alertRule }) => alertRule.name],
    ['type', ({ alertRule }) => alertRule.type],
    'conditionText',
    'beganAt',
    'endedAt',
    'endedCause',
    'acknowledgedAt',
    'acknowledgedByEmail',
    'note',
    ['assignee', ({ assignee }) => assignee?.email ?? null],
    'silencedUntil',
    'seriesCount',
    'firingSeriesCount',
  ],
}

function IncidentRow({ incident }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const { alertRule, conditionText, beganAt, endedAt, endedCause, seriesCount } = incident
  return (
    <li>
      <div>
        <Dot tone={endedAt === null ? 'danger' : 'muted'} isHollow={endedAt !== null}>
          <Link
            to="/w/$workspaceId/alerts/incidents/$incidentId"
            params={{ workspaceId, incidentId: incident.id }}
          >
            <strong>{alertRule.name}</strong>
          </Link>
        </Dot>
        <p>{conditionText}</p>
        {incident.note !== null && <p>{incident.note}</p>}
        <SilencedTag incident={incident} />
      </div>
      <p>
        began <Time at={beganAt} />
        {endedAt !== null && (
          <>
            , ended <Time at={endedAt} />: {endedCause && END_CAUSES[endedCause]}
          </>
        )}
        {endedAt === null && `; ${formatCount(incident.firingSeriesCount)} firing`}
        {`; ${formatCountOf(seriesCount, 'series', 'series')} fired`}
        {incident.assignee && `; ${incident.assignee.displayName} looks after it`}
      </p>
      <div className={css['acts']}>
        <Acknowledge incident={incident} />
      </div>
    </li>
  )
}
