import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ExposureChart } from '../../components/exposure/exposure-chart.tsx'
import { ExposureLegend } from '../../components/exposure/exposure-legend.tsx'
import { countsOf } from '../../components/exposure/exposure-rows.ts'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { exposureQuery } from '../../workspace-queries.ts'
import type { Overview } from './queries.ts'

const RANGES = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
]

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
      <ExposureLegend counts={countsOf(devices.byWorst)} />
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
