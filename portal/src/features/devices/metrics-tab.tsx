/** What the device measures: one chart for each metric, all over the same time, with the limits of rules. */
import type { Device } from '@plimsoll/api-client'
import { MultiSelect, SegmentedControl } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconClockExclamation } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { Choice } from '../../components/choice.tsx'
import {
  moveWindow,
  RANGES,
  writeSearch,
  type TimeWindow,
  readWindow,
  zoomWindow,
} from '../../components/chart/time-window.ts'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { formatDateTime } from '../../format/dates.ts'
import type { DeviceSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { rulesQuery } from '../../workspace-queries.ts'
import {
  formatChoice,
  listChoices,
  formatChosen,
  parseChosen,
  listRules,
  listUsualMetrics,
} from './chosen-metrics.ts'
import css from './devices.module.css'
import { MetricPanel } from './metric-panel.tsx'
import { deviceSeriesQuery } from './queries.ts'
import { StretchForm } from './stretch-form.tsx'

const MOST_SHOWN = 8
const FOLLOW_MS = 30_000

interface MetricsTabProps {
  device: Device
  search: DeviceSearch
  onChange: (next: DeviceSearch) => void
}

export function MetricsTab({ device, search, onChange }: MetricsTabProps) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(deviceSeriesQuery(workspaceId, device.id))
  const { data, refetch } = query
  const error = findBlockingError(query)
  const rules = useRules(device.cohort?.id)
  const window = useWindow(search)
  const [at, setAt] = useState<Date>()
  const series = data?.series ?? []
  const chosen =
    search.metric === undefined ? listUsualMetrics(series, rules) : parseChosen(search.metric)
  const tables = new Set(search.tables?.split(','))
  const toggle = (choice: string) => {
    const others = [...tables].filter((one) => one !== choice)
    const next = tables.has(choice) ? others : [...others, choice]
    onChange({ tables: next.length === 0 ? undefined : next.join(',') })
  }
  const show = (from: Date, to: Date) => onChange(writeSearch(from, to))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  if (series.length === 0) return <NoMetric />
  return (
    <div className={css['stack']}>
      <MultiSelect
        aria-label="Metrics"
        placeholder="Add a metric"
        searchable
        maxValues={MOST_SHOWN}
        value={chosen.map((one) => formatChoice(one))}
        data={withUnknown(listChoices(series), chosen)}
        onChange={(next) => onChange({ metric: formatChosen(parseChosen(next.join(','))) })}
      />
      {data.wrongClock && <WrongClock clock={data.wrongClock} />}
      <TimeBar {...{ window, search, onChange }} />
      {chosen.slice(0, MOST_SHOWN).map((one) => (
        <MetricPanel
          key={formatChoice(one)}
          {...{ device, series, rules, window, at }}
          chosen={one}
          aggregation={search.of ?? 'Average'}
          isTable={tables.has(formatChoice(one))}
          onTable={() => toggle(formatChoice(one))}
          onAt={setAt}
          onZoom={show}
        />
      ))}
    </div>
  )
}

function NoMetric() {
  return (
    <Empty title="It sent no metric yet">
      Devices may report measurements, such as temperatures or voltages. What this one sends appears
      here by itself.
    </Empty>
  )
}

/** What the device measures is right, only when it measured is not. */
function WrongClock({ clock }: { clock: { deviceTime: string; receivedAt: string } }) {
  const { deviceTime, receivedAt } = clock
  return (
    <p role="status" className={css['wrongClock']}>
      <IconClockExclamation size={16} aria-hidden="true" />
      <span>
        <strong>The clock of this device is wrong.</strong> It said {formatDateTime(deviceTime)}{' '}
        when it was {formatDateTime(receivedAt)}. Its points stand at the time they were received.
      </span>
    </p>
  )
}

/** The address may name what the device never sent; it can be taken out all the same. */
function withUnknown(
  choices: readonly { value: string; label: string }[],
  chosen: readonly { metric: string; labels: Readonly<Record<string, string>> }[],
) {
  const known = new Set(choices.map(({ value }) => value))
  const unknown = chosen.filter((one) => !known.has(formatChoice(one)))
  return [...choices, ...unknown.map((one) => ({ value: formatChoice(one), label: one.metric }))]
}

/** Rules that look at metrics of this device; none for those who may not read rules. */
function useRules(cohortId: string | undefined) {
  const workspaceId = useWorkspaceId()
  const enabled = useMay('Alerts: read')
  const { data } = useQuery({ ...rulesQuery(workspaceId), enabled })
  return useMemo(() => listRules(data ?? [], cohortId), [data, cohortId])
}

/** A range follows the time; a stretch stays. */
function useWindow({ range, from, to }: DeviceSearch): TimeWindow {
  const [now, setNow] = useState(() => new Date())
  const { start, stop } = useInterval(() => setNow(new Date()), FOLLOW_MS)
  useEffect(() => {
    start()
    return stop
  }, [start, stop])
  const window = readWindow({ range, from, to }, now)
  const [begin, end] = [window.from.getTime(), window.to.getTime()]
  return useMemo(
    () => ({ ...window, from: new Date(begin), to: new Date(end) }),
    // The same ends are the same window, whatever the time is.
    [begin, end, window.range, window.stepMs],
  )
}

const AGGREGATIONS: readonly { value: NonNullable<DeviceSearch['of']>; text: string }[] = [
  { value: 'Average', text: 'Averages' },
  { value: 'Maximum', text: 'Highest values' },
  { value: 'Minimum', text: 'Lowest values' },
  { value: 'Last', text: 'Newest values' },
  { value: 'Count', text: 'Numbers of values' },
]

interface TimeBarProps {
  window: TimeWindow
  search: DeviceSearch
  onChange: (next: DeviceSearch) => void
}

function TimeBar({ window, search, onChange }: TimeBarProps) {
  const { from, to, range } = window
  const show = (stretch: { from: Date; to: Date }) =>
    onChange(writeSearch(stretch.from, stretch.to))
  const middle = new Date((from.getTime() + to.getTime()) / 2)
  return (
    <div className={css['filters']}>
      <SegmentedControl
        aria-label="Range"
        size="xs"
        value={range ?? ''}
        data={RANGES.map(({ value, label }) => ({ value, label }))}
        onChange={(value) => onChange({ range: value, from: undefined, to: undefined })}
      />
      <div className={css['acts']} role="group" aria-label="Move the time">
        <Button size="small" onClick={() => show(moveWindow(window, -0.5))}>
          Earlier
        </Button>
        <Button size="small" onClick={() => show(moveWindow(window, 0.5))}>
          Later
        </Button>
        <Button size="small" onClick={() => show(zoomWindow(window, middle, 0.5))}>
          Zoom in
        </Button>
        <Button size="small" onClick={() => show(zoomWindow(window, middle, 2))}>
          Zoom out
        </Button>
      </div>
      <Choice
        label="What a point is of"
        options={AGGREGATIONS}
        value={search.of ?? 'Average'}
        onChange={(value) =>
          onChange({ of: value === null || value === 'Average' ? undefined : value })
        }
      />
      <StretchForm
        key={`${from.toISOString()} ${to.toISOString()}`}
        window={window}
        onShow={show}
      />
      <p className={css['note']}>
        Drag over a chart to zoom; by keys: arrows, Shift and arrows, Enter, + and −.
      </p>
    </div>
  )
}
