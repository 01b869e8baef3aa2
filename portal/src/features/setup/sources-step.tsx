import type { VulnerabilitySource } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { findBlockingError } from '../../components/blocking-error.ts'
import { AdminCommand } from '../../components/admin-command.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { SOURCE_NAMES } from '../../format/sources.ts'
import { sourcesQuery } from '../../workspace-queries.ts'
import css from './setup-page.module.css'

/** The service begins by itself: the page shows when. */
const OFTEN_MS = 1500

export function SourcesStep() {
  const workspaceId = useWorkspaceId()
  const query = useQuery({
    ...sourcesQuery(workspaceId),
    refetchInterval: OFTEN_MS,
  })
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={4} />
  const isFetching = data.sources.some(({ phase }) => phase !== 'Idle')
  return (
    <>
      <p>
        Findings are as complete as these. The service reads them by itself, several hundred
        thousand records the first time; you need not wait.
      </p>
      <ul className={css['sources']}>
        {data.sources.map((source) => (
          <li key={source.source}>
            <strong>{SOURCE_NAMES[source.source]}</strong>
            <SourceState source={source} />
          </li>
        ))}
      </ul>
      {!isFetching && (
        <p className={css['note']}>
          Nothing is being fetched at this moment. Without the internet, carry the files in:{' '}
          <AdminCommand command="feeds import FOLDER" />
        </p>
      )}
    </>
  )
}

function SourceState({ source }: { source: VulnerabilitySource }) {
  const { phase, progress, lastSuccessAt, recordCount, lastError } = source
  if (phase !== 'Idle')
    return (
      <Dot tone="accent" isHollow>
        {phase === 'Fetching' ? 'Fetching' : 'Reading'}
        {progress?.records === undefined ? '…' : `: ${formatCountOf(progress.records, 'record')}`}
      </Dot>
    )
  if (lastError !== null) return <Dot tone="danger">{lastError}</Dot>
  if (lastSuccessAt === null)
    return (
      <Dot tone="muted" isHollow>
        Not read yet
      </Dot>
    )
  return <Dot tone="ok">{formatCountOf(recordCount, 'record')}</Dot>
}
