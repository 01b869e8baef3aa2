import type { AlertIncident } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Acknowledge } from './acknowledge.tsx'
import css from './alerts.module.css'
import { END_CAUSES } from './rule-words.ts'
import { SilencedTag } from './silenced-tag.tsx'

/** A few at the side of something else. */
export function IncidentRows({ incidents }: { incidents: readonly AlertIncident[] }) {
  return (
    <ul className={css['rows']}>
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} />
      ))}
    </ul>
  )
}

/** Leads to the incident. */
export function IncidentName({ incident }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const { id, alertRule, conditionText, endedAt } = incident
  return (
    <>
      <Dot tone={endedAt === null ? 'danger' : 'muted'} isHollow={endedAt !== null}>
        <Link
          to="/w/$workspaceId/alerts/incidents/$incidentId"
          params={{ workspaceId, incidentId: id }}
        >
          <strong>{alertRule.name}</strong>
        </Link>
      </Dot>
      <p className={css['note']}>{conditionText}</p>
      <SilencedTag incident={incident} />
    </>
  )
}

function IncidentRow({ incident }: { incident: AlertIncident }) {
  const { beganAt, endedAt, endedCause, seriesCount } = incident
  return (
    <li>
      <div>
        <IncidentName incident={incident} />
        {incident.note !== null && <p>{incident.note}</p>}
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
