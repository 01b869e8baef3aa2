/** Actions of hawkBit are our device updates: what a device sees of one, and when. */
import { type DeploymentOptions, isInWindow } from '../deployments/index.ts'
import { type Handling, type OpenAction, revisionOf, type Terms } from './answers.ts'

export interface Action {
  updateId: string
  deploymentId: string
  /** hawkBit's id of the action. */
  number: number
  state: 'pending' | 'inProgress' | 'succeeded' | 'failed' | 'cancelled'
  reason: string | null
  releasedAt: Date | null
  installedAt: Date | null
  finishedAt: Date | null
  cancelAnnounced: boolean
  /** The roll-out goes on, or this device has begun. */
  isOffered: boolean
  options: DeploymentOptions
}

/** What a device answered when it was asked for confirmation. */
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
  // What is under way was confirmed, be it by hand or by auto-confirmation that has ended since.
  return action.state === 'pending' && !isAnswered
}

const CANCEL_BEFORE_NEXT_MS = 3_600_000

/** A cancellation comes before what follows it, though not for ever: there are clients that do not know it. */
export function openAction(
  actions: readonly Action[],
  consent: Consent,
  now: Date,
): OpenAction | undefined {
  const offered = actions.find((action) => isOpen(action) && action.isOffered)
  const cancelled = actions.find((action) => action.state === 'cancelled' && action.cancelAnnounced)
  const isIgnored =
    cancelled?.finishedAt && now.getTime() - cancelled.finishedAt.getTime() >= CANCEL_BEFORE_NEXT_MS
  if (cancelled && !(offered && isIgnored)) return { kind: 'cancel', number: cancelled.number }
  // Installed and yet to be confirmed by what the device reports: nothing is left to do.
  if (!offered || offered.installedAt) return undefined
  const { number } = offered
  const terms = termsOf(offered, now)
  const revision = revisionOf(terms)
  if (waitsForConfirmation(offered, consent)) return { kind: 'confirm', number, revision }
  return mayBegin(offered, now) ? { kind: 'deploy', number, revision } : undefined
}

/**
 * Outside of its maintenance window an update is not shown at all, rather than with `update: skip`: SWUpdate closes what
 * it is to skip as if it had been installed.
 */
export function mayBegin({ state, options }: Action, now: Date): boolean {
  return state === 'inProgress' || isInWindow(options.maintenanceWindow, now)
}

export function termsOf({ options }: Action, now: Date): Terms {
  const { forced, maintenanceWindow } = options
  const handling: Handling = forced ? 'forced' : 'attempt'
  const window = isInWindow(maintenanceWindow, now) ? 'available' : 'unavailable'
  return {
    download: handling,
    update: handling,
    maintenanceWindow: maintenanceWindow ? window : undefined,
  }
}

/** hawkBit's names. */
export function statusOf(action: Action, consent: Consent): string {
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
      return action.cancelAnnounced ? 'CANCELING' : 'CANCELED'
  }
}

/** More than a deployment has artifacts. */
const MODULES_PER_ACTION = 100

/** A software module is an artifact of an action: so a device reaches the files of its own updates only. */
export function moduleIdOf(number: number, position: number): number {
  return number * MODULES_PER_ACTION + position
}

export function parseModuleId(text: string): { number: number; position: number } | undefined {
  const id = parseNumber(text)
  if (id === undefined) return undefined
  return { number: Math.floor(id / MODULES_PER_ACTION), position: id % MODULES_PER_ACTION }
}

const MOST = 2 ** 31 - 1

/** Ids of actions and modules are positive and fit 31 bits: clients keep them so. */
export function parseNumber(text: string): number | undefined {
  const number = /^\d{1,11}$/.test(text) ? Number(text) : 0
  return number > 0 && number <= MOST ? number : undefined
}
