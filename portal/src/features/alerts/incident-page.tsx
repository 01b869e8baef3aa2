/** One incident: what is wrong, since when, on what, and whom it told. */
import { type AlertIncident, ApiProblem } from '@plimsoll/api-client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import { Dot, Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { useAcknowledge } from './acknowledge.tsx'
import css from './alerts.module.css'
import { SeriesName } from './dry-run-result.tsx'
import { IncidentChart } from './incident-chart.tsx'
import { IncidentTimeline } from './incident-timeline.tsx'
import { IncidentAssignee } from './incident-assignee.tsx'
import { IncidentNote } from './incident-note.tsx'
import { incidentQuery, incidentSeriesQuery } from './queries.ts'
import { RuleLink } from './rule-link.tsx'
import { NOUNS } from './rule-words.ts'
import { SilencedTag } from './silenced-tag.tsx'
import { SilencePanel } from './silence-panel.tsx'

export function IncidentPage() {
  const workspaceId = useWorkspaceId()
  const { incidentId } = useParams({ from: '/w/$workspaceId/alerts/incidents/$incidentId' })
  const { data, error, refetch } = useQuery(incidentQuery(workspaceId, incidentId))
  if (isGone(error)) return <Gone />
  if (data) return <Content key={data.id} incident={data} />
  if (error) return <FailedPage title="Incident" error={error} onRetry={() => void refetch()} />
  return <Loading rows={8} />
}

/** Nobody can tell one that was deleted from one that never was. */
function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && [400, 404].includes(error.problem.status)
}

function AllIncidents({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/alerts" params={{ workspaceId }}>
      {children}
    </Link>
  )
}

function Gone() {
  return (
    <>
      <TopBar title="Incident" trail={[<AllIncidents key="alerts">Alerts</AllIncidents>]} />
      <Page>
        <div role="alert">
          <Empty
            title="It is not here any more"
            action={<AllIncidents>All incidents</AllIncidents>}
          >
            Incidents are deleted 400 days after they end. Is the link whole, and of this workspace?
          </Empty>
        </div>
      </Page>
    </>
  )
}

function Content({ incident }: { incident: AlertIncident }) {
  const { alertRule, beganAt } = incident
  return (
    <>
      <TopBar
        title={`${alertRule.name}, incident of ${formatDateTime(beganAt)}`}
        subject={`alert-incident:${incident.id}`}
        trail={[
          <AllIncidents key="alerts">Alerts</AllIncidents>,
          <RuleLink key="rule" rule={alertRule} />,
        ]}
      >
        Incident {formatDateTime(beganAt)}
      </TopBar>
      <Page>
        <Head incident={incident} />
        <div className={css['incident']}>
          <div className={css['stack']}>
            <IncidentChart incident={incident} />
            <Series incident={incident} />
          </div>
          <div className={css['stack']}>
            <Panel title="What happened" note="newest first">
              <IncidentNote incident={incident} />
              <IncidentTimeline incident={incident} />
            </Panel>
            <SilencePanel incident={incident} />
          </div>
        </div>
      </Page>
    </>
  )
}

function Head({ incident }: { incident: AlertIncident }) {
  const { alertRule, conditionText, beganAt, endedAt, acknowledgedAt } = incident
  const acknowledge = useAcknowledge(incident)
  useKeys(acknowledge ? [['k', () => void acknowledge()]] : [])
  return (
    <Panel>
      <p className={css['sentence']}>{describeIncident(incident)}</p>
      <div className={css['facts']}>
        {endedAt === null ? <Tag tone="danger">firing</Tag> : <Tag>ended</Tag>}
        {acknowledgedAt !== null && (
          <Tag tone="accent">acknowledged by {incident.acknowledgedByEmail ?? 'an API key'}</Tag>
        )}
        <SilencedTag incident={incident} />
        <IncidentAssignee incident={incident} />
        <span>
          Rule <RuleLink rule={alertRule} />, began <Time at={beganAt} />
        </span>
        {acknowledge && (
          <Button
            kind="primary"
            title="Stops reminders until it ends"
            onClick={() => void acknowledge()}
          >
            Acknowledge <kbd>k</kbd>
          </Button>
        )}
      </div>
      <p className={css['note']}>{conditionText}</p>
    </Panel>
  )
}

function describeIncident({ alertRule, ...incident }: AlertIncident): string {
  const { beganAt, endedAt, seriesCount, firingSeriesCount } = incident
  const [one, many] = NOUNS[alertRule.type]
  const since = formatDateTime(beganAt)
  if (endedAt !== null) {
    const fired = `${formatCount(seriesCount)} ${seriesCount === 1 ? one : many} fired`
    return `${fired} between ${since} and ${formatDateTime(endedAt)}.`
  }
  const firing = `${firingSeriesCount === 1 ? one : many} firing`
  return `${formatCount(firingSeriesCount)} ${firing} now, ${formatCount(seriesCount)} fired since ${since}.`
}

function Series({ incident: { id, alertRule } }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(incidentSeriesQuery(workspaceId, id))
  return (
    <div className={css['fired']}>
      <ListPanel
        query={list}
        rows={list.data?.pages.flatMap((page) => page.series)}
        title="What fired"
        note="once for each time, what is firing first"
        empty={<Empty title="It is not known what fired" />}
      >
        {(rows) => (
          <ul className={css['rows']}>
            {rows.map(({ series, label, since, until, valueText }) => (
              <li key={`${series} ${since}`}>
                <SeriesName type={alertRule.type} series={series} label={label} />
                <p>
                  <Time at={since} as="dateTime" />
                  {until !== null && (
                    <>
                      {' '}
                      to <Time at={until} as="dateTime" />
                    </>
                  )}
                  {valueText !== null && `, at ${valueText}`}
                </p>
                <Dot tone={until === null ? 'danger' : 'ok'}>
                  {until === null ? 'firing' : 'ended'}
                </Dot>
              </li>
            ))}
          </ul>
        )}
      </ListPanel>
      <OlderButton list={list} />
    </div>
  )
}
