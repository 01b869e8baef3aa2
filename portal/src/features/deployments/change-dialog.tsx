/** Changes what has not begun of a deployment. What somebody else changed meanwhile is told, and what was typed stays. */
import { ApiProblem, type Deployment, type WithEntityTag } from '@plimsoll/api-client'
import { Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { isChangedMeanwhile, IT_STAYED } from '../../components/put-back.ts'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import type { FormOf } from '../../components/use-form.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { addPhase, findBegun, PARTS, planChanges, readPlan } from './changed-plan.ts'
import css from './deployments.module.css'
import { EachDevice } from './each-device.tsx'
import { Overtaken } from './overtaken.tsx'
import { PhaseRow } from './phases-panel.tsx'
import { findFault, type LastingPlan } from './plan.ts'
import type { DeploymentName } from './queries.ts'
import { countPlanned, describePhase } from './words.ts'

const DEPLOYMENT =
  '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/deployments/{deploymentId}'

interface ChangeDialogProps {
  /** As it is now: phases begin while somebody types. */
  deployment: Deployment
  name: DeploymentName
  onClose: () => void
}

export function ChangeDialog(props: ChangeDialogProps) {
  const { deployment, name, onClose } = props
  const params = { workspaceId: useWorkspaceId(), ...name }
  useReturnedFocus()
  const read = useQuery({
    queryKey: ['deployment-to-change', params.workspaceId, name.deploymentId],
    queryFn: () => api.get(DEPLOYMENT, { params }),
    gcTime: 0,
  })
  return (
    <Dialog opened onClose={onClose} title={`Change ${deployment.name}`} size="lg">
      {!deployment.isActive && <Overtaken what="change" {...props} />}
      {deployment.isActive && read.error && <Failure error={read.error} />}
      {deployment.isActive && read.isPending && <Loading />}
      {deployment.isActive && read.data && <ChangeForm first={read.data} {...props} />}
    </Dialog>
  )
}

function ChangeForm({
  first,
  deployment,
  name,
  onClose,
}: ChangeDialogProps & { first: WithEntityTag<Deployment> }) {
  const params = { workspaceId: useWorkspaceId(), ...name }
  const queryClient = useQueryClient()
  const perform = usePerform('deployments')
  // A phase may have begun since it was read.
  const asBegun = (read: Deployment) => ({ ...read, phase: deployment.phase })
  const form = useChangeForm({
    latest: first,
    audited: { subject: `deployment:${params.deploymentId}` },
    readValues: readPlan,
    load: () => api.get(DEPLOYMENT, { params }),
    send: async (plan: LastingPlan, read) => {
      const { body, former, parts } = planChanges(plan, asBegun(read))
      const changed = await api.patch(DEPLOYMENT, { params, body, ifStill: read })
      const undo = () => putBack(params, former, changed)
      return { text: `${changed.name}: changed ${parts.join(', ')}`, undo }
    },
    // It is done, and the notice has the way back.
    onSuccess: ({ text, undo }) => {
      void perform({ text, send: () => Promise.resolve(undo) })
      onClose()
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: ['deployments', params.workspaceId] }),
  })
  const { meanwhile, still } = form
  const { save, submit, values, field } = form
  const fault = findFault(values)
  const isSame = fault === undefined && planChanges(values, asBegun(still)).parts.length === 0
  return (
    <Form onSubmit={() => fault === undefined && !isSame && submit()}>
      <TextInput label="Name" required data-autofocus {...field('name')} />
      <Textarea
        label="Note"
        description="Everybody who opens the deployment reads it."
        autosize
        maxLength={4000}
        {...field('note')}
      />
      {deployment.state === 'Scheduled' ? (
        <TextInput
          type="datetime-local"
          label="Begins (your time; empty: at once)"
          {...field('startsAt')}
        />
      ) : (
        <p className={css['note']}>It has begun: its version, its cohort and its start stay.</p>
      )}
      <Phases {...form} deployment={deployment} />
      <EachDevice {...form} />
      {fault !== undefined && <p role="alert">{fault}</p>}
      <ChangeFault error={save.error} meanwhile={meanwhile} names={PARTS} />
      <FormActs>
        <GoBack />
        <Button
          type="submit"
          kind="primary"
          isBusy={save.isPending}
          disabled={fault !== undefined || isSame}
        >
          {meanwhile ? 'Save mine over it' : 'Save changes'}
        </Button>
      </FormActs>
    </Form>
  )
}

type Params = DeploymentName & { workspaceId: string }

/** Answers with why it stayed: somebody has changed it since, a phase has begun, or it has ended. */
async function putBack(
  params: Params,
  body: ReturnType<typeof planChanges>['former'],
  changed: WithEntityTag<Deployment>,
) {
  try {
    await api.patch(DEPLOYMENT, { params, body, ifStill: changed })
    return undefined
  } catch (error) {
    if (isChangedMeanwhile(error)) return IT_STAYED
    if (error instanceof ApiProblem && error.problem.status === 409)
      return `It stayed: ${error.problem.detail}`
    throw error
  }
}

type PhasesProps = FormOf<LastingPlan> & { deployment: Deployment }

function Phases({
  values: { phases },
  change,
  findFault: findFieldFault,
  deployment,
}: PhasesProps) {
  const planned = countPlanned(deployment)
  const last = phases.length - 1
  const set = (next: typeof phases) => change({ phases: next })
  return (
    <div>
      {phases.map((phase, index) => {
        const begun = findBegun(deployment, index)
        const over = begun === 'all' && deployment.phases[index]
        if (over) return <PhaseOver key={index} index={index} phase={over} />
        const devices = Math.ceil((planned * phase.percent) / 100)
        return (
          <PhaseRow
            key={index}
            {...{ index, phase }}
            isPresent={begun === 'percent'}
            isLast={index === last}
            fault={findFieldFault(`phases/${index}`)}
            hint={`${formatCount(devices)} of ${formatCountOf(planned, 'device')} now`}
            onChange={(next) =>
              set(phases.map((one, at) => (at === index ? { ...one, ...next } : one)))
            }
          >
            {begun === undefined && index < last && (
              <Button
                size="small"
                kind="quiet"
                aria-label={`Leave out phase ${index + 1}`}
                onClick={() => set(phases.filter((_, at) => at !== index))}
              >
                Leave out
              </Button>
            )}
          </PhaseRow>
        )
      })}
      {findBegun(deployment, last) === undefined && (
        <Button size="small" onClick={() => set(addPhase(phases))}>
          Add a phase
        </Button>
      )}
    </div>
  )
}

function PhaseOver({ index, phase }: { index: number; phase: Deployment['phases'][number] }) {
  return (
    <p className={css['over']}>
      <strong>Phase {index + 1}</strong> is over and stays as it was: up to {phase.percent} % of
      devices, {describePhase(phase, false)}.
    </p>
  )
}
