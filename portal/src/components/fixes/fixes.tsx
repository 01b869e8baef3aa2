/** Which of our versions hold the fix, who can take them, and the way to deploy them. */
import type { CohortTakers, VulnerabilityFix } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CreateDeployment } from '../create-deployment.tsx'
import { MarkSign } from '../mark.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { describeRid } from './fix-words.ts'
import css from './fixes.module.css'
import { findBest } from './best-fix.ts'
import { fixesQuery } from './queries.ts'

/** Undefined where the role does not see deployments. */
export function useFixes(cveId: string) {
  const workspaceId = useWorkspaceId()
  const maySee = useMay('Deployments: read')
  return useQuery({ ...fixesQuery(workspaceId, cveId), enabled: maySee }).data?.fixes
}

interface DeployFixProps {
  fixes: readonly VulnerabilityFix[] | undefined
  isPrimary?: boolean
}

/** "Deploy the fix to 21 devices…": those that can take it now. */
export function DeployFix({ fixes = [], isPrimary = false }: DeployFixProps) {
  const best = findBest(fixes)
  if (!best) return null
  const { fix, cohort } = best
  return (
    <CreateDeployment {...planOf(fix, cohort)} isPrimary={isPrimary}>
      Deploy the fix to {formatCountOf(cohort.readyDeviceCount, 'device')}…
    </CreateDeployment>
  )
}

const planOf = ({ firmwareVersion }: VulnerabilityFix, cohort: CohortTakers | undefined) => ({
  versionId: firmwareVersion.id,
  cohortId: cohort?.deploymentCohort?.id,
  deviceCount: cohort?.deviceCount,
})

interface FixesProps {
  cveId: string
  fixes: readonly VulnerabilityFix[]
  /** A source names a version that fixes it. */
  isFixNamed: boolean
}

export function Fixes({ fixes, ...of }: FixesProps) {
  return (
    <ul className={css['fixes']}>
      {fixes.map((fix) => (
        <FixRow key={fix.firmwareVersion.id} fix={fix} {...of} />
      ))}
    </ul>
  )
}

interface FixRowProps extends Omit<FixesProps, 'fixes'> {
  fix: VulnerabilityFix
}

function FixRow({ fix, cveId, isFixNamed }: FixRowProps) {
  const workspaceId = useWorkspaceId()
  const { firmwareVersion, component, deviceCount } = fix
  const best = findBest([fix])
  return (
    <li>
      <MarkSign state={firmwareVersion.mark.state} size={20} />
      <div>
        <p>
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersion.id }}
          >
            {firmwareVersion.firmware.name} <code>{firmwareVersion.name}</code>
          </Link>{' '}
          {describeRid([fix], isFixNamed)}{' '}
          {component && (
            <code>
              {component.name} {component.version}
            </code>
          )}
        </p>
        {deviceCount === 0 ? (
          <p className={css['who']}>No device of this firmware needs it.</p>
        ) : (
          fix.cohorts.map((cohort) => (
            <Who key={cohort.deploymentCohort?.id ?? ''} cohort={cohort} cveId={cveId} />
          ))
        )}
        {!fix.hasArtifact && (
          <p className={css['who']}>It has no file yet that devices could install.</p>
        )}
      </div>
      {best && (
        <CreateDeployment {...planOf(fix, best.cohort)}>
          Deploy to {formatCountOf(best.cohort.readyDeviceCount, 'device')}…
        </CreateDeployment>
      )}
    </li>
  )
}

/** "21 of 24 in Gateways apac can take it now; 3 are silent and take it when they return". */
function Who({ cohort, cveId }: { cohort: CohortTakers; cveId: string }) {
  const workspaceId = useWorkspaceId()
  const { deploymentCohort, deviceCount } = cohort
  if (deploymentCohort === null)
    return (
      <p className={css['who']}>
        {formatCountOf(deviceCount, 'device')} in no cohort: no deployment reaches them.
      </p>
    )
  return (
    <p className={css['who']}>
      <Link
        to="/w/$workspaceId/devices"
        params={{ workspaceId }}
        search={{ cohort: deploymentCohort.id, cve: cveId }}
      >
        {formatCountOf(deviceCount, 'device')}
      </Link>{' '}
      in {deploymentCohort.name}: {describeTakers(cohort)}.
    </p>
  )
}

function describeTakers(cohort: CohortTakers): string {
  const { isUnderWay, readyDeviceCount, silentDeviceCount, limitedDeviceCount } = cohort
  const waiting = isUnderWay ? 'with the update waiting' : 'to take it when they return'
  const parts = [
    { count: readyDeviceCount, text: isUnderWay ? 'have it on its way' : 'can take it now' },
    { count: silentDeviceCount, text: `silent for a week, ${waiting}` },
    { count: limitedDeviceCount, text: 'with a client that cannot install it' },
  ]
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, text }) => `${formatCount(count)} ${text}`)
    .join('; ')
}
