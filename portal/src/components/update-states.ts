/** The states of updates, and of devices in a deployment. */
import {
  DEVICE_STATE_NAMES,
  type DeploymentDeviceState,
  type DeviceUpdateStateCounts,
  UPDATE_STATE_NAMES,
} from '@plimsoll/api-client'

export type UpdateState = keyof DeviceUpdateStateCounts

/** In the order of the bar: what is done first. */
export const UPDATE_STATES: readonly UpdateState[] = [
  'succeeded',
  'inProgress',
  'failed',
  'pending',
  'cancelled',
]

export type DeviceState = DeploymentDeviceState

/** The states of devices that a deployment still concerns, or that have what it brings. */
export const PRESENT_STATES: readonly DeviceState[] = [
  'reporting',
  'installing',
  'failed',
  'waiting',
]
/** The states of devices for which the deployment has ended. */
export const ENDED_STATES: readonly DeviceState[] = ['cancelled', 'movedOn', 'left']
export const DEVICE_STATES: readonly DeviceState[] = [...PRESENT_STATES, ...ENDED_STATES]

export const nameOfDeviceState = (state: DeviceState): string => DEVICE_STATE_NAMES[state]

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

export const isUpdateState = (text: string | undefined): text is UpdateState =>
  UPDATE_STATES.some((state) => state === text)

export const nameOfState = (state: UpdateState): string => UPDATE_STATE_NAMES[state]
