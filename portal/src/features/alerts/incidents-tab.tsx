/** What is firing and what fired before. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { DropFilters } from '../../components/drop-filters.tsx'
import { ListPanel, OlderButton } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { type AlertsSearch, INCIDENTS } from '../../searches.ts'
import { meQuery, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { IncidentsTable } from './incidents-table.tsx'
import { type IncidentFilter, incidentsQuery } from './queries.ts'

interface IncidentsTabProps {
  search: AlertsSearch
  onChange: (next: AlertsSearch) => void
}

export function IncidentsTab({ search, onChange }: IncidentsTabProps) {
  const whose = useWhose(search)
  const drop = <DropFilters filters={INCIDENTS.listFilters(search)} onChange={onChange} />
  return (
    <div className={css['stack']}>
      <ChipRow label="Filter">
        {WHOSE.map(({ name, text }) => (
          <Chip
            key={name}
            isOn={search[name] !== undefined}
            onChange={(isOn) =>
              onChange({ mine: undefined, nobodys: undefined, [name]: isOn ? '1' : undefined })
            }
          >
            {text}
          </Chip>
        ))}
      </ChipRow>
      <Incidents
        title="Now"
        isOpen
        whose={whose}
        emptyTitle={`Nothing ${nameWhose(search)}is firing`}
        emptyText="What is watched stands under Rules."
        drop={drop}
      />
      <Incidents
        title="Before"
        isOpen={false}
        whose={whose}
        emptyTitle={`Nothing ${nameWhose(search)}fired yet`}
        emptyText="Incidents that ended stand here, with what ended them."
        drop={drop}
      />
    </div>
  )
}

const WHOSE = [
  { name: 'mine', text: 'Mine' },
  { name: 'nobodys', text: 'Nobody’s' },
] as const

/** undefined: it is not known yet who asks. */
function useWhose({ mine, nobodys }: AlertsSearch): IncidentFilter | undefined {
  const { data: me } = useQuery(meQuery)
  if (mine !== undefined) return me && { assigneeIds: [me.id] }
  return nobodys === undefined ? {} : { assigned: false }
}

function nameWhose({ mine, nobodys }: AlertsSearch): string {
  if (mine !== undefined) return 'of yours '
  return nobodys === undefined ? '' : 'of nobody’s '
}

const NONE = { totalCount: 0, totalCountIsLowerBound: false }

interface IncidentsProps {
  title: string
  isOpen: boolean
  whose: IncidentFilter | undefined
  emptyTitle: string
  emptyText: string
  drop: ReactNode
}

function Incidents({ title, isOpen, whose, emptyTitle, emptyText, drop }: IncidentsProps) {
  const workspaceId = useWorkspaceId()
  const filter = { isOpen, ...whose }
  const list = useInfiniteQuery({
    ...incidentsQuery(workspaceId, filter),
    enabled: whose !== undefined,
  })
  return (
    <ListPanel
      query={list}
      rows={list.data?.pages.flatMap((page) => page.incidents)}
      title={title}
      aside={<OlderButton list={list} size="small" />}
      empty={
        <Empty title={emptyTitle} action={drop}>
          {emptyText}
        </Empty>
      }
    >
      {(rows) => (
        <IncidentsTable
          {...{ title, filter }}
          total={list.data?.pages[0] ?? NONE}
          incidents={rows}
        />
      )}
    </ListPanel>
  )
}
