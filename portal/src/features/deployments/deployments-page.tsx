/** Which cohorts there are, what is on its way to them, and how far it is. */
import { type Deployment, type DeploymentCohort, nameDeploymentState } from '@plimsoll/api-client'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Chip, ChipRow } from '../../components/chip.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { DropFilters } from '../../components/drop-filters.tsx'
import { useListed } from '../../components/listed.tsx'
import { MarkSign } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { DEVICE_STATES } from '../../components/update-states.ts'
import { formatCountOf } from '../../format/counts.ts'
import { DEPLOYMENTS, type DeploymentsShown } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { NewCohort } from './cohort-form.tsx'
import css from './deployments.module.css'
import { deploymentQuery } from './queries.ts'
import { StateBar } from './state-bar.tsx'
import { DEPLOYMENT_TONES, findMain, describeProgress } from './words.ts'

const GROUPS = [
  { show: undefined, text: 'All' },
  { show: 'waiting', text: 'Stopped or paused' },
  { show: 'underWay', text: 'Under way' },
  { show: 'idle', text: 'Nothing on its way' },
] as const

export function DeploymentsPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(cohortsQuery(workspaceId))
  const { show } = useSearch({ from: '/w/$workspaceId/deployments' })
  const navigate = useNavigate({ from: '/w/$workspaceId/deployments' })
  const cohorts = useGroups(query.data?.deploymentCohorts)
  const isAllKnown = cohorts?.every(({ group }) => group !== undefined) === true
  // One that could not be read may belong to any group.
  const listOf = (wanted: DeploymentsShown | undefined) =>
    cohorts?.filter(({ group = wanted }) => wanted === undefined || group === wanted)
  return (
    <>
      <TopBar title="Deployments" />
      <Page>
        {cohorts && cohorts.length > 0 && (
          <ChipRow label="Which cohorts">
            {GROUPS.map((group) => (
              <Chip
                key={group.text}
                isOn={show === group.show}
                count={isAllKnown ? listOf(group.show)?.length : undefined}
                onChange={() => void navigate({ search: { show: group.show }, replace: true })}
              >
                {group.text}
              </Chip>
            ))}
          </ChipRow>
        )}
        <ListPanel
          query={query}
          rows={listOf(show)}
          title="Cohorts"
          note="devices that are updated together, with what is on its way to them"
          aside={<Acts hasCohorts={(cohorts?.length ?? 0) > 0} />}
          empty={
            show === undefined ? (
              <Empty title="No cohort yet">
                A cohort is a group of devices that get the same firmware: a region, a customer, a
                test bench. Create one, then deploy a version to it.
              </Empty>
            ) : (
              <Empty
                title="No such cohort"
                action={
                  <DropFilters
                    filters={DEPLOYMENTS.listFilters({ show })}
                    onChange={() => void navigate({ search: {}, replace: true })}
                  />
                }
              >
                No deployment of this workspace is in this group.
              </Empty>
            )
          }
        >
          {(rows) => <Cohorts rows={rows} />}
        </ListPanel>
      </Page>
    </>
  )
}

interface GroupedCohort extends DeploymentCohort {
  active: Deployment | undefined
  /** undefined: not read yet, or it could not be read. */
  group: DeploymentsShown | undefined
}

/** Each cohort with what is on its way to it. */
function useGroups(cohorts: readonly DeploymentCohort[] | undefined): GroupedCohort[] | undefined {
  const workspaceId = useWorkspaceId()
  const active = (cohorts ?? []).flatMap(({ id, activeDeploymentId }) =>
    activeDeploymentId === null
      ? []
      : [{ deploymentCohortId: id, deploymentId: activeDeploymentId }],
  )
  const answers = useQueries({ queries: active.map((name) => deploymentQuery(workspaceId, name)) })
  const found = new Map(answers.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])))
  return cohorts?.map((cohort) => {
    if (cohort.activeDeploymentId === null) return { ...cohort, active: undefined, group: 'idle' }
    const deployment = found.get(cohort.activeDeploymentId)
    return { ...cohort, active: deployment, group: deployment && groupOf(deployment) }
  })
}

const groupOf = ({ state }: Deployment): DeploymentsShown =>
  state === 'Stopped' || state === 'Paused' ? 'waiting' : 'underWay'

const FILE: ListFile<GroupedCohort> = {
  name: 'cohorts',
  columns: [
    'id',
    'name',
    'description',
    'deviceCount',
    ['deployment', ({ active }) => active?.name ?? null],
    ['deploymentId', ({ activeDeploymentId }) => activeDeploymentId],
    ['state', ({ active }) => active?.state ?? null],
    ['stateReason', ({ active }) => active?.stateReason ?? null],
    ...DEVICE_STATES.map(
      (state) =>
        [state, ({ active }: GroupedCohort) => active?.deviceCounts[state] ?? null] as const,
    ),
  ],
}

function Cohorts({ rows }: { rows: readonly GroupedCohort[] }) {
  const { menu, isCompact } = useListed(
    { list: 'cohorts', viewedList: 'deployments', csv: FILE },
    [],
    rows,
  )
  return (
    <>
      {menu}
      <ul className={`${css['cohorts']} ${isCompact ? css['compact'] : ''}`}>
        {rows.map((cohort) => (
          <CohortRow key={cohort.id} cohort={cohort} />
        ))}
      </ul>
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
