import type { Deployment } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { findMax } from '../../components/extremes.ts'
import { Panel } from '../../components/panel.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import { type DeploymentName, retryUpdates } from './queries.ts'

interface FailuresProps {
  deployment: Deployment
  name: DeploymentName
}

/** Why devices failed, the most frequent reason first; each leads to its devices in the list below, and lets them try again. */
export function Failures({ deployment: { failureReasons, isActive }, name }: FailuresProps) {
  const workspaceId = useWorkspaceId()
  const mayRetry = useMay('Deployments: write') && isActive
  const total = failureReasons.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  const most = findMax(failureReasons.map(({ count }) => count))
  return (
    <Panel
      title="Failures by reason"
      note={formatCountOf(total, 'device')}
      aside={
        mayRetry &&
        failureReasons.length > 1 && (
          <Retry name={name} count={total}>
            Try all again
          </Retry>
        )
      }
      isFlush
    >
      <ul className={css['failures']}>
        {failureReasons.map(({ reason, count }) => (
          <li key={reason}>
            <strong>{describeReason(reason)}</strong>
            <span>
              <i style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <Link
              to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
              params={{ workspaceId, ...name }}
              // A text of its own kind, as an empty one would be dropped from the address.
              search={{ state: 'failed', reason: `is ${reason}` }}
              hash="devices"
              replace
              resetScroll={false}
              className="numbers"
              aria-label={`${formatCountOf(count, 'device')} failed: ${reason}, show them`}
            >
              {formatCount(count)}
            </Link>
            {mayRetry && (
              <Retry name={name} count={count} reason={reason}>
                Try again
              </Retry>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface RetryProps {
  name: DeploymentName
  /** Devices that failed so. */
  count: number
  /** undefined: whatever the reason. */
  reason?: string
  children: string
}

/** Devices begin to install at once, so it asks first. */
function Retry({ name, count, reason, children }: RetryProps) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const act = useMutation({
    mutationFn: () => retryUpdates(workspaceId, name, reason),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
  })
  const devices = formatCountOf(count, 'device')
  return (
    <ConfirmedButton
      title={`Have ${devices} try again?`}
      verb="Try again"
      act={act}
      {...(reason !== undefined && { label: `Try again: ${describeReason(reason)}` })}
      what={
        <p>
          {devices} failed{reason === undefined ? '' : `: ${describeReason(reason)}`}. They are
          offered the update once more. A deployment that stopped goes on, and failures up to now no
          longer stop it.
        </p>
      }
    >
      {children}
    </ConfirmedButton>
  )
}

const describeReason = (reason: string) => (reason === '' ? 'no reason was given' : reason)
