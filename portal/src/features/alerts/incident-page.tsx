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
import { useMay, useWorkspaceId } from '../../session.ts'
import { useAcknowledge } from './acknowledge.tsx'
import css from './alerts.module.css'
import { SeriesName } from './dry-run-result.tsx'
import { IncidentChanges } from './incident-changes.tsx'
import { IncidentChart } from './incident-chart.tsx'
import { IncidentDevices, MetricDevices } from './incident-devices.tsx'
import { IncidentTimeline } from './incident-timeline.tsx'
import { IncidentAssignee } from './incident-assignee.tsx'
import { INCIDENT_NOTE, IncidentNote } from './incident-note.tsx'
import { incidentQuery, incidentSeriesQuery } from './queries.ts'
import { RuleLink } from './rule-link.tsx'
import { areDevices, chooseNouns } from './rule-words.ts'
import { SilencedTag } from './silenced-tag.tsx'
import { SILENCE_REASON } from './silence-fields.tsx'
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
  const { alertRule, beganAt, seriesCount } = incident
  // What comes after a long list is not found.
  const isLong = seriesCount > LONG_LIST
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
            <Drawing incident={incident} />
            {isLong && <IncidentChanges incident={incident} />}
            <Fired incident={incident} />
            {!isLong && <IncidentChanges incident={incident} />}
          </div>
          <div className={css['stack']}>
            <Panel title="What happened" note="newest first">
              <IncidentNote incident={incident} />
              <IncidentTimeline incident={incident} />
            </Panel>
            <SilencePanel incident={incident} />
          </div>
        </div>
        <Foot incident={incident} />
      </Page>
    </>
  )
}

const LONG_LIST = 10

function Drawing({ incident }: { incident: AlertIncident }) {
  const { condition } = incident
  return 'metric' in condition ? <IncidentChart {...{ incident, condition }} /> : null
}

/** Devices, or whatever else the rule watches. */
function Fired({ incident }: { incident: AlertIncident }) {
  const { condition } = incident
  if (!areDevices(incident)) return <Series incident={incident} />
  if ('metric' in condition) return <MetricDevices {...{ incident, condition }} />
  return <IncidentDevices incident={incident} />
}

function Head({ incident }: { incident: AlertIncident }) {
  const { alertRule, conditionText, beganAt, endedAt, acknowledgedAt } = incident
  const acknowledge = useAcknowledge(incident)
  useKeys(acknowledge ? [['k', () => void acknowledge()]] : [])
  return (
    <Panel>
      <Sentence {...incident} />
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
          <span className={css['wideOnly']}>
            <Button
              kind="primary"
              title="Stops reminders until it ends"
              onClick={() => void acknowledge()}
            >
              Acknowledge <kbd>k</kbd>
            </Button>
          </span>
        )}
      </div>
      <p className={css['note']}>{conditionText}</p>
    </Panel>
  )
}

function Sentence(incident: AlertIncident) {
  const { beganAt, endedAt, seriesCount, firingSeriesCount } = incident
  const [one, many] = chooseNouns(incident)
  const since = formatDateTime(beganAt)
  const fired = <Counted incident={incident}>{formatCount(seriesCount)}</Counted>
  if (endedAt !== null)
    return (
      <p className={css['sentence']}>
        {fired} {seriesCount === 1 ? one : many} fired between {since} and {formatDateTime(endedAt)}
        .
      </p>
    )
  return (
    <p className={css['sentence']}>
      <Counted incident={incident}>
        {`${formatCount(firingSeriesCount)} ${firingSeriesCount === 1 ? one : many}`}
      </Counted>{' '}
      firing now, {fired} fired since {since}.
    </p>
  )
}

/** Leads to the devices that are counted. */
function Counted({ incident, children }: { incident: AlertIncident; children: string }) {
  if (!areDevices(incident)) return children
  return (
    <Link to="." hash="devices" resetScroll={false} className={css['counted']}>
      {children}
    </Link>
  )
}

/** On narrow screens, under the thumb: the form that follows is far down. */
function Foot({ incident }: { incident: AlertIncident }) {
  const mayWrite = useMay('Alerts: write')
  const acknowledge = useAcknowledge(incident)
  if (!mayWrite) return null
  return (
    <div className={css['foot']}>
      <Button onClick={() => goTo(SILENCE_REASON)}>Silence…</Button>
      {acknowledge ? (
        <Button kind="primary" onClick={() => void acknowledge()}>
          Acknowledge
        </Button>
      ) : (
        <Button kind="primary" onClick={() => goTo(INCIDENT_NOTE)}>
          Add a note
        </Button>
      )}
    </div>
  )
}

const goTo = (field: string) => document.getElementById(field)?.focus()

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
