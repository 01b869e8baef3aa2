import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { IncidentRows } from './incident-rows.tsx'
import { incidentQuery, incidentsQuery } from './queries.ts'

/** `incidentId`: the one that a link speaks of; it stands first. */
export function IncidentsTab({ incidentId }: { incidentId: string | undefined }) {
  return (
    <div className={css['stack']}>
      {incidentId !== undefined && <OneIncident incidentId={incidentId} />}
      <Incidents
        title="Now"
        isOpen
        emptyTitle="Nothing fires"
        emptyText="No rule is firing. What is watched stands under Rules."
      />
      <Incidents
        title="Before"
        isOpen={false}
        emptyTitle="Nothing fired yet"
        emptyText="Incidents that ended stand here, with what ended them."
      />
    </div>
  )
}

function OneIncident({ incidentId }: { incidentId: string }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(incidentQuery(workspaceId, incidentId))
  return (
    <Panel title="This incident" isFlush>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={1} />}
      {data && <IncidentRows incidents={[data]} open={incidentId} />}
    </Panel>
  )
}

interface IncidentsProps {
  title: string
  isOpen: boolean
  emptyTitle: string
  emptyText: string
}

function Incidents({ title, isOpen, emptyTitle, emptyText }: IncidentsProps) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(incidentsQuery(workspaceId, { isOpen }))
  const incidents = list.data?.pages.flatMap((page) => page.incidents) ?? []
  return (
    <Panel
      title={title}
      aside={
        list.hasNextPage && (
          <Button
            size="small"
            isBusy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show older
          </Button>
        )
      }
      isFlush
    >
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.isSuccess && incidents.length === 0 && <Empty title={emptyTitle}>{emptyText}</Empty>}
      <IncidentRows incidents={incidents} />
    </Panel>
  )
}
