/** Where the tests write which statements they execute. */
import { resolve } from 'node:path'

export const COLLECTED = resolve(import.meta.dirname, '../../node_modules/.cache/queries')
