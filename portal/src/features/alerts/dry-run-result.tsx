import type { AlertRuleDryRun } from '@plimsoll/api-client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { dryRunQuery } from './queries.ts'
import type { RuleBody, RuleType } from './rule-plan.ts'

/** What the rule would have done in the last day: a sentence, the day as a strip, and what would have fired. */
export function DryRunResult({ rule }: { rule: RuleBody | undefined }) {
  const workspaceId = useWorkspaceId()
  const { data, error, isFetching } = useQuery({
    ...dryRunQuery(workspaceId, rule),
    placeholderData: keepPreviousData,
  })
  if (!rule) return <p className={css['note']}>Fill in the rest to see what it would have done.</p>
  if (error) return <p className={css['note']}>It could not be tried: {describeFailure(error)}</p>
  if (!data) return <p className={css['note']}>Trying it on the last day…</p>
  return (
    <section className={`${css['dryRun']} ${isFetching ? css['old'] : ''}`} role="status">
      <p>{sentenceOf(data)}</p>
      <ol className={css['strip']}>
        {data.timeline.map(({ from, to, status, firingCount }) => (
          <li
            key={from}
            className={css[status]}
            style={{ flexGrow: new Date(to).getTime() - new Date(from).getTime() }}
            title={`${formatDateTime(from)} to ${formatDateTime(to)}: ${firingCount} firing`}
          />
        ))}
      </ol>
      <Firing dryRun={data} type={rule.type} />
    </section>
  )
}

/** When it would fire, in a sentence, as soon as it is filled in. */
export function RuleSentence({ rule }: { rule: RuleBody | undefined }) {
  const { data } = useQuery({
    ...dryRunQuery(useWorkspaceId(), rule),
    placeholderData: keepPreviousData,
  })
  if (!rule || !data) return <p className={css['sentence']}>What is to be watched?</p>
  return <p className={css['sentence']}>{data.conditionText}.</p>
}

function sentenceOf({
  incidents,
  seriesCount,
  firingSeriesCount,
  evaluations,
}: AlertRuleDryRun): string {
  if (evaluations.count === 0) return 'In the last day there was nothing to look at.'
  if (incidents.length === 0)
    return `In the last day it would not have fired, over ${formatCountOf(seriesCount, 'series', 'series')}.`
  return `In the last day it would have fired ${formatCountOf(incidents.length, 'time')}, for ${firingSeriesCount} of ${formatCountOf(seriesCount, 'series', 'series')}.`
}

const MOST_NAMED = 5

function Firing({ dryRun, type }: { dryRun: AlertRuleDryRun; type: RuleType }) {
  const named = dryRun.firingSeries.slice(0, MOST_NAMED)
  const more = dryRun.firingSeriesCount - named.length
  if (named.length === 0) return null
  return (
    <p className={css['note']}>
      {named.map(({ series, label }, index) => (
        <span key={series}>
          {index > 0 && ', '}
          <SeriesName type={type} series={series} label={label} />
        </span>
      ))}
      {more > 0 && ` and ${formatCount(more)} more`}
    </p>
  )
}

interface SeriesNameProps {
  type: RuleType
  series: string
  label: string | null
}

/** What is firing, with a link where it has a page of its own. */
export function SeriesName({ type, series, label }: SeriesNameProps) {
  const workspaceId = useWorkspaceId()
  const name = label ?? (series === '' ? 'all devices together' : series)
  if (series === '') return name
  switch (type) {
    case 'DeviceOffline':
    case 'MetricFixedThreshold':
    case 'MetricPercentualThreshold':
      return (
        <Link
          to="/w/$workspaceId/devices/$deviceId"
          params={{ workspaceId, deviceId: series }}
          search={type === 'DeviceOffline' ? {} : { tab: 'metrics' }}
        >
          {name}
        </Link>
      )
    case 'NewVulnerabilityFinding':
      return (
        <Link to="/w/$workspaceId/findings/$findingId" params={{ workspaceId, findingId: series }}>
          {name}
        </Link>
      )
    case 'DeploymentFailureRate':
    case 'VulnerabilitySourceStale':
      return name
  }
}
