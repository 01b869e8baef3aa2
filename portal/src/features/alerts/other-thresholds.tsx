/** How long a rule would have been firing with thresholds near the one that is filled in. */
import { useQueries } from '@tanstack/react-query'
import { findMax } from '../../components/extremes.ts'
import { Panel } from '../../components/panel.tsx'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatValue } from '../../format/values.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { dryRunQuery } from './queries.ts'
import type { MetricBody } from './rule-chart.tsx'
import { parseDurationMs } from './rule-plan.ts'
import { nameDays, OPERATORS } from './rule-words.ts'

const MINUTE = 60_000
/** To each side. */
const NEAR = 2

interface OtherThresholdsProps {
  rule: MetricBody
  days: number
  onChoose: (threshold: number) => void
}

export function OtherThresholds({ rule, days, onChoose }: OtherThresholdsProps) {
  const workspaceId = useWorkspaceId()
  const { operator, threshold } = rule.condition
  const thresholds = listNear(threshold)
  const answers = useQueries({
    queries: thresholds.map((value) =>
      dryRunQuery(workspaceId, {
        rule: { ...rule, condition: { ...rule.condition, threshold: value } },
        days,
      }),
    ),
  })
  const frequencyMs = parseDurationMs(rule.evaluationFrequency)
  const rows = thresholds.map((value, index) => {
    const { data, error } = answers[index] ?? {}
    return { value, error, data, firingMs: data && data.evaluations.firing * frequencyMs }
  })
  const longest = findMax(rows.map(({ firingMs = 0 }) => firingMs))
  return (
    <Panel title="Other thresholds" note={`${nameDays(days)}; the bar is the time firing`}>
      <ul className={css['thresholds']}>
        {rows.map(({ value, error, data, firingMs }) => (
          <li key={value} aria-current={value === threshold}>
            <button type="button" onClick={() => onChoose(value)}>
              <span>
                {OPERATORS[operator]} {formatValue(value)}
              </span>
              <span className={css['bar']} aria-hidden="true">
                <span
                  style={{ width: `${longest === 0 ? 0 : (100 * (firingMs ?? 0)) / longest}%` }}
                />
              </span>
              {data && firingMs !== undefined && (
                <span>
                  {data.evaluations.noData === data.evaluations.count
                    ? 'no data'
                    : describeMs(firingMs)}
                  {firingMs > 0 &&
                    `, ${formatCountOf(data.incidents.length, 'time')}, ${formatCountOf(data.firingSeriesCount, 'series', 'series')}`}
                </span>
              )}
              {!data && <span>{error ? `not known: ${describeFailure(error)}` : 'trying…'}</span>}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Round steps, of a twentieth of it at most. */
function listNear(threshold: number): number[] {
  const size = Math.abs(threshold) / 20
  const step = threshold === 0 ? 1 : 10 ** Math.floor(Math.log10(size))
  return Array.from({ length: 2 * NEAR + 1 }, (_, index) =>
    Number((threshold + (index - NEAR) * step).toPrecision(12)),
  )
}

/** "3 d 2 h 50 min" */
function describeMs(ms: number): string {
  const minutes = Math.round(ms / MINUTE)
  if (minutes === 0) return 'never'
  const days = Math.floor(minutes / 1_440)
  const hours = Math.floor((minutes % 1_440) / 60)
  const rest = minutes % 60
  return [days > 0 && `${days} d`, hours > 0 && `${hours} h`, rest > 0 && `${rest} min`]
    .filter(Boolean)
    .join(' ')
}
