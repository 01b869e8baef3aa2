/** What the states of deployments and of their devices are called, in the portal and on the command line. */
import type { Deployment, DeploymentDeviceState, DeviceUpdateState } from './schema.ts'

const NAMES: Readonly<Record<string, string>> = {
  Scheduled: 'Scheduled',
  Running: 'Running',
  Paused: 'Paused',
  Stopped: 'Stopped itself',
  Superseded: 'Replaced',
  Cancelled: 'Cancelled',
} satisfies Record<Deployment['state'], string>

interface StateOfDeployment {
  /** A text, as some lists have it. */
  state: string
  /** null, or unknown to the caller: no reason. */
  stateReason?: string | null
}

export function nameDeploymentState({ state, stateReason }: StateOfDeployment): string {
  if (state === 'Superseded' && stateReason === 'rolled back') return 'Rolled back'
  return NAMES[state] ?? state
}

/** In the order of a bar: those under way, then those that have ended. */
export const DEVICE_STATE_NAMES: Record<DeploymentDeviceState, string> = {
  reporting: 'Installed',
  installing: 'Installing',
  failed: 'Failed',
  waiting: 'Waiting',
  cancelled: 'Not installed',
  movedOn: 'Moved on',
  left: 'Left the cohort',
}

/** What became of one update, whatever its device reports now. */
export const UPDATE_STATE_NAMES: Record<DeviceUpdateState, string> = {
  succeeded: 'Installed',
  inProgress: 'Installing',
  failed: 'Failed',
  cancelled: 'Cancelled',
  pending: 'Waiting',
}
