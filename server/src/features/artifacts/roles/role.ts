/** What a file of a firmware version is for. */
export const IMAGE = 'image'
export const DELTA = 'delta'

/**
 * Whether a deployment offers a file, so that it cannot change any more. `offeredFrom` null: the file was there before any deployment of
 * the version, so each offers it.
 */
export const isHeld = (offeredFrom: Date | null, lastDeployedAt: Date | null): boolean =>
  lastDeployedAt !== null && (offeredFrom === null || lastDeployedAt >= offeredFrom)

/** Of a file beside the image, which installs something else than the whole version. */
export const isPartRole = (role: string): boolean => role !== IMAGE && role !== DELTA
