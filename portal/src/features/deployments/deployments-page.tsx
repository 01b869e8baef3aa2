/** Which cohorts there are, what is on its way to them, and how far it is. */
import { type DeploymentCohort, nameDeploymentState } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { MarkSign } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { NewCohort } from './cohort-form.tsx'
import css from './deployments.module.css'
import { deploymentQuery } from './queries.ts'
import { StateBar } from './state-bar.tsx'
import { DEPLOYMENT_TONES, findMain, describeProgress } from './words.ts'

export function DeploymentsPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(cohortsQuery(workspaceId))
  const cohorts = query.data?.deploymentCohorts
  return (
    <>
      <TopBar title="Deployments" />
      <Page>
        <ListPanel
          query={query}
          rows={cohorts}
          title="Cohorts"
          note="devices that are updated together, with what is on its way to them"
          aside={<Acts hasCohorts={(cohorts?.length ?? 0) > 0} />}
          empty={
            <Empty title="No cohort yet">
              A cohort is a group of devices that get the same firmware: a region, a customer, a
              test bench. Create one, then deploy a version to it.
            </Empty>
          }
        >
          {(rows) => (
            <ul className={css['cohorts']}>
              {rows.map((cohort) => (
                <CohortRow key={cohort.id} cohort={cohort} />
              ))}
            </ul>
          )}
        </ListPanel>
      </Page>
    </>
  )
}

function Acts({ hasCohorts }: { hasCohorts: boolean }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Deployments: write')
  return (
    <>
      {hasCohorts && (
        <Link to="/w/$workspaceId/deployments/what-if" params={{ workspaceId }}>
          What if…
        </Link>
      )}
      {mayWrite && <NewCohort />}
      {mayWrite && hasCohorts && (
        <Link
          to="/w/$workspaceId/deployments/new"
          params={{ workspaceId }}
          className={css['primary']}
        >
          New deployment
        </Link>
      )}
    </>
  )
}

function CohortRow({ cohort }: { cohort: DeploymentCohort }) {
  const workspaceId = useWorkspaceId()
  const { id, name, deviceCount, activeDeploymentId } = cohort
  return (
    <li>
      <div>
        <Link
          to="/w/$workspaceId/deployments/$deploymentCohortId"
          params={{ workspaceId, deploymentCohortId: id }}
          className={css['name']}
        >
          {name}
        </Link>
        <p>
          <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ cohort: id }}>
            {formatCountOf(deviceCount, 'device')}
          </Link>
        </p>
      </div>
      {activeDeploymentId === null ? (
        <p className={css['note']}>nothing on its way</p>
      ) : (
        <Active deploymentCohortId={id} deploymentId={activeDeploymentId} />
      )}
    </li>
  )
}

function Active(name: { deploymentCohortId: string; deploymentId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(deploymentQuery(workspaceId, name))
  const { data } = query
  const error = findBlockingError(query)
  if (error) return <p className={css['note']}>could not be read: {error.message}</p>
  if (!data) return <p className={css['note']}>…</p>
  const main = findMain(data)?.firmware
  return (
    <>
      <div className={css['what']}>
        {main && <MarkSign state={main.firmwareVersion.mark.state} />}
        <Link
          to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
          params={{ workspaceId, ...name }}
        >
          {main ? (
            <>
              {main.firmwareVersion.firmware.name} <code>{main.firmwareVersion.name}</code>
            </>
          ) : (
            data.name
          )}
        </Link>
        <Tag tone={DEPLOYMENT_TONES[data.state]}>{nameDeploymentState(data)}</Tag>
        <span className={css['note']}>
          since <Time at={data.createdAt} as="date" />
        </span>
      </div>
      <div className={css['how']}>
        <StateBar counts={data.deviceCounts} isSmall />
        <p className={css['note']}>{describeProgress(data)}</p>
      </div>
    </>
  )
}
