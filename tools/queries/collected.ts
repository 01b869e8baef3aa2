/** Where the tests write which statements they execute. */
import { resolve } from 'node:path'

export const COLLECTED = resolve(import.meta.dirname, '../../node_modules/.cache/queries')

/** `npm run check` writes `passed` or `failed` to this file when the tests end. */
export const TESTS_ENDED = resolve(COLLECTED, '../tests-ended')
