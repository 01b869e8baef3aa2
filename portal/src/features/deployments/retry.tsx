import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type DeploymentName, retryUpdates } from './queries.ts'

interface RetryProps {
  name: DeploymentName
  /** Devices that would try again. */
  count: number
  /** undefined: whatever the reason. */
  reason?: string
  /** Only those for which something has changed since. */
  isOfChanged?: boolean
  /** Those for which nothing that is known has changed. */
  unchangedCount?: number
  children: string
}

/** Devices begin to install at once, so it asks first. */
export function Retry(props: RetryProps) {
  const { name, count, reason, isOfChanged = false, unchangedCount = 0, children } = props
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const act = useMutation({
    mutationFn: () => retryUpdates(workspaceId, name, { reason, isOfChanged }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
  })
  const devices = formatCountOf(count, 'device')
  return (
    <ConfirmedButton
      title={`Have ${devices} try again?`}
      verb="Try again"
      act={act}
      size="small"
      {...(reason !== undefined && { label: `${children} ${describeFailureReason(reason)}` })}
      what={
        <>
          <p>
            {devices} failed{reason === undefined ? '' : `: ${describeFailureReason(reason)}`}. They
            are offered the update once more. A deployment that stopped goes on, and failures up to
            now no longer stop it.
          </p>
          {unchangedCount > 0 && (
            <p>
              For {formatCount(unchangedCount)} of them nothing is known to have changed since: they
              report the same versions, and the binary is the same.
            </p>
          )}
        </>
      }
    >
      {children}
    </ConfirmedButton>
  )
}

export const describeFailureReason = (reason: string): string =>
  reason === '' ? 'no reason was given' : reason
