import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ExposureChart } from '../../components/exposure/exposure-chart.tsx'
import { countsOf } from '../../components/exposure/exposure-rows.ts'
import { Panel } from '../../components/panel.tsx'
import { SeverityBadge } from '../../components/severity.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { exposureQuery } from '../../workspace-queries.ts'
import css from './overview-page.module.css'
import type { Overview } from './queries.ts'

const RANGES = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
]
const LEGEND = [
  ['critical', 'Critical'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
  ['none', 'None'],
  ['unknown', 'Unknown'],
] as const

interface ExposurePanelProps {
  devices: Overview['devices']
  /** Nobody chooses the range: the address alone says it. */
  isFixed?: boolean
}

export function ExposurePanel({ devices, isFixed = false }: ExposurePanelProps) {
  const workspaceId = useWorkspaceId()
  const search: { days?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const range = RANGES.find(({ value }) => value === search.days)?.value ?? '90'
  const { data, error, refetch } = useQuery(exposureQuery(workspaceId, { days: Number(range) }))
  const counts = countsOf(devices.byWorst)
  return (
    <Panel
      title={
        <Link to="/w/$workspaceId/exposure" params={{ workspaceId }}>
          Exposure
        </Link>
      }
      note="devices by worst active severity"
      aside={
        !isFixed && (
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={RANGES}
            value={range}
            onChange={(days) =>
              void navigate({
                to: '/w/$workspaceId',
                params: { workspaceId },
                search: { days },
                replace: true,
              })
            }
          />
        )
      }
    >
      <ul className={css['legend']}>
        {LEGEND.map(([id, severity]) => (
          <li key={id}>
            <SeverityBadge severity={severity} /> {severity}{' '}
            <strong>{formatCount(counts[id] ?? 0)}</strong>
          </li>
        ))}
      </ul>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && data.days.length < 2 ? (
        <Empty title="One day is no curve yet">
          Counts are kept once a day since {formatDate(data.since)}. Tomorrow there is a line.
        </Empty>
      ) : (
        data && <ExposureChart exposure={data} days={Number(range)} />
      )}
    </Panel>
  )
}
