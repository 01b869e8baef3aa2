/** The metric that an incident is about, on what fired, with the threshold and how it was crossed. */
import { useMemo, useState } from 'react'
import { SeriesChart } from '../../components/chart/series-chart.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatValue } from '../../format/values.ts'
import css from './alerts.module.css'
import { type MetricOfIncident, useIncidentMetric } from './incident-metric.ts'
import { OPERATORS } from './rule-words.ts'

export function IncidentChart(of: MetricOfIncident) {
  return (
    <Panel title={of.condition.metric} note="grey: not firing">
      <Chart {...of} />
    </Panel>
  )
}

function Chart({ incident, condition }: MetricOfIncident) {
  const { beganAt, endedAt, seriesCount } = incident
  const { metric, groupBy, operator, threshold } = condition
  const read = useIncidentMetric({ incident, condition })
  const { asked, isChange, series, others, isRead, error } = read
  const [at, setAt] = useState<Date>()
  const drawn = useMemo(
    () => ({
      limits: [
        {
          id: 'threshold',
          value: threshold,
          text: `${OPERATORS[operator]} ${formatValue(threshold)}${isChange ? ' %' : ''}`,
        },
      ],
      breach: {
        from: new Date(beganAt),
        to: endedAt === null ? asked.to : new Date(endedAt),
        threshold,
        isAbove: operator.startsWith('Greater'),
      },
    }),
    [operator, threshold, isChange, beganAt, endedAt, asked.to],
  )
  if (error) return <Failure error={error} />
  if (!isRead) return <Loading rows={4} />
  if (series.every(({ points }) => points.length === 0))
    return <p className={css['note']}>Nothing that was measured in this time is kept.</p>
  return (
    <>
      <SeriesChart
        label={isChange ? `${metric}, change in %` : metric}
        {...{ series, others, at, ...drawn }}
        from={asked.from}
        to={asked.to}
        stepMs={asked.stepMs}
        onAt={setAt}
      />
      {groupBy === 'Device' && seriesCount > series.length && (
        <p className={css['note']}>
          {series.length} of {formatCount(seriesCount)} that fired.
        </p>
      )}
    </>
  )
}
