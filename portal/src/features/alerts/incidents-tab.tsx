/** What fires and what fired before; the incident that a link speaks of is marked, or stands above if it is not among these. */
import { ApiProblem } from '@plimsoll/api-client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { IncidentRows } from './incident-rows.tsx'
import { incidentQuery, incidentsQuery } from './queries.ts'

/** `incidentId`: the one that a link speaks of. */
export function IncidentsTab({ incidentId }: { incidentId: string | undefined }) {
  const workspaceId = useWorkspaceId()
  const now = useIncidents(workspaceId, true)
  const before = useIncidents(workspaceId, false)
  const isKnown = !now.list.isPending && !before.list.isPending
  const isListed = [...(now.incidents ?? []), ...(before.incidents ?? [])].some(
    ({ id }) => id === incidentId,
  )
  return (
    <div className={css['stack']}>
      {incidentId !== undefined && isKnown && !isListed && <OneIncident incidentId={incidentId} />}
      <Incidents
        title="Now"
        {...now}
        asked={incidentId}
        emptyTitle="Nothing fires"
        emptyText="No rule is firing. What is watched stands under Rules."
      />
      <Incidents
        title="Before"
        {...before}
        asked={incidentId}
        emptyTitle="Nothing fired yet"
        emptyText="Incidents that ended stand here, with what ended them."
      />
    </div>
  )
}

function useIncidents(workspaceId: string, isOpen: boolean) {
  const list = useInfiniteQuery(incidentsQuery(workspaceId, { isOpen }))
  return { list, incidents: list.data?.pages.flatMap((page) => page.incidents) }
}

/** It is not among the newest ones, or not there at all. */
function OneIncident({ incidentId }: { incidentId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(incidentQuery(workspaceId, incidentId))
  if (isGone(query.error)) return <Gone />
  return (
    <ListPanel
      query={query}
      rows={query.data && [query.data]}
      loadingRows={1}
      title="The incident of your link"
      note={query.data && 'older than those that are shown below'}
    >
      {(incidents) => <IncidentRows incidents={incidents} asked={incidentId} />}
    </ListPanel>
  )
}

/** Nobody can tell one that was deleted from one that never was. */
function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && [400, 404].includes(error.problem.status)
}

function Gone() {
  const workspaceId = useWorkspaceId()
  return (
    <div role="alert">
      <Panel title="The incident of your link">
        <Empty
          title="It is not here any more"
          action={
            <Link to="/w/$workspaceId/alerts" params={{ workspaceId }}>
              All incidents
            </Link>
          }
        >
          Incidents are deleted 400 days after they end. Is the link whole, and of this workspace?
        </Empty>
      </Panel>
    </div>
  )
}

interface IncidentsProps extends ReturnType<typeof useIncidents> {
  title: string
  asked: string | undefined
  emptyTitle: string
  emptyText: string
}

function Incidents({ title, list, incidents, asked, emptyTitle, emptyText }: IncidentsProps) {
  return (
    <ListPanel
      query={list}
      rows={incidents}
      title={title}
      aside={<OlderButton list={list} size="small" />}
      empty={<Empty title={emptyTitle}>{emptyText}</Empty>}
    >
      {(rows) => <IncidentRows incidents={rows} asked={asked} />}
    </ListPanel>
  )
}
