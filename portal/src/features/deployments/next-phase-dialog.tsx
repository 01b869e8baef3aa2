/** What beginning the next phase by hand does, on how many devices, before it happens. */
import type { Deployment } from '@plimsoll/api-client'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import css from './deployments.module.css'
import { listPhaseTimes } from './phase-times.ts'
import type { StateChange } from './queries.ts'
import { countPlanned } from './words.ts'

interface NextPhaseDialogProps {
  deployment: Deployment
  cohortName: string
  change: StateChange
  onClose: () => void
}

/** The phase that follows the present one; undefined: none follows, or none has begun. */
export function findNextPhase({ isActive, phase, phases }: Deployment) {
  return isActive && phase !== null ? phases[phase + 1] : undefined
}

/** Shows the deployment as it was when the dialog opened: what somebody reads does not change under the hand. */
export function NextPhaseDialog({ cohortName, change, onClose, ...props }: NextPhaseDialogProps) {
  const [deployment] = useState(props.deployment)
  const nextPhase = (deployment.phase ?? 0) + 1
  const act = {
    ...change,
    mutate: (_input: void, then: { onSuccess?: () => void }) => change.mutate({ nextPhase }, then),
  }
  const phase = `phase ${nextPhase + 1}`
  return (
    <ConfirmDialog
      title={`Begin ${phase} in ${cohortName} now?`}
      verb={`Begin ${phase}`}
      act={act}
      onClose={onClose}
      what={<Consequences deployment={deployment} />}
    />
  )
}

/** The comparison that holds the present phase; undefined: none does. */
function findHold({ comparisons, phase }: Deployment) {
  const present = comparisons[phase ?? 0]
  const isOver = present?.state === 'NotAsked' || present?.state === 'Passed'
  return present === undefined || isOver || present.accepted ? undefined : present
}

function Consequences({ deployment }: { deployment: Deployment }) {
  const { failed } = deployment.deviceUpdateStateCounts
  const { reporting } = deployment.deviceCounts
  const held = findHold(deployment)
  const percent = findNextPhase(deployment)?.percent ?? 100
  const devices = Math.ceil((countPlanned(deployment) * percent) / 100)
  const now = Date.now()
  const { notBefore } = listPhaseTimes(deployment, now)[(deployment.phase ?? 0) + 1] ?? {}
  return (
    <ul className={css['consequences']}>
      <li>
        {formatCountOf(devices, 'device', 'devices')} ({percent} %) may have it then;{' '}
        {formatCountOf(reporting, 'device reports', 'devices report')} it now.
      </li>
      {notBefore !== undefined && notBefore > now && (
        <li>By itself it would not begin before {formatDateTime(new Date(notBefore))}.</li>
      )}
      {held && (
        <li>
          Updated devices were compared with those that wait
          {held.reason === null ? ', without an answer yet' : `: ${held.reason}`}. It goes on
          nevertheless, and your name stands beside that.
        </li>
      )}
      {failed > 0 && (
        <li>{formatCountOf(failed, 'failure', 'failures')} up to now will no longer stop it.</li>
      )}
    </ul>
  )
}
