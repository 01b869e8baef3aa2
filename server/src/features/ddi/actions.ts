/** hawkBit's actions are our device updates. Decides what a device sees of its action, and when. */
import { HOUR_MS } from '../../formats/instants.ts'
import { type DeploymentOptions, isInWindow } from '../deployments/index.ts'
import { type UpdateHandling, type OpenAction, computeRevision, type Terms } from './answers.ts'

export interface Action {
  updateId: string
  deploymentId: string
  /** hawkBit's id of the action. */
  number: number
  attempt: number
  isRollback: boolean
  /** The user agent of the device's client at its last report. Downloads do not count, as RAUC makes them itself. */
  client: string | null
  state: 'pending' | 'inProgress' | 'succeeded' | 'failed' | 'cancelled'
  reason: string | null
  releasedAt: Date | null
  installedAt: Date | null
  finishedAt: Date | null
  cancelOffered: boolean
  /** Released, and the roll-out is running or this device has begun. */
  isOffered: boolean
  options: DeploymentOptions
}

/** The device's answer to a request for confirmation. */
export interface Consent {
  autoConfirm: boolean
  answeredNumber: number | null
  answer: 'confirmed' | 'denied' | null
}

export function isOpen(action: Action): boolean {
  return action.state === 'pending' || action.state === 'inProgress'
}

export function waitsForConfirmation(action: Action, consent: Consent): boolean {
  if (!action.options.confirmationRequired || consent.autoConfirm) return false
  const isAnswered = consent.answeredNumber === action.number && consent.answer === 'confirmed'
  // An update in progress was confirmed, by hand or by auto-confirmation that has ended since.
  return action.state === 'pending' && !isAnswered
}

const CANCEL_BEFORE_NEXT_MS = HOUR_MS

/** A cancellation comes before the next update, but only for an hour: some clients do not support cancellation. */
export function selectOpenAction(
  actions: readonly Action[],
  consent: Consent,
  now: Date,
): OpenAction | undefined {
  const offered = actions.find((action) => isOpen(action) && action.isOffered)
  const cancelled = actions.find((action) => action.state === 'cancelled' && action.cancelOffered)
  const isIgnored =
    cancelled?.finishedAt && now.getTime() - cancelled.finishedAt.getTime() >= CANCEL_BEFORE_NEXT_MS
  if (cancelled && !(offered && isIgnored)) return { kind: 'cancel', number: cancelled.number }
  // Installed: the device has nothing left to do but report its versions.
  if (!offered || offered.installedAt) return undefined
  const { number } = offered
  const terms = chooseTerms(offered, now)
  const revision = computeRevision(terms)
  if (waitsForConfirmation(offered, consent)) return { kind: 'confirm', number, revision }
  return mayBegin(offered, now) ? { kind: 'deploy', number, revision } : undefined
}

/**
 * Whether the device sees the update. Outside the maintenance window it is hidden instead of sent with `update: skip`,
 * because SWUpdate closes a skipped update as if it were installed.
 */
export function mayBegin({ state, options }: Action, now: Date): boolean {
  return state === 'inProgress' || isInWindow(options.maintenanceWindow, now)
}

export function chooseTerms({ options }: Action, now: Date): Terms {
  const { forced, maintenanceWindow } = options
  const handling: UpdateHandling = forced ? 'forced' : 'attempt'
  const window = isInWindow(maintenanceWindow, now) ? 'available' : 'unavailable'
  return {
    download: handling,
    update: handling,
    maintenanceWindow: maintenanceWindow ? window : undefined,
  }
}

/** hawkBit's name of the state. */
export function nameStatus(action: Action, consent: Consent): string {
  switch (action.state) {
    case 'pending':
      return waitsForConfirmation(action, consent) ? 'WAIT_FOR_CONFIRMATION' : 'RUNNING'
    case 'inProgress':
      return 'RUNNING'
    case 'succeeded':
      return 'FINISHED'
    case 'failed':
      return 'ERROR'
    case 'cancelled':
      return action.cancelOffered ? 'CANCELING' : 'CANCELED'
  }
}

/** More than the maximum number of artifacts in a deployment. */
const MODULES_PER_ACTION = 100

/** A software module is one artifact of one action, so that a device reaches only files of its own updates. */
export function computeModuleId(number: number, position: number): number {
  return number * MODULES_PER_ACTION + position
}

export function parseModuleId(text: string): { number: number; position: number } | undefined {
  const id = parseNumber(text)
  if (id === undefined) return undefined
  return { number: Math.floor(id / MODULES_PER_ACTION), position: id % MODULES_PER_ACTION }
}

const MAX_NUMBER = 2 ** 31 - 1

/** Reads an id of an action or module: a positive number of at most 31 bits, as clients store it. */
export function parseNumber(text: string): number | undefined {
  const number = /^\d{1,11}$/.test(text) ? Number(text) : 0
  return number > 0 && number <= MAX_NUMBER ? number : undefined
}
