import { nameOfState, type UpdateState } from './update-states.ts'
import { Dot, type Tone } from './tag.tsx'

const TONES: Record<UpdateState, Tone> = {
  succeeded: 'ok',
  inProgress: 'accent',
  failed: 'danger',
  cancelled: 'muted',
  pending: 'muted',
}

interface UpdateStateProps {
  state: UpdateState
  progress: number | null
  unconfirmed: boolean
}

/** The state of one device's update: a dot and its word. */
export function UpdateStateDot({ state, progress, unconfirmed }: UpdateStateProps) {
  return (
    <Dot tone={TONES[state]} isHollow={state === 'pending'}>
      {nameOfState(state)}
      {state === 'inProgress' && progress !== null && `, ${progress} %`}
      {unconfirmed && ', not confirmed'}
    </Dot>
  )
}
