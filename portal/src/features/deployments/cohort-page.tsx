/** One cohort: what its devices run next, and what was deployed to it before. */
import {
  type DeploymentCohort,
  type DeploymentListItem,
  nameDeploymentState,
  type WithEntityTag,
} from '@plimsoll/api-client'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { findDeploymentForm } from '../../components/addresses.ts'
import { api } from '../../api.ts'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { Column } from '../../components/data-table.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { MarkSign } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { Panel } from '../../components/panel.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { CohortConfiguration } from './cohort-configuration.tsx'
import { CohortContacts } from './cohort-contacts.tsx'
import { ChangeCohort } from './cohort-form.tsx'
import { CohortMembers } from './cohort-members.tsx'
import css from './deployments.module.css'
import { cohortQuery, historyQuery } from './queries.ts'
import { StateBar } from './state-bar.tsx'
import { DEPLOYMENT_TONES, findMain } from './words.ts'

export function CohortPage() {
  const { deploymentCohortId } = useParams({
    from: '/w/$workspaceId/deployments/$deploymentCohortId',
  })
  const workspaceId = useWorkspaceId()
  const query = useQuery(cohortQuery(workspaceId, deploymentCohortId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <FailedPage title="Cohort" error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={8} />
  return (
    <>
      <TopBar
        title={data.name}
        subject={`deployment-cohort:${data.id}`}
        trail={[
          <Link key="list" to="/w/$workspaceId/deployments" params={{ workspaceId }}>
            Deployments
          </Link>,
        ]}
      />
      <Page>
        <Head cohort={data} />
        <History cohort={data} />
        <CohortConfiguration cohort={data} />
        <CohortContacts cohort={data} />
        <CohortMembers cohort={data} />
      </Page>
    </>
  )
}

function Head({ cohort }: { cohort: WithEntityTag<DeploymentCohort> }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Deployments: write')
  const { id, name, description, tagRule, deviceCount } = cohort
  return (
    <header className={css['head']}>
      <div>
        <h2>{name}</h2>
        {description !== null && <p>{description}</p>}
        <p className={css['note']}>
          <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ cohort: id }}>
            {formatCountOf(deviceCount, 'device')}
          </Link>
          , {ruleSentence(tagRule)}
        </p>
      </div>
      {mayWrite && (
        <div className={css['acts']}>
          <ChangeCohort cohort={cohort} />
          <DeleteCohort cohort={cohort} />
          <Link
            {...findDeploymentForm(workspaceId, { cohortId: id, deviceCount })}
            className={css['primary']}
          >
            New deployment
          </Link>
        </div>
      )}
    </header>
  )
}

function ruleSentence(rule: DeploymentCohort['tagRule']): string {
  if (rule === null) return 'chosen by hand'
  const parts = [
    rule.all && `with all of ${rule.all.join(', ')}`,
    rule.any && `with any of ${rule.any.join(', ')}`,
    rule.none && `without ${rule.none.join(', ')}`,
  ].filter((part) => part !== undefined)
  return `by their tags: ${parts.join('; ')}`
}

/** Only where nothing is on its way; the service refuses it otherwise. */
function DeleteCohort({ cohort }: { cohort: DeploymentCohort }) {
  const { id, name, activeDeploymentId, deviceCount } = cohort
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}', {
        params: { workspaceId, deploymentCohortId: id },
      }),
    onSuccess: async () => {
      await navigate({ to: '/w/$workspaceId/deployments', params: { workspaceId } })
      await queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] })
    },
  })
  if (activeDeploymentId !== null) return null
  return (
    <ConfirmedButton
      title={`Delete the cohort ${name}?`}
      verb="Delete cohort"
      act={remove}
      what={
        <>
          Its past deployments go with it.{' '}
          {deviceCount === 0
            ? 'No device is in it.'
            : `Its ${formatCountOf(deviceCount, 'device')} stay, in no cohort or in the one that their tags choose.`}
        </>
      }
    >
      Delete…
    </ConfirmedButton>
  )
}

