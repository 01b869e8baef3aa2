import { useQuery } from '@tanstack/react-query'
import { failureText } from '../../components/states.tsx'
import { countOf } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { type DryRun, dryRunQuery } from './queries.ts'
import type { RuleBody } from './rule-plan.ts'

/** What the rule would have done in the last day: a sentence, and the day as a strip. */
export function DryRunResult({ rule }: { rule: RuleBody | undefined }) {
  const workspaceId = useWorkspaceId()
  const { data, error, isFetching } = useQuery(dryRunQuery(workspaceId, rule))
  if (!rule) return <p className={css['note']}>Fill in the rest to see what it would have done.</p>
  if (error) return <p className={css['note']}>It could not be tried: {failureText(error)}</p>
  if (!data || isFetching) return <p className={css['note']}>Trying it on the last day…</p>
  return (
    <section className={css['dryRun']} role="status">
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
    </section>
  )
}

function sentenceOf({ incidents, seriesCount, firingSeriesCount, evaluations }: DryRun): string {
  if (evaluations.count === 0) return 'In the last day there was nothing to look at.'
  if (incidents.length === 0)
    return `In the last day it would not have fired, over ${countOf(seriesCount, 'series', 'series')}.`
  return `In the last day it would have fired ${countOf(incidents.length, 'time')}, for ${firingSeriesCount} of ${countOf(seriesCount, 'series', 'series')}.`
}
