/** Whether a complete archive may replace what is known, or was probably cut off. */
import { formatCountOf } from '../../../formats/counts.ts'

const MANY = 100
const PLAUSIBLE_SHARE = 0.8

/**
 * No archive loses half of its records from one day to the next, and a large one does not lose a fifth: such an archive
 * was cut off or holds something else.
 */
export function isShrunk({ incoming, known }: { incoming: number; known: number }): boolean {
  return incoming <= known / 2
    ? known - incoming > 1
    : known >= MANY && incoming < known * PLAUSIBLE_SHARE
}

const FEW = 20
const FEW_SHARE = 0.01

/** Records leave archives one by one. More than 1 % of them, and more than 20, is a mistake of the publisher. */
export function isPlausibleLoss({ missing, known }: { missing: number; known: number }): boolean {
  return missing <= Math.max(FEW, known * FEW_SHARE)
}

export function shrinkFault({ incoming, known }: { incoming: number; known: number }): string {
  return `The archive holds ${formatCountOf(incoming, 'record')}, but ${known.toLocaleString('en')} are known; nothing was imported.`
}

export function describeWithdrawalFault({
  missing,
  known,
}: Record<'missing' | 'known', number>): string {
  return `${missing.toLocaleString('en')} of ${known.toLocaleString('en')} known records would be withdrawn; they stay in force.`
}

/** A catalogue of known exploited vulnerabilities beside the stored one. */
export interface KevSnapshot {
  /** When it was released. Undefined for single entries: they are not a catalogue and replace nothing. */
  feedAt: Date | undefined
  incoming: number
  stored: number
  /** When the stored one was released. */
  snapshotAt: Date | undefined
}

export function isOutdated({
  feedAt,
  snapshotAt,
}: Pick<KevSnapshot, 'feedAt' | 'snapshotAt'>): boolean {
  return feedAt !== undefined && snapshotAt !== undefined && feedAt < snapshotAt
}

export function isImplausiblySmall({ feedAt, incoming, stored }: KevSnapshot): boolean {
  return feedAt !== undefined && isShrunk({ incoming, known: stored })
}
