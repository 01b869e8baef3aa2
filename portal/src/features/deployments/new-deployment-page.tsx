/** Cohort, version, phases, review: a roll-out before it begins. What was chosen is in the address. */
import type { DeploymentPreview as PreviewData } from '@plimsoll/api-client'
import { Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Mark } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import type { NewDeploymentSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { cohortsQuery, versionQuery } from '../../workspace-queries.ts'
import { CohortSelect, VersionSelect } from './choose.tsx'
import css from './deployments.module.css'
import { PhasesPanel } from './phases-panel.tsx'
import { writeBody, findFault, FIRST_PLAN, type Plan } from './plan.ts'
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
          <ChooseCohort cohort={cohort} onChange={change} />
          <ChooseVersion search={search} onChange={change} />
          {cohort !== '' && version !== '' && (
            <Prepare key={`${cohort} ${version}`} cohortId={cohort} versionId={version} />
          )}
        </div>
      </Page>
    </>
  )
}

interface ChooseProps {
  onChange: (next: NewDeploymentSearch) => void
}

function ChooseCohort({ cohort, onChange }: ChooseProps & { cohort: string }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(cohortsQuery(workspaceId))
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
    </Panel>
  )
}

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
}

function Prepare({ cohortId, versionId }: PrepareProps) {
  const workspaceId = useWorkspaceId()
  const preview = useQuery(previewQuery(workspaceId, cohortId, versionId))
  const { data: version } = useQuery(versionQuery(workspaceId, versionId))
  if (preview.error) return <Failure error={preview.error} onRetry={() => void preview.refetch()} />
  if (!preview.data || !version) return <Loading />
  const name = `${version.firmware.name} ${version.name}`
  return <PlanForm preview={preview.data} name={name} cohortId={cohortId} versionId={versionId} />
}

function PlanForm({
  preview,
  name,
  cohortId,
  versionId,
}: PrepareProps & { preview: PreviewData; name: string }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [plan, setPlan] = useState<Plan>({ ...FIRST_PLAN, name })
  const change = (next: Partial<Plan>) => setPlan((old) => ({ ...old, ...next }))
  const create = useMutation({
    mutationFn: () =>
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
  const fault = findFault(plan)
  const needsReason = preview.gate.blocked && plan.reason.trim() === ''
  const isBlocked = preview.obstacles.some(({ blocks }) => blocks)
  return (
    <Form onSubmit={() => create.mutate()} label="New deployment">
      <PhasesPanel plan={plan} onChange={change} />
      <Panel title="4 Review" note="what changes on these devices">
        <div className={css['steps']}>
          <Review preview={preview} />
          {preview.gate.blocked && (
            <TextInput
              label="Why it may go out nevertheless"
              description="Stored with the deployment, with your name."
              required
              value={plan.reason}
              onChange={(event) => change({ reason: event.currentTarget.value })}
            />
          )}
          <Textarea
            label="Note"
            description="Why, and what to look at: everybody who opens the deployment reads it."
            autosize
            value={plan.note}
            onChange={(event) => change({ note: event.currentTarget.value })}
          />
          {fault !== undefined && <p role="alert">{fault}</p>}
          <FormFault error={create.error} />
          <FormActs>
            <Button
              type="submit"
              kind="primary"
              isBusy={create.isPending}
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
