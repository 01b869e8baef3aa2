import type { Overview } from '@plimsoll/api-client'
import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ExposureChart } from '../../components/exposure/exposure-chart.tsx'
import { ExposureLegend } from '../../components/exposure/exposure-legend.tsx'
import { countByLayer, EXPOSURE_RANGES } from '../../components/exposure/exposure-rows.ts'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { exposureQuery } from '../../workspace-queries.ts'

interface ExposurePanelProps {
  devices: Overview['devices']
  /** Nobody chooses the range: the address alone says it. */
  isFixed?: boolean
}

export function ExposurePanel({ devices, isFixed = false }: ExposurePanelProps) {
  const workspaceId = useWorkspaceId()
  const { days: range = '90' } = useSearch({ from: '/w/$workspaceId/' })
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(exposureQuery(workspaceId, { days: Number(range) }))
  return (
    <Panel
      title={
        <Link to="/w/$workspaceId/exposure" params={{ workspaceId }}>
          Exposure
        </Link>
      }
      note={
        <>
          devices by worst active severity;{' '}
          <Link to="/w/$workspaceId/figures" params={{ workspaceId }}>
            figures of a period
          </Link>
        </>
      }
      aside={
        !isFixed && (
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={[...EXPOSURE_RANGES]}
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
      <ExposureLegend counts={countByLayer(devices.byWorst)} />
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
