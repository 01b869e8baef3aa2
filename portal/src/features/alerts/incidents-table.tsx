import type { AlertIncident } from '@plimsoll/api-client'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { InPlaceOfPanelHead } from '../../components/panel-head.tsx'
import { type ListTotal, useSelection } from '../../components/selection.ts'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Acknowledge } from './acknowledge.tsx'
import css from './alerts.module.css'
import { IncidentName } from './incident-rows.tsx'
import type { IncidentFilter } from './queries.ts'
import { END_CAUSES } from './rule-words.ts'
import { SelectedIncidents } from './selected-incidents.tsx'

interface IncidentsTableProps {
  /** The title of the panel: "Now". */
  title: string
  filter: IncidentFilter
  total: ListTotal
  incidents: readonly AlertIncident[]
}

export function IncidentsTable({ title, filter, total, incidents }: IncidentsTableProps) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const selection = useSelection(incidents.map(keyOf), JSON.stringify(filter))
  return (
    <>
      {!selection.isEmpty && (
        <InPlaceOfPanelHead>
          <SelectedIncidents {...{ selection, filter, total }} />
        </InPlaceOfPanelHead>
      )}
      <CardTable
        selecting={mayWrite ? { selection, nameOf: ({ alertRule }) => alertRule.name } : undefined}
        label={title}
        list={filter.isOpen === true ? 'incidents-open' : 'incidents-ended'}
        viewedList="incidents"
        isPaged
        csv={{ path: `/workspaces/${workspaceId}/alert-incidents/export`, body: { filter } }}
        columns={filter.isOpen === true ? OPEN : ENDED}
        rows={incidents}
        keyOf={keyOf}
      />
    </>
  )
}

const keyOf = ({ id }: AlertIncident) => id

type IncidentColumn = CardColumn<AlertIncident>

const FIRST: readonly IncidentColumn[] = [
  { title: 'Rule', isPlain: true, cell: (incident) => <IncidentName incident={incident} /> },
  { title: 'Began', cell: ({ beganAt }) => <Time at={beganAt} /> },
]
const FIRED: IncidentColumn = {
  title: 'Fired',
  cell: ({ seriesCount }) => (
    <span className={css['short']}>{formatCountOf(seriesCount, 'series', 'series')}</span>
  ),
}
const LAST: readonly IncidentColumn[] = [
  { title: 'Looks after it', cell: ({ assignee }) => assignee?.displayName ?? 'nobody' },
  { title: 'Note', cell: ({ note }) => note ?? '–' },
  { title: 'Acts', isActs: true, cell: (incident) => <Acknowledge incident={incident} /> },
]

const OPEN = [
  ...FIRST,
  {
    title: 'Firing',
    cell: ({ firingSeriesCount }: AlertIncident) => formatCount(firingSeriesCount),
  },
  FIRED,
  ...LAST,
]
const ENDED = [
  ...FIRST,
  {
    title: 'Ended',
    cell: ({ endedAt }: AlertIncident) => endedAt !== null && <Time at={endedAt} />,
  },
  {
    title: 'Why',
    cell: ({ endedCause }: AlertIncident) => endedCause && END_CAUSES[endedCause],
  },
  FIRED,
  ...LAST,
]
