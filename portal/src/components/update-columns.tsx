/** The columns of lists of updates: how far each is, and why. */
import type { Column } from './data-table.tsx'
import { Dot, type Tone } from './tag.tsx'
import { Time } from './time.tsx'
import {
  findLastStep,
  isUpdateState,
  updateText,
  nameOfState,
  describeReason,
  type Steps,
  type UpdateState,
} from './update-states.ts'

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

function UpdateStateDot({ state, progress, unconfirmed }: UpdateStateProps) {
  return (
    <Dot tone={TONES[state]} isHollow={state === 'pending'}>
      {nameOfState(state)}
      {state === 'inProgress' && progress !== null && `, ${progress} %`}
      {unconfirmed && ', not confirmed'}
    </Dot>
  )
}

/** The update of a device that is under way or was the last one: a colour, and what it is doing in words. */
export function CurrentUpdate({
  of: { state, progress },
}: {
  of: { state: string; progress: number | null }
}) {
  return (
    <Dot tone={isUpdateState(state) ? TONES[state] : 'muted'} isHollow={state === 'pending'}>
      {updateText(state, progress)}
    </Dot>
  )
}

interface UpdateShown extends UpdateStateProps, Steps {
  attempt: number
}

export const UPDATE_COLUMNS: readonly Column<UpdateShown>[] = [
  {
    id: 'state',
    title: 'State',
    width: '150px',
    cell: (update) => <UpdateStateDot {...update} />,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(0, 2fr)',
    cell: describeReason,
  },
  {
    id: 'attempt',
    title: 'Attempt',
    width: '70px',
    isNumber: true,
    cell: ({ attempt }) => attempt,
    isWideOnly: true,
  },
  {
    id: 'at',
    title: 'Last step',
    width: '110px',
    isNumber: true,
    cell: (update) => <Time at={findLastStep(update)} />,
  },
]
