/** Reports from outside that joined a case. Nothing where there is none. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { disclosureReportsQuery } from '../../components/cases/queries.ts'
import { Panel } from '../../components/panel.tsx'
import { Failure } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './cases.module.css'

export function JoinedReports({ caseId }: { caseId: string }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(disclosureReportsQuery(workspaceId, { caseId }))
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data || data.reports.length === 0) return null
  return (
    <Panel title="Reports from outside" note="that joined this case">
      <ul className={css['concerned']}>
        {data.reports.map((one) => (
          <li key={one.id}>
            <Link
              to="/w/$workspaceId/disclosure-reports/$reportId"
              params={{ workspaceId, reportId: one.id }}
            >
              <bdi>{one.title}</bdi>
            </Link>
            {one.isWaiting && <Tag tone="warn">waits for an answer</Tag>}
            {one.embargoUntil !== null && (
              <span>
                embargo until <Time at={one.embargoUntil} as="date" />
              </span>
            )}
            {one.credit !== null && (
              <span>
                thanks to <bdi>{one.credit}</bdi>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
