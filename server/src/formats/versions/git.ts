/** Commits have no order. Without the history they can only be compared for equality. */
import type { VersionOrdering } from './ordering.ts'

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/** A whole SHA-1 or SHA-256 object name. */
export function isCommit(text: string): boolean {
  return COMMIT.test(text)
}

export const git: VersionOrdering = {
  isVersion: isCommit,
  compare: (a, b) => {
    if (!isCommit(a) || !isCommit(b)) return undefined
    return a.toLowerCase() === b.toLowerCase() ? 0 : undefined
  },
}
