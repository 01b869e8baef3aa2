/** What is firing and what fired before. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { IncidentRows } from './incident-rows.tsx'
import { incidentsQuery } from './queries.ts'

export function IncidentsTab() {
  const workspaceId = useWorkspaceId()
  const now = useIncidents(workspaceId, true)
  const before = useIncidents(workspaceId, false)
  return (
    <div className={css['stack']}>
      <Incidents
        title="Now"
        {...now}
        emptyTitle="Nothing is firing"
        emptyText="What is watched stands under Rules."
      />
      <Incidents
        title="Before"
        {...before}
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

interface IncidentsProps extends ReturnType<typeof useIncidents> {
  title: string
  emptyTitle: string
  emptyText: string
}

function Incidents({ title, list, incidents, emptyTitle, emptyText }: IncidentsProps) {
  return (
    <ListPanel
      query={list}
      rows={incidents}
      title={title}
      aside={<OlderButton list={list} size="small" />}
      empty={<Empty title={emptyTitle}>{emptyText}</Empty>}
    >
      {(rows) => <IncidentRows incidents={rows} />}
    </ListPanel>
  )
}
