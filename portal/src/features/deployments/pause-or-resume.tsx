import type { Deployment } from '@plimsoll/api-client'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { usePerform } from '../../components/perform.ts'
import { useWorkspaceId } from '../../session.ts'
import { act, type StateChange } from './queries.ts'
import { describeProgress } from './words.ts'

interface PauseOrResumeProps {
  deployment: Deployment
  change: StateChange
}

/** Where it stopped by itself it asks first: failures up to then count no longer, which nothing takes back. */
export function PauseOrResume({ deployment, change }: PauseOrResumeProps) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('deployments')
  const { id, deploymentCohortId, name, state } = deployment
  if (state === 'Stopped')
    return (
      <ConfirmedButton
        title={`Resume ${name}?`}
        verb="Resume"
        act={{ ...change, mutate: (_, then) => change.mutate('resume', then) }}
        what={`${describeProgress(deployment)}. Further devices begin again, and failures up to now no longer count.`}
      >
        Resume…
      </ConfirmedButton>
    )
  const isPaused = state === 'Paused'
  const turn = (isOn: boolean) =>
    act(workspaceId, { deploymentCohortId, deploymentId: id }, isOn ? 'resume' : 'pause')
  const send = async () => {
    await turn(isPaused)
    return async () => {
      await turn(!isPaused)
      return undefined
    }
  }
  const text = `${name}: ${isPaused ? 'resumed' : 'paused'}`
  return (
    <Button isBusy={change.isPending} onClick={() => void perform({ text, send })}>
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  )
}
