/**
 * When a phase is compared. Each look is a further chance of a false alarm: before the phase is over there are few, each of which takes
 * a twentieth of what the confidence leaves, and the last one takes the rest.
 */
import { LEAST_DEVICES } from '../../formats/comparison/compare-changes.ts'

export interface LookState {
  /**
   * Updated devices whose window is over; those that began the update so long ago and do not run it; updated ones whose window is not over;
   * those that may still take the update.
   */
  ready: number
  begun: number
  underWay: number
  open: number
  looks: number
  lookedCount: number
  isPhaseOver: boolean
}

export type Look = 'None' | 'Early' | 'Last'

const MOST_LOOKS = 5
const EARLY_SHARE = 1 / 20
/** The last look waits until the windows of so many of the updated devices are over. */
const READY_SHARE = 0.8

export function decideLook(state: LookState): Look {
  const { ready, begun, underWay, open, looks, lookedCount, isPhaseOver } = state
  if (isPhaseOver && ready >= READY_SHARE * (ready + underWay) && !mayBecomeEnough(state, open))
    return 'Last'
  // Of devices that do not come back from the update it can be told that they are silent.
  const told = ready + begun
  const isLarger = told >= LEAST_DEVICES && told >= 2 * lookedCount
  return isLarger && looks < MOST_LOOKS ? 'Early' : 'None'
}

/** Devices that have yet to take the update hold the phase as long as there may be enough with them. */
function mayBecomeEnough({ ready, underWay }: LookState, open: number): boolean {
  return ready < LEAST_DEVICES && ready + underWay + open >= LEAST_DEVICES
}

export function chooseConfidence(look: Look, confidencePercent: number, looks: number): number {
  const left = 100 - confidencePercent
  return 100 - left * (look === 'Early' ? EARLY_SHARE : 1 - EARLY_SHARE * looks)
}
