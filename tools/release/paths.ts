import { join, resolve } from 'node:path'

export const REPOSITORY = resolve(import.meta.dirname, '../..')

/** What `npm run release` leaves behind. */
export const DIST = join(REPOSITORY, 'dist')
