import type { Deployment } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/panel.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import type { DeploymentName } from './queries.ts'
import { findMax } from '../../components/extremes.ts'

interface FailuresProps {
  deployment: Deployment
  name: DeploymentName
}

/** Why devices failed, the most frequent reason first; each leads to its devices in the list below. */
export function Failures({ deployment: { failureReasons }, name }: FailuresProps) {
  const workspaceId = useWorkspaceId()
  const total = failureReasons.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  const most = findMax(failureReasons.map(({ count }) => count))
  return (
    <Panel title="Failures by reason" note={formatCountOf(total, 'device')} isFlush>
      <ul className={css['failures']}>
        {failureReasons.map(({ reason, count }) => (
          <li key={reason}>
            <strong>{reason === '' ? 'no reason was given' : reason}</strong>
            <span>
              <i style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <Link
              to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
              params={{ workspaceId, ...name }}
              // A text of its own kind, as an empty one would be dropped from the address.
              search={{ state: 'failed', reason: `is ${reason}` }}
              replace
              resetScroll={false}
              className="numbers"
              aria-label={`${formatCountOf(count, 'device')} failed: ${reason}, show them`}
            >
              {formatCount(count)}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
