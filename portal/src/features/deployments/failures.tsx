import type { Deployment } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { findMax } from '../../components/extremes.ts'
import { FormFault } from '../../components/form.tsx'
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
  const queryClient = useQueryClient()
  const mayRetry = useMay('Deployments: write') && isActive
  const retry = useMutation({
    mutationFn: (reason: string | undefined) => retryUpdates(workspaceId, name, reason),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
  })
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
          <Button isBusy={retry.isPending} onClick={() => retry.mutate(undefined)}>
            Try all again
          </Button>
        )
      }
      isFlush
    >
      <FormFault error={retry.error} said="Not done." />
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
              replace
              resetScroll={false}
              className="numbers"
              aria-label={`${formatCountOf(count, 'device')} failed: ${reason}, show them`}
            >
              {formatCount(count)}
            </Link>
            {mayRetry && (
              <Button
                isBusy={retry.isPending}
                onClick={() => retry.mutate(reason)}
                aria-label={`Try again: ${describeReason(reason)}`}
              >
                Try again
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const describeReason = (reason: string) => (reason === '' ? 'no reason was given' : reason)
