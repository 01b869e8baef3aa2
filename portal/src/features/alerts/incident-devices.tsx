/** The devices that fired in an incident, once for each time: value, since when, what they run. */
import type { AlertIncident, AlertIncidentSeries } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SeriesMark } from '../../components/chart/legend.tsx'
import type { ChartSeries } from '../../components/chart/series-shape.ts'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { findMax, findMin } from '../../components/extremes.ts'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatAge } from '../../format/dates.ts'
import { formatValue } from '../../format/values.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { type MetricOfIncident, useIncidentMetric } from './incident-metric.ts'
import { incidentSeriesQuery } from './queries.ts'

interface DeviceRow extends AlertIncidentSeries {
  /** Its line in the drawing; undefined: it has none. */
  line: { index: number; now: number | undefined; worst: number | undefined } | undefined
}

/** Lists the devices with the lines of the drawing beside them. */
export function MetricDevices(of: MetricOfIncident) {
  const { series } = useIncidentMetric(of)
  const worst = of.condition.operator.startsWith('Greater') ? findMax : findMin
  const [from, to] = [of.incident.beganAt, of.incident.endedAt]
  const lineOf = (id: string) => {
    const index = series.findIndex(({ name }) => name === id)
    const line = series[index]
    if (!line) return undefined
    const inside = valuesWithin(line, from, to)
    return {
      index,
      now: to === null ? line.points.at(-1)?.value : undefined,
      worst: inside.length === 0 ? undefined : worst(inside),
    }
  }
  return <IncidentDevices incident={of.incident} lineOf={lineOf} isMetric />
}

function valuesWithin({ points }: ChartSeries, from: string, to: string | null): number[] {
  const end = to === null ? Number.POSITIVE_INFINITY : Date.parse(to)
  return points
    .filter(({ time }) => Date.parse(time) >= Date.parse(from) && Date.parse(time) <= end)
    .map(({ value }) => value)
}

interface IncidentDevicesProps {
  incident: AlertIncident
  lineOf?: (deviceId: string) => DeviceRow['line']
  isMetric?: boolean
}

export function IncidentDevices({ incident, lineOf, isMetric = false }: IncidentDevicesProps) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(incidentSeriesQuery(workspaceId, incident.id))
  const rows = list.data?.pages.flatMap((page) =>
    page.series.map((one): DeviceRow => ({ ...one, line: lineOf?.(one.series) })),
  )
  return (
    <div className={css['fired']}>
      <ListPanel
        id="devices"
        query={list}
        rows={rows}
        title="Devices"
        note="once for each time it fired, what is firing first"
        empty={<Empty title="It is not known what fired" />}
      >
        {(devices) => (
          <ListedTable
            list="incident-devices"
            label="Devices of this incident"
            columns={isMetric ? COLUMNS : COLUMNS.filter(({ id }) => !OF_METRICS.has(id))}
            rows={devices}
            cardLines={isMetric ? 3 : 2}
            keyOf={({ series, since }) => `${series} ${since}`}
            onEnd={() => loadNextPage(list)}
            csv={CSV}
          />
        )}
      </ListPanel>
    </div>
  )
}

const OF_METRICS = new Set(['now', 'worst'])

const COLUMNS: readonly Column<DeviceRow>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(140px, 1.4fr)',
    cell: ({ series, line }) => (
      <>
        {line && <SeriesMark index={line.index} />} <DeviceLink deviceId={series} />
      </>
    ),
  },
  {
    id: 'value',
    title: 'At first',
    width: 'minmax(84px, 132px)',
    isNumber: true,
    cell: ({ valueText }) => valueText ?? 'not known',
  },
  {
    id: 'now',
    title: 'Now',
    width: '72px',
    isNumber: true,
    cell: ({ line }) => line?.now !== undefined && <b>{formatValue(line.now)}</b>,
  },
  {
    id: 'worst',
    title: 'Worst',
    width: '72px',
    isNumber: true,
    cell: ({ line }) => line?.worst !== undefined && formatValue(line.worst),
  },
  {
    id: 'since',
    title: 'Since',
    width: '124px',
    cell: ({ since }) => <Time at={since} as="dateTime" />,
  },
  {
    id: 'for',
    title: 'For',
    width: '64px',
    isNumber: true,
    cell: ({ since, until }) =>
      formatAge(since, until === null ? undefined : new Date(until)).replace('now', '< 1 min'),
  },
  {
    id: 'state',
    title: 'State',
    width: '84px',
    cell: ({ until }) => (
      <Dot tone={until === null ? 'danger' : 'ok'}>{until === null ? 'firing' : 'ended'}</Dot>
    ),
  },
  {
    id: 'runs',
    title: 'Runs',
    width: 'minmax(96px, 1fr)',
    cell: ({ runs }) => <Runs runs={runs} />,
  },
]

function DeviceLink({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/devices/$deviceId" params={{ workspaceId, deviceId }}>
      <code>{deviceId}</code>
    </Link>
  )
}

function Runs({ runs }: Pick<DeviceRow, 'runs'>) {
  const workspaceId = useWorkspaceId()
  if (runs.length === 0) return 'not known'
  return runs.map(({ slug, version, firmwareVersionId: versionId }, index) => (
    <span key={slug}>
      {index > 0 && ', '}
      {versionId === null ? (
        <code>{version}</code>
      ) : (
        <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId }}>
          <code>{version}</code>
        </Link>
      )}
    </span>
  ))
}

const CSV: ListFile<DeviceRow> = {
  name: 'incident-devices',
  columns: [
    ['deviceId', ({ series }) => series],
    'since',
    'until',
    'value',
    ['runs', ({ runs }) => runs.map(({ slug, version }) => `${slug} ${version}`).join(', ')],
  ],
}
