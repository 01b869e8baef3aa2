/** What cancelling does, on how many devices, before it happens. */
import type { Deployment } from '@plimsoll/api-client'
import { Modal } from '@mantine/core'
import { ConfirmDialog } from '../../components/confirm.tsx'
import { formatCountOf } from '../../format/counts.ts'
import css from './deployments.module.css'
import { Overtaken } from './overtaken.tsx'
import type { DeploymentName, StateChange } from './queries.ts'

interface CancelDialogProps {
  deployment: Deployment
  cohortName: string
  name: DeploymentName
  change: StateChange
  onClose: () => void
}

export function CancelDialog({ deployment, cohortName, name, change, onClose }: CancelDialogProps) {
  const title = `Cancel this deployment to ${cohortName}?`
  if (!deployment.isActive && !change.isPending)
    return (
      <Modal opened onClose={onClose} title={title}>
        <Overtaken deployment={deployment} name={name} what="cancel" onClose={onClose} />
      </Modal>
    )
  const act = {
    ...change,
    mutate: (_input: void, then: { onSuccess?: () => void }) => change.mutate('cancel', then),
  }
  return (
    <ConfirmDialog
      title={title}
      verb="Cancel deployment"
      act={act}
      onClose={onClose}
      what={<Consequences deployment={deployment} />}
    />
  )
}

function Consequences({ deployment }: { deployment: Deployment }) {
  const { waiting, installing, failed, reporting } = deployment.deviceCounts
  return (
    <ul className={css['consequences']}>
      <li>{formatCountOf(waiting, 'device has', 'devices have')} not begun and will not get it.</li>
      {installing > 0 && (
        <li>
          {formatCountOf(installing, 'device installs', 'devices install')} it now:{' '}
          {installing === 1 ? 'it is' : 'they are'} asked to stop.
        </li>
      )}
      {failed > 0 && (
        <li>{formatCountOf(failed, 'device', 'devices')} failed and will not try again.</li>
      )}
      {reporting > 0 && (
        <li>{formatCountOf(reporting, 'device has', 'devices have')} it and will keep it.</li>
      )}
      <li>It cannot be resumed. To send devices back, roll back instead.</li>
    </ul>
  )
}
