/** The deployment ended while somebody was asked what to do with it. */
import type { Deployment } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { FormActs } from '../../components/form.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import type { DeploymentName } from './queries.ts'
import { describeEvent } from './words.ts'

interface OvertakenProps {
  deployment: Deployment
  name: DeploymentName
  /** "roll back", "cancel". */
  what: string
  onClose: () => void
}

export function Overtaken({ deployment, name, what, onClose }: OvertakenProps) {
  const workspaceId = useWorkspaceId()
  const end = deployment.events.at(-1)
  return (
    <div className={css['steps']} role="alert">
      <p>
        There is nothing to {what} any more:{' '}
        {end ? (
          <>
            {describeEvent(end)} <Time at={end.at} as="dateTime" />.
          </>
        ) : (
          'the deployment has ended.'
        )}{' '}
        Nothing was done twice.
      </p>
      <FormActs>
        {end?.deploymentId && (
          <Link
            to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
            params={{
              workspaceId,
              deploymentCohortId: name.deploymentCohortId,
              deploymentId: end.deploymentId,
            }}
            onClick={onClose}
            className={css['primary']}
          >
            See what the cohort gets now
          </Link>
        )}
        <Button onClick={onClose}>Close</Button>
      </FormActs>
    </div>
  )
}
