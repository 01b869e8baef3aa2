/** A piece of a source that is fetched, checked and merged by itself; and when a complete archive of one is believed. */

/** How far a part was read, in the server's terms and in the source's own. */
export interface PartMarks {
  etag?: string | undefined
  lastModified?: string | undefined
  position?: string | undefined
}

export interface ImportedPart {
  name: string
  /** All records of the part, so that what is missing has left it; else only what changed. */
  isSnapshot: boolean
  /** The part is all of its source. */
  isWhole?: boolean
  marks: PartMarks
  /** An operator has looked: it may be as small as it is. */
  isSmallerAccepted?: boolean
}

const MANY = 100
const PLAUSIBLE_SHARE = 0.8

/**
 * No archive loses half of its records from one day to the next, and a large one not even a fifth: what says so was cut
 * off or is of another kind.
 */
export function isShrunk({ incoming, known }: { incoming: number; known: number }): boolean {
  return incoming <= known / 2
    ? known - incoming > 1
    : known >= MANY && incoming < known * PLAUSIBLE_SHARE
}

const FEW = 20
const FEW_SHARE = 0.01

/** Records leave archives one by one; more than a hundredth of them (and more than 20) is a publisher's accident. */
export function isPlausibleLoss({ missing, known }: { missing: number; known: number }): boolean {
  return missing <= Math.max(FEW, known * FEW_SHARE)
}

export function shrinkFault({ incoming, known }: { incoming: number; known: number }): string {
  return `It holds ${incoming.toLocaleString('en')} records where ${known.toLocaleString('en')} are known; it was not taken over.`
}
