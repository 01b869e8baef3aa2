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
import { act, type DeploymentName, rollbackPreviewQuery } from './queries.ts'

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
  const { deviceCount, artifacts, introduced, removed, restored } = preview
  return (
    <div className={css['steps']}>
      <p>
        {formatCountOf(deviceCount, 'device')} of {cohort.name} {deviceCount === 1 ? 'goes' : 'go'}{' '}
        back to “{restored.name}”. It begins at once on all of them, without phases.
      </p>
      <div className={css['marks']}>
        {artifacts.map(({ firmware, firmwareVersion, replaces }) => (
          <span key={firmware.id}>
            {firmware.slug} <code>{replaces?.name ?? 'nothing'}</code> →{' '}
            <code>{firmwareVersion.name}</code>
          </span>
        ))}
      </div>
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
      <Confirm deviceCount={deviceCount} name={name} cohort={cohort} onClose={onClose} />
    </div>
  )
}

function Confirm({
  deviceCount,
  name,
  cohort,
  onClose,
}: RollBackDialogProps & { deviceCount: number }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const rollBack = useMutation({
    mutationFn: () => act(workspaceId, name, 'rollback'),
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
    <Form onSubmit={() => rollBack.mutate()}>
      <TextInput
        label={`Type the cohort’s name, ${cohort.name}, to go on`}
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <FormFault error={rollBack.error} />
      <FormActs>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          kind="danger"
          isBusy={rollBack.isPending}
          disabled={typed.trim() !== cohort.name}
        >
          Roll back {formatCount(deviceCount)} {deviceCount === 1 ? 'device' : 'devices'}
        </Button>
      </FormActs>
    </Form>
  )
}