const COLUMNS: readonly Column<DeploymentListItem>[] = [
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(0, 1.4fr)',
    cell: (deployment) => <VersionOf deployment={deployment} />,
  },
  { id: 'name', title: 'Deployment', width: 'minmax(0, 1.4fr)', cell: ({ name }) => name },
  {
    id: 'state',
    title: 'State',
    width: '110px',
    cell: (deployment) => (
      <Tag tone={DEPLOYMENT_TONES[deployment.state]}>{nameDeploymentState(deployment)}</Tag>
    ),
  },
  {
    id: 'devices',
    title: 'Devices',
    width: 'minmax(120px, 1fr)',
    cell: ({ deviceCounts }) =>
      deviceCounts === null ? 'not known' : <StateBar counts={deviceCounts} isSmall />,
  },
  {
    id: 'by',
    title: 'By',
    width: 'minmax(0, 1fr)',
    cell: ({ createdByEmail }) => createdByEmail ?? 'an API key',
    isWideOnly: true,
  },
  {
    id: 'begun',
    title: 'Begun',
    width: '100px',
    isNumber: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="date" />,
  },
]

function VersionOf({ deployment }: { deployment: DeploymentListItem }) {
  const main = findMain(deployment)?.firmware.firmwareVersion
  if (!main) return null
  return (
    <span className={css['what']}>
      <MarkSign state={main.mark.state} />
      {main.firmware.name} <code>{main.name}</code>
      {deployment.rollbackOfId !== null && <Tag>rollback</Tag>}
    </span>
  )
}

function History({ cohort: { id } }: { cohort: DeploymentCohort }) {
  const workspaceId = useWorkspaceId()
  const history = useInfiniteQuery(historyQuery(workspaceId, id))
  const deployments = history.data?.pages.flatMap((page) => page.deployments)
  return (
    <>
      {deployments && deployments.length > 1 && (
        <Panel title="Versions over time" note="as they were deployed, newest at the right">
          <Strip deployments={deployments} />
        </Panel>
      )}
      <ListPanel
        query={history}
        rows={deployments}
        title="Deployments"
        note="newest first; the devices of those that have ended are as they were at the end"
        empty={
          <Empty title="Nothing was deployed here yet">
            A deployment brings a firmware version to every device of this cohort, in phases if you
            want, and can be rolled back.
          </Empty>
        }
      >
        {(rows) => (
          <ListedTable
            list="deployments"
            csv={{
              path: `/workspaces/${workspaceId}/deployment-cohorts/${id}/deployments/export`,
              body: {},
            }}
            label="Deployments"
            columns={COLUMNS}
            cardLines={3}
            rows={rows}
            keyOf={(deployment) => deployment.id}
            onOpen={(deployment, go) =>
              go({
                to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
                params: { workspaceId, deploymentCohortId: id, deploymentId: deployment.id },
              })
            }
            onEnd={() => loadNextPage(history)}
          />
        )}
      </ListPanel>
    </>
  )
}

/** One stretch a deployment, as long as it was the newest; the last one lasts until now, or until it was cancelled. */
function Strip({ deployments }: { deployments: readonly DeploymentListItem[] }) {
  const workspaceId = useWorkspaceId()
  const oldestFirst = deployments.toReversed()
  return (
    <>
      <ol className={css['strip']}>
        {oldestFirst.map((deployment, index) => (
          <li
            key={deployment.id}
            style={{ flexGrow: lengthOf(deployment, oldestFirst[index + 1]) }}
            className={css[findMain(deployment)?.firmware.firmwareVersion.mark.state ?? 'Unknown']}
          >
            <Link
              to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
              params={{
                workspaceId,
                deploymentCohortId: deployment.deploymentCohortId,
                deploymentId: deployment.id,
              }}
              title={tipOf(deployment)}
            >
              <code>{findMain(deployment)?.firmware.firmwareVersion.name}</code>
              {deployment.rollbackOfId !== null && ' ↩'}
              <small>
                <Time at={deployment.createdAt} as="date" />
              </small>
            </Link>
          </li>
        ))}
      </ol>
      <p className={css['note']}>
        ↩ is a rollback. The line over a version has the colour of its mark today.
      </p>
    </>
  )
}

function lengthOf(deployment: DeploymentListItem, next: DeploymentListItem | undefined): number {
  const timeOf = (instant: string) => new Date(instant).getTime()
  const until = next?.createdAt ?? deployment.endedAt
  return Math.max(1, (until === null ? Date.now() : timeOf(until)) - timeOf(deployment.createdAt))
}

function tipOf(deployment: DeploymentListItem): string {
  const version = findMain(deployment)?.firmware.firmwareVersion
  return `${deployment.name}, ${nameDeploymentState(deployment).toLowerCase()}: ${version?.firmware.name ?? ''} ${version?.name ?? ''}, ${version?.mark.sentence ?? ''}`
}
