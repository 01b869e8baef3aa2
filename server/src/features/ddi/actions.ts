/** Actions of hawkBit are our device updates: what a device sees of one, and when. */
import type { Handling, OpenAction, Terms } from './answers.ts'
import { revisionOf } from './answers.ts'

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
  isOffered: boolean
  forced: boolean
  confirmationRequired: boolean
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
  if (!action.confirmationRequired || consent.autoConfirm) return false
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
  const revision = revisionOf(termsOf(offered))
  const kind = waitsForConfirmation(offered, consent) ? 'confirm' : 'deploy'
  return { kind, number, revision }
}

export function termsOf(action: Action): Terms {
  const handling: Handling = action.forced ? 'forced' : 'attempt'
  return { download: handling, update: handling, maintenanceWindow: undefined }
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

const MODULES_PER_ACTION = 1_000

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
