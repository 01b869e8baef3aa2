/** What the states of an update are called. */
import type { DeviceUpdateStateCounts } from '@plimsoll/api-client'

export type UpdateState = keyof DeviceUpdateStateCounts

/** In the order of the bar: what is done first. */
export const UPDATE_STATES: readonly { state: UpdateState; name: string }[] = [
  { state: 'succeeded', name: 'Installed' },
  { state: 'inProgress', name: 'Installing' },
  { state: 'failed', name: 'Failed' },
  { state: 'cancelled', name: 'Cancelled' },
  { state: 'pending', name: 'Waiting' },
]

/** What the update of one device is doing: "installing, 40 %". */
export function updateText(state: string, progress: number | null): string {
  const word = isUpdateState(state) ? nameOfState(state).toLowerCase() : state
  return state === 'inProgress' && progress !== null ? `${word}, ${progress} %` : word
}

export interface Steps {
  state: UpdateState
  reason: string | null
  createdAt: string
  releasedAt: string | null
  startedAt: string | null
  installedAt: string | null
  finishedAt: string | null
}

/** When it last came further. */
export const findLastStep = (update: Steps): string =>
  update.finishedAt ??
  update.installedAt ??
  update.startedAt ??
  update.releasedAt ??
  update.createdAt

/** Why it is in its state, as far as that needs words. */
export const describeReason = ({ reason, releasedAt, state }: Steps): string =>
  reason ?? (state === 'pending' && releasedAt === null ? 'its phase has not begun' : '')

const isUpdateState = (text: string | undefined): text is UpdateState =>
  UPDATE_STATES.some(({ state }) => state === text)

export const nameOfState = (wanted: UpdateState): string =>
  UPDATE_STATES.find(({ state }) => state === wanted)?.name ?? wanted
