import type { AlertIncident } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api.ts'
import { usePerform } from '../../components/perform.ts'
import { Button } from '../../components/button.tsx'
import { Failure } from '../../components/states.tsx'
import { Dot, Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { formatValue } from '../../format/values.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { SeriesName } from './dry-run-result.tsx'
import { incidentSeriesQuery } from './queries.ts'

interface IncidentRowsProps {
  incidents: readonly AlertIncident[]
  /** The one that a link speaks of: it is brought into view, marked, and says what fired. */
  asked?: string | undefined
}

export function IncidentRows({ incidents, asked }: IncidentRowsProps) {
  return (
    <ul className={css['rows']}>
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} isAsked={incident.id === asked} />
      ))}
    </ul>
  )
}

function IncidentRow({ incident, isAsked }: { incident: AlertIncident; isAsked: boolean }) {
  const workspaceId = useWorkspaceId()
  const [isOpen, setIsOpen] = useState(isAsked)
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isAsked) return
    setIsOpen(true)
    row.current?.scrollIntoView({ block: 'center' })
    row.current?.focus({ preventScroll: true })
  }, [isAsked])
  const { alertRule, conditionText, beganAt, endedAt, endedCause, seriesCount } = incident
  return (
    <li
      ref={row}
      {...(isAsked && { tabIndex: -1, 'aria-current': 'true', className: css['asked'] })}
    >
      <div>
        <Dot tone={endedAt === null ? 'danger' : 'muted'} isHollow={endedAt !== null}>
          <Link
            to="/w/$workspaceId/alerts"
            params={{ workspaceId }}
            search={{ tab: 'rules', rule: alertRule.id }}
          >
            <strong>{alertRule.name}</strong>
          </Link>
        </Dot>
        <p>{conditionText}</p>
        {isAsked && <Tag tone="accent">the incident of your link</Tag>}
        {isOpen && <Series incident={incident} />}
      </div>
      <p>
        began <Time at={beganAt} />
        {endedAt !== null && (
          <>
            , ended <Time at={endedAt} />: {endedCause && CAUSES[endedCause]}
          </>
        )}
        {endedAt === null && `; ${formatCount(incident.firingSeriesCount)} firing`}
      </p>
      <div className={css['acts']}>
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-label={`What fired for ${alertRule.name}: ${formatCountOf(seriesCount, 'series', 'series')}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {formatCount(seriesCount)} fired
        </Button>
        <Acknowledge incident={incident} />
      </div>
    </li>
  )
}

function Series({ incident: { id, alertRule } }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(incidentSeriesQuery(workspaceId, id))
  if (list.error) return <Failure error={list.error} />
  return (
    <>
      <ul className={css['series']}>
        {list.data?.pages
          .flatMap((page) => page.series)
          .map(({ series, label, since, until, value }) => (
            <li key={`${series} ${since}`}>
              <SeriesName type={alertRule.type} series={series} label={label} /> since{' '}
              <Time at={since} as="dateTime" />
              {until !== null && (
                <>
                  {' '}
                  until <Time at={until} as="dateTime" />
                </>
              )}
              {value !== null && `, at ${formatValue(value)}`}
            </li>
          ))}
      </ul>
      {list.hasNextPage && (
        <Button
          size="small"
          isBusy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  )
}

const CAUSES: Record<NonNullable<AlertIncident['endedCause']>, string> = {
  Recovered: 'it recovered',
  Decided: 'its findings were decided',
  NoData: 'no data any more',
  RuleChanged: 'the rule was changed',
  RuleDisabled: 'the rule was switched off',
  RuleDeleted: 'the rule was deleted',
}

function Acknowledge({ incident }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const perform = usePerform('alerts')
  const { id, endedAt, acknowledgedAt, acknowledgedByEmail, alertRule } = incident
  const params = { workspaceId, incidentId: id }
  const path = '/workspaces/{workspaceId}/alert-incidents/{incidentId}/acknowledge'
  const acknowledge = () =>
    perform({
      text: `Incident of ${alertRule.name}: acknowledged`,
      send: async () => {
        const answer = await api.post(path, { params })
        if (answer.acknowledgedAt === null) return undefined
        const body = { acknowledgedAt: answer.acknowledgedAt }
        return async () => {
          await api.post(`${path}/undo`, { params, body })
          return undefined
        }
      },
    })
  if (acknowledgedAt !== null) return <p>seen by {acknowledgedByEmail ?? 'an API key'}</p>
  if (endedAt !== null || !mayWrite) return null
  return (
    <Button size="small" title="Stops reminders until it ends" onClick={() => void acknowledge()}>
      Acknowledge
    </Button>
  )
}
