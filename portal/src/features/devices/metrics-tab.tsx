/** What the device measures, over time; the service makes as many points as the width can show. */
import { MultiSelect, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import { metricsQuery } from '../../workspace-queries.ts'
import css from './devices.module.css'
import { LineChart } from './line-chart.tsx'
import { seriesQuery } from './queries.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const POINTS = 300
const MOST_SHOWN = 6

const RANGES = [
  { value: '1h', label: '1 hour', ms: HOUR },
  { value: '24h', label: '24 hours', ms: 24 * HOUR },
  { value: '7d', label: '7 days', ms: 7 * 24 * HOUR },
  { value: '30d', label: '30 days', ms: 30 * 24 * HOUR },
] as const

interface MetricsTabProps {
  deviceId: string
  search: Record<string, string | undefined>
  onChange: (next: Record<string, string | undefined>) => void
}

export function MetricsTab({ deviceId, search, onChange }: MetricsTabProps) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(metricsQuery(workspaceId))
  const range = RANGES.find(({ value }) => value === search['range']) ?? RANGES[1]
  const names = data?.metrics.map(({ name }) => name) ?? []
  const chosen = search['metric'] === undefined ? names.slice(0, 1) : search['metric'].split(',')
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  if (names.length === 0)
    return (
      <Empty title="No metric yet">
        Devices may report measurements, such as temperatures or voltages. None has done so here.
      </Empty>
    )
  return (
    <div className={css['stack']}>
      <div className={css['filters']}>
        <MultiSelect
          aria-label="Metrics"
          placeholder="Choose metrics"
          searchable
          maxValues={MOST_SHOWN}
          value={chosen}
          data={names}
          onChange={(next) => onChange({ metric: next.join(',') })}
        />
        <SegmentedControl
          aria-label="Range"
          value={range.value}
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          onChange={(value) => onChange({ range: value })}
        />
      </div>
      {chosen
        .filter((name) => name !== '')
        .map((metric) => (
          <MetricPanel key={metric} deviceId={deviceId} metric={metric} ms={range.ms} />
        ))}
    </div>
  )
}

interface MetricPanelProps {
  deviceId: string
  metric: string
  /** How far back. */
  ms: number
}

function MetricPanel({ deviceId, metric, ms }: MetricPanelProps) {
  const workspaceId = useWorkspaceId()
  const asked = useMemo(() => {
    const stepSeconds = Math.max(1, Math.round(ms / POINTS / 1000))
    const to = new Date(Math.ceil(Date.now() / MINUTE) * MINUTE)
    return { deviceId, metric, from: new Date(to.getTime() - ms), to, stepSeconds }
  }, [deviceId, metric, ms])
  const { data, error, refetch } = useQuery(seriesQuery(workspaceId, asked))
  const points = data?.series[0]?.points ?? []
  return (
    <Panel title={<code>{metric}</code>} note={`averages of ${spanOf(asked.stepSeconds)}`}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && points.length === 0 && (
        <Empty title="No point in this range">
          The device sent none, or they are older than they are kept. Choose a longer range.
        </Empty>
      )}
      {points.length > 0 && (
        <LineChart
          label={metric}
          points={points}
          from={asked.from}
          to={asked.to}
          stepMs={asked.stepSeconds * 1000}
        />
      )}
    </Panel>
  )
}

function spanOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return `${Math.round(seconds / 60)} min`
}
