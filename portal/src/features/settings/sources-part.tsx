import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { countOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type Source, SOURCE_NAMES, sourcesQuery } from '../../workspace-queries.ts'
import css from './settings-page.module.css'

export function SourcesPart() {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(sourcesQuery(workspaceId))
  return (
    <Panel title="Vulnerability sources" note="what findings rest on, and how fresh it is" isFlush>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      <div className={css['scroll']} tabIndex={0}>
        <table className={css['table']}>
          <thead>
            <tr>
              <th>Source</th>
              <th>State</th>
              <th>Records</th>
              <th>Skipped</th>
              <th>Last complete</th>
              <th>Next</th>
            </tr>
          </thead>
          <tbody>
            {data?.sources.map((source) => (
              <SourceRow key={source.source} source={source} />
            ))}
          </tbody>
        </table>
      </div>
      <p className={css['operator']}>
        Sources belong to the whole service. Its operator reads one now with{' '}
        <code>npm run admin -- feeds sync</code>, or carries files in with{' '}
        <code>npm run admin -- feeds import</code>.
      </p>
    </Panel>
  )
}

function SourceRow({ source }: { source: Source }) {
  const { recordCount, skippedCount, skippedReasons, lastSuccessAt, nextSyncAt } = source
  const { lastError, notice } = source
  return (
    <tr>
      <td>
        <strong>{SOURCE_NAMES[source.source]}</strong>
      </td>
      <td>
        <State source={source} />
        {lastError !== null && <p className={css['fault']}>{lastError}</p>}
        {notice !== null && <p className={css['note']}>{notice}</p>}
      </td>
      <td>{formatCount(recordCount)}</td>
      <td title={skippedReasons.map(({ reason, count }) => `${reason}: ${count}`).join('\n')}>
        {formatCount(skippedCount)}
      </td>
      <td>{lastSuccessAt === null ? 'never' : <Time at={lastSuccessAt} />}</td>
      <td>{nextSyncAt === null ? '' : <Time at={nextSyncAt} as="dateTime" />}</td>
    </tr>
  )
}

function State({ source }: { source: Source }) {
  const { phase, progress, isStale, lastSuccessAt } = source
  if (phase !== 'Idle')
    return (
      <Dot tone="accent" isHollow>
        {phase === 'Fetching' ? 'Fetching' : 'Reading'} {progressText(progress)}
      </Dot>
    )
  if (lastSuccessAt === null)
    return (
      <Dot tone="muted" isHollow>
        Never read: findings miss what it knows
      </Dot>
    )
  return isStale ? (
    <Dot tone="warn">Stale: newer records are missing</Dot>
  ) : (
    <Dot tone="ok">Current</Dot>
  )
}

function progressText(progress: Source['progress']): string {
  if (!progress) return ''
  const { part, partsDone, partsTotal, records } = progress
  const done = partsTotal === undefined ? '' : `${partsDone} of ${partsTotal} parts`
  return [part, done, records === undefined ? '' : countOf(records, 'record')]
    .filter(Boolean)
    .join(', ')
}
