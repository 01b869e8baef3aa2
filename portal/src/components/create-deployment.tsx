import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay, useWorkspaceId } from '../session.ts'
import { takersQuery } from '../workspace-queries.ts'
import { findDeploymentForm, type PlannedDeployment } from './addresses.ts'
import css from './button.module.css'

interface CreateDeploymentProps extends PlannedDeployment {
  /** Whether creating a deployment is the main act of the page. */
  isPrimary?: boolean
  children?: ReactNode
}

/** Leads to the form with what is known filled in; nothing is sent before its review. */
export function CreateDeployment(props: CreateDeploymentProps) {
  const { isPrimary = false, children = 'Create deployment…', ...planned } = props
  const workspaceId = useWorkspaceId()
  const mayDeploy = useMay('Deployments: write')
  if (!mayDeploy) return null
  return (
    <Link
      {...findDeploymentForm(workspaceId, planned)}
      className={`${css['button']} ${css[isPrimary ? 'primary' : 'plain']} ${css['usual']}`}
    >
      {children}
    </Link>
  )
}

/** Creates a deployment of a version to the cohort in which most devices run another version and can take it now. */
export function DeployVersion({
  versionId,
  ...more
}: CreateDeploymentProps & { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const mayDeploy = useMay('Deployments: write')
  const { data } = useQuery({ ...takersQuery(workspaceId, versionId), enabled: mayDeploy })
  const best = data?.cohorts.find(({ readyDeviceCount }) => readyDeviceCount > 0)
  return (
    <CreateDeployment
      {...more}
      versionId={versionId}
      cohortId={best?.deploymentCohort?.id}
      deviceCount={best?.deviceCount}
    />
  )
}
