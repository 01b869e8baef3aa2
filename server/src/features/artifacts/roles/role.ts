/** What a file of a firmware version is for. */
export const IMAGE = 'image'
export const DELTA = 'delta'

/** Of a file beside the image, which installs something else than the whole version. */
export const isPartRole = (role: string): boolean => role !== IMAGE && role !== DELTA
