/** What is firing and what fired before. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import type { AlertsSearch } from '../../searches.ts'
import { meQuery, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { IncidentRows } from './incident-rows.tsx'
import { incidentsQuery } from './queries.ts'

interface IncidentsTabProps {
  search: AlertsSearch
  onChange: (next: AlertsSearch) => void
}

export function IncidentsTab({ search, onChange }: IncidentsTabProps) {
  const { data: me } = useQuery(meQuery)
  const isMine = search.mine !== undefined
  const assigneeId = isMine ? (me?.id ?? null) : undefined
  const now = useIncidents(true, assigneeId)
  const before = useIncidents(false, assigneeId)
  return (
    <div className={css['stack']}>
      {me && (
        <ChipRow label="Filter">
          <Chip isOn={isMine} onChange={(isOn) => onChange({ mine: isOn ? '1' : undefined })}>
            Mine
          </Chip>
        </ChipRow>
      )}
      <Incidents
        title="Now"
        {...now}
        emptyTitle={isMine ? 'Nothing of yours is firing' : 'Nothing is firing'}
        emptyText="What is watched stands under Rules."
      />
      <Incidents
        title="Before"
        {...before}
        emptyTitle={isMine ? 'Nothing of yours fired yet' : 'Nothing fired yet'}
        emptyText="Incidents that ended stand here, with what ended them."
      />
    </div>
  )
}

/** `assigneeId`: of one member; null: it is not known yet who asks. */
function useIncidents(isOpen: boolean, assigneeId: string | null | undefined) {
  const workspaceId = useWorkspaceId()
  const filter = { isOpen, ...(assigneeId && { assigneeIds: [assigneeId] }) }
  const list = useInfiniteQuery({
    ...incidentsQuery(workspaceId, filter),
    enabled: assigneeId !== null,
  })
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
      {(rows) => <IncidentRows list={`incidents-${title}`} incidents={rows} />}
    </ListPanel>
  )
}
