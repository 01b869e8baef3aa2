/** Cohort, version, phases, review: a roll-out before it begins. What was chosen is in the address. */
import type { CohortTakers, DeploymentPreview as PreviewData } from '@plimsoll/api-client'
import { Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Mark } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import type { NewDeploymentSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { cohortsQuery, takersQuery, versionQuery } from '../../workspace-queries.ts'
import { CohortSelect, VersionSelect } from './choose.tsx'
import css from './deployments.module.css'
import { PhasesPanel } from './phases-panel.tsx'
import { findFault, findPhases, FIRST_PLAN, type PhasePlan, type Plan, writeBody } from './plan.ts'
import { previewQuery } from './queries.ts'
import { Review } from './review.tsx'

export function NewDeploymentPage() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/deployments/new' })
  const navigate = useNavigate({ from: '/w/$workspaceId/deployments/new' })
  const change = (next: NewDeploymentSearch) =>
    void navigate({ search: { ...search, ...next }, replace: true })
  const { cohort = '', version = '' } = search
  return (
    <>
      <TopBar
        title="New deployment"
        trail={[
          <Link key="list" to="/w/$workspaceId/deployments" params={{ workspaceId }}>
            Deployments
          </Link>,
        ]}
      />
      <Page>
        <div className={css['steps']}>
          <ChooseCohort cohort={cohort} version={version} onChange={change} />
          <ChooseVersion search={search} onChange={change} />
          {cohort !== '' && version !== '' && (
            <Prepare
              key={`${cohort} ${version}`}
              cohortId={cohort}
              versionId={version}
              phases={findPhases(search.phases)}
            />
          )}
        </div>
      </Page>
    </>
  )
}

interface ChooseProps {
  onChange: (next: NewDeploymentSearch) => void
}

function ChooseCohort(props: ChooseProps & { cohort: string; version: string }) {
  const { cohort, version, onChange } = props
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(cohortsQuery(workspaceId))
  const { data: takers } = useQuery({
    ...takersQuery(workspaceId, version),
    enabled: version !== '' && cohort === '',
  })
  const chosen = data?.deploymentCohorts.find(({ id }) => id === cohort)
  return (
    <Panel title="1 Cohort" note="which devices get it">
      <CohortSelect value={cohort} onChange={(id) => onChange({ cohort: id })} />
      {chosen && (
        <p className={css['note']}>
          {formatCountOf(chosen.deviceCount, 'device')}.{' '}
          {chosen.activeDeploymentId !== null &&
            'What is on its way to them ends when this deployment is created.'}
        </p>
      )}
      {cohort === '' && <Takers takers={takers?.cohorts ?? []} onChange={onChange} />}
    </Panel>
  )
}

/** Cohorts whose devices run another version of the firmware, those with most devices that can take it now first. */
function Takers({ takers, onChange }: ChooseProps & { takers: readonly CohortTakers[] }) {
  const known = takers.flatMap(({ deploymentCohort, ...counts }) =>
    deploymentCohort === null ? [] : [{ ...deploymentCohort, ...counts }],
  )
  if (known.length === 0) return null
  return (
    <div className={css['row']}>
      <span className={css['note']}>Run another version of it:</span>
      {known.slice(0, MOST_TAKERS).map(({ id, name, deviceCount, readyDeviceCount }) => (
        <Button key={id} size="small" onClick={() => onChange({ cohort: id })}>
          {name}: {formatCount(readyDeviceCount)} of {formatCountOf(deviceCount, 'device')} can take
          it now
        </Button>
      ))}
    </div>
  )
}

const MOST_TAKERS = 5

function ChooseVersion({ search, onChange }: ChooseProps & { search: NewDeploymentSearch }) {
  const workspaceId = useWorkspaceId()
  const { version: versionId = '' } = search
  const { data: version } = useQuery({
    ...versionQuery(workspaceId, versionId),
    enabled: versionId !== '',
  })
  const firmwareId = search.firmware ?? version?.firmware.id ?? ''
  return (
    <Panel title="2 Version" note="what they will run">
      <div className={css['row']}>
        <VersionSelect
          firmwareId={firmwareId}
          onFirmware={(id) => onChange({ firmware: id, version: undefined })}
          versionId={versionId}
          onVersion={(id) => onChange({ version: id })}
        />
        {version && <Mark mark={version.mark} />}
      </div>
    </Panel>
  )
}

interface PrepareProps {
  cohortId: string
  versionId: string
  /** To begin with. */
  phases: readonly PhasePlan[]
}

function Prepare({ cohortId, versionId, phases }: PrepareProps) {
  const workspaceId = useWorkspaceId()
  const preview = useQuery(previewQuery(workspaceId, cohortId, versionId))
  const { data: version } = useQuery(versionQuery(workspaceId, versionId))
  const error = findBlockingError(preview)
  if (error) return <Failure error={error} onRetry={() => void preview.refetch()} />
  if (!preview.data || !version) return <Loading />
  const name = `${version.firmware.name} ${version.name}`
  return <PlanForm preview={preview.data} {...{ name, cohortId, versionId, phases }} />
}

function PlanForm({
  preview,
  name,
  cohortId,
  versionId,
  phases,
}: PrepareProps & { preview: PreviewData; name: string }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const first: Plan = { ...FIRST_PLAN, name, phases }
  const form = useForm(first, {
    mutationFn: (plan) =>
      api.post('/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments', {
        params: { workspaceId, deploymentCohortId: cohortId },
        body: writeBody(plan, versionId),
      }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] })
      await navigate({
        to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
        params: { workspaceId, deploymentCohortId: cohortId, deploymentId: id },
      })
    },
  })
  const { save, values: plan, field } = form
  const fault = findFault(plan)
  const needsReason = preview.gate.blocked && plan.reason.trim() === ''
  const isBlocked = preview.obstacles.some(({ blocks }) => blocks)
  return (
    <Form onSubmit={form.submit} label="New deployment">
      <PhasesPanel {...form} />
      <Panel title="4 Review" note="what changes on these devices">
        <div className={css['steps']}>
          <Review preview={preview} />
          {preview.gate.blocked && (
            <TextInput
              label="Why it may go out nevertheless"
              description="Stored with the deployment, with your name."
              required
              {...field('reason')}
            />
          )}
          <Textarea
            label="Note"
            description="Why, and what to look at: everybody who opens the deployment reads it."
            autosize
            {...field('note')}
          />
          {fault !== undefined && <p role="alert">{fault}</p>}
          <FormFault error={save.error} />
          <FormActs>
            <Button
              type="submit"
              kind="primary"
              isBusy={save.isPending}
              disabled={fault !== undefined || needsReason || isBlocked}
            >
              Deploy to {formatCountOf(preview.deviceCount, 'device')}
            </Button>
          </FormActs>
        </div>
      </Panel>
    </Form>
  )
}
