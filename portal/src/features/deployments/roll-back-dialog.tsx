/** What goes back, what comes back with it, and the cohort's name typed before it happens. */
import type { Deployment, DeploymentCohort, RollbackPreview } from '@plimsoll/api-client'
import { Modal, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import { NetList } from './net-list.tsx'
import { Overtaken } from './overtaken.tsx'
import { type DeploymentName, rollBack, rollbackPreviewQuery } from './queries.ts'

interface RollBackDialogProps {
  name: DeploymentName
  cohort: DeploymentCohort
  onClose: () => void
}

export function RollBackDialog({
  deployment,
  ...props
}: RollBackDialogProps & { deployment: Deployment }) {
  const { cohort, onClose } = props
  useReturnedFocus()
  return (
    <Modal opened onClose={onClose} title={`Roll back ${cohort.name}`} size={520}>
      {deployment.isActive ? (
        <Asked {...props} />
      ) : (
        <Overtaken deployment={deployment} what="roll back" {...props} />
      )}
    </Modal>
  )
}

function Asked(props: RollBackDialogProps) {
  const workspaceId = useWorkspaceId()
  const { data, error } = useQuery(rollbackPreviewQuery(workspaceId, props.name))
  if (error) return <Failure error={error} />
  return data ? <Preview preview={data} {...props} /> : <Loading />
}

function Preview({
  preview,
  name,
  cohort,
  onClose,
}: RollBackDialogProps & { preview: RollbackPreview }) {
  const { artifacts, introduced, removed, restored, wasTaken } = preview
  const moving = preview.deviceCount - preview.deviceCounts.staying
  return (
    <div className={css['steps']}>
      <p>
        {cohort.name} goes back to “{restored.name}”. It begins at once on all devices, without
        phases.
      </p>
      <div className={css['marks']}>
        {artifacts.map(({ firmware, firmwareVersion, replaces }) => (
          <span key={firmware.id}>
            {firmware.slug} <code>{replaces?.name ?? 'nothing'}</code> →{' '}
            <code>{firmwareVersion.name}</code>
          </span>
        ))}
      </div>
      <Devices preview={preview} />
      {!wasTaken && (
        <p className={css['note']}>No device of {cohort.name} is known to have run it before.</p>
      )}
      {introduced.count === 0 && <p>No finding comes back.</p>}
      <NetList
        net={introduced}
        title={`${formatCountOf(introduced.count, 'vulnerability', 'vulnerabilities')} come back`}
      />
      {removed.count > 0 && (
        <p className={css['note']}>
          {formatCountOf(removed.count, 'vulnerability', 'vulnerabilities')} of the newer version
          go.
        </p>
      )}
      <Confirm
        deviceCount={moving}
        restoredId={restored.id}
        name={name}
        cohort={cohort}
        onClose={onClose}
      />
    </div>
  )
}

/** Each device of the cohort once, by what it reports. */
function Devices({ preview: { artifacts, deviceCounts } }: { preview: RollbackPreview }) {
  const { reporting, installing, staying, other } = deviceCounts
  const from = artifacts.flatMap(({ replaces }) => replaces?.name ?? []).join(' and ')
  const to = artifacts.map(({ firmwareVersion }) => firmwareVersion.name).join(' and ')
  const left = from === '' ? 'what is deployed now' : from
  return (
    <ul className={css['consequences']}>
      <li>
        {formatCountOf(reporting, 'device runs', 'devices run')} {left} and{' '}
        {reporting === 1 ? 'goes' : 'go'} back to {to}.
      </li>
      {installing > 0 && (
        <li>
          {formatCountOf(installing, 'device is', 'devices are')} installing {left} and{' '}
          {installing === 1 ? 'is' : 'are'} told to stop.
        </li>
      )}
      {staying > 0 && (
        <li>
          {formatCountOf(staying, 'device runs', 'devices run')} {to} already and{' '}
          {staying === 1 ? 'stays' : 'stay'}.
        </li>
      )}
      {other > 0 && (
        <li>
          {formatCountOf(other, 'device', 'devices')} {other === 1 ? 'runs' : 'run'} something else,
          or did not say what, and {other === 1 ? 'gets' : 'get'} {to}.
        </li>
      )}
    </ul>
  )
}

function Confirm({
  deviceCount,
  restoredId,
  name,
  cohort,
  onClose,
}: RollBackDialogProps & { deviceCount: number; restoredId: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const asked = useMutation({
    mutationFn: () => rollBack(workspaceId, name, restoredId),
    onSuccess: async ({ id }) => {
      onClose()
      await navigate({
        to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
        params: { workspaceId, deploymentCohortId: name.deploymentCohortId, deploymentId: id },
      })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
  })
  return (
    <Form onSubmit={() => asked.mutate()}>
      <TextInput
        label={`Type the cohort’s name, ${cohort.name}, to go on`}
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <FormFault error={asked.error} />
      <FormActs>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          kind="danger"
          isBusy={asked.isPending}
          disabled={typed.trim() !== cohort.name}
        >
          Roll back {formatCount(deviceCount)} {deviceCount === 1 ? 'device' : 'devices'}
        </Button>
      </FormActs>
    </Form>
  )
}
