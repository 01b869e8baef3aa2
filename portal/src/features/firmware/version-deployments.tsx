import { type FirmwareVersionDeployment, nameDeploymentState } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { versionDeploymentsQuery } from '../../workspace-queries.ts'
import css from './version-page.module.css'

const SHOWN = 4

/** What was deployed of a version and how far it came, the active ones first. */
export function VersionDeployments({ versionId }: { versionId: string }) {
  const mayRead = useMay('Deployments: read')
  const query = versionDeploymentsQuery(useWorkspaceId(), versionId)
  const { data } = useQuery({ ...query, enabled: mayRead })
  if (!data || data.deployments.length === 0) return null
  const { deployments, hasMore } = data
  const others = deployments.length - SHOWN
  return (
    <section className={css['deployments']} aria-label="Deployments of it">
      <p>Deployments of it</p>
      <ul>
        {deployments.slice(0, SHOWN).map((deployment) => (
          <Deployment key={deployment.id} deployment={deployment} />
        ))}
      </ul>
      {others > 0 && (
        <p>
          and {hasMore ? 'more than ' : ''}
          {formatCount(others)} earlier
        </p>
      )}
    </section>
  )
}

function Deployment({ deployment }: { deployment: FirmwareVersionDeployment }) {
  const workspaceId = useWorkspaceId()
  const { id, deploymentCohort, createdAt, deviceCount, succeededCount } = deployment
  return (
    <li>
      <Link
        to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
        params={{ workspaceId, deploymentCohortId: deploymentCohort.id, deploymentId: id }}
      >
        {deploymentCohort.name}
      </Link>
      <span>
        <Time at={createdAt} as="date" />, {describeState(deployment)}
      </span>
      <span className="numbers" title="Updates that succeeded, of all of this deployment">
        {formatCount(succeededCount)} of {formatCountOf(deviceCount, 'update')}
      </span>
    </li>
  )
}

function describeState({ state, isActive, isRollback }: FirmwareVersionDeployment): string {
  const words = isActive ? nameDeploymentState({ state }).toLowerCase() : 'ended'
  return isRollback ? `roll-back, ${words}` : words
}
