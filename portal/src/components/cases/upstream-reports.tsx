/** What was reported to whoever makes the component, Article 13(6). Nothing is sent from here. */
import type { UpstreamReport } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Failure } from '../states.tsx'
import { Time } from '../time.tsx'
import css from './upstream-reports.module.css'
import { Law } from './law-mark.tsx'
import { NewUpstreamReport } from './new-upstream-report.tsx'
import { upstreamReportsQuery } from './queries.ts'

interface UpstreamReportsProps {
  cveId: string
  /** Where one can be recorded. */
  findingId?: string
}

export function UpstreamReports({ cveId, findingId }: UpstreamReportsProps) {
  const workspaceId = useWorkspaceId()
  const enabled = useMay('Cases: read')
  const mayWrite = useMay('Cases: write')
  const { data, error, refetch } = useQuery({
    ...upstreamReportsQuery(workspaceId, cveId),
    enabled,
  })
  if (!enabled) return null
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  const { upstreamReports = [], hasMore = false } = data ?? {}
  return (
    <section className={css['upstream']} aria-label="Reported upstream">
      <h3>
        Reported upstream <Law article="13(6)" />
      </h3>
      {data && upstreamReports.length === 0 && (
        <p>Nobody has recorded that it was reported to whoever makes the component.</p>
      )}
      <ul>
        {upstreamReports.map((report) => (
          <Report key={report.id} report={report} />
        ))}
      </ul>
      {hasMore && <p>The newest 500 are shown.</p>}
      {findingId !== undefined && mayWrite && <NewUpstreamReport findingId={findingId} />}
    </section>
  )
}

function Report({ report }: { report: UpstreamReport }) {
  const { componentName, componentVersion, recipient, reportedAt, text, fix, createdByEmail } =
    report
  return (
    <li>
      <details>
        <summary>
          <bdi>{[componentName, componentVersion].filter(Boolean).join(' ')}</bdi> to{' '}
          <bdi>{recipient}</bdi>, <Time at={reportedAt} as="date" />
          {fix === null ? ', without a fix' : ', with a fix'}
        </summary>
        <p>
          <bdi>{text}</bdi>
        </p>
        {fix !== null && (
          <p>
            Shared to mend it: <bdi>{fix}</bdi>
          </p>
        )}
        <small>Recorded by {createdByEmail ?? 'an API key'}</small>
      </details>
    </li>
  )
}
