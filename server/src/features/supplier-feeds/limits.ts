/** What one workspace may have and use, so that none of them slows the others down (docs/guide/supplier-feeds.md). */
import { HOUR_MS, MINUTE_MS } from '../../formats/instants.ts'

const MEBIBYTE = 1024 ** 2

export const MOST_FEEDS = 10
export const MOST_DOCUMENTS_OF_FEED = 5_000
/** What documents of all feeds of a workspace may have together. */
export const MOST_BYTES_OF_WORKSPACE = 512 * MEBIBYTE
export const MOST_BYTES_OF_DOCUMENT = 8 * MEBIBYTE
export const MOST_BYTES_OF_LIST = 16 * MEBIBYTE
/** A run that meets one of these ends, and the next one goes on after the feeds of others had their turn. */
export const MOST_DOCUMENTS_OF_RUN = 200
export const RUN_MS = 2 * MINUTE_MS
/** Feeds that a node reads at once; of one workspace only one. */
export const RUNS_AT_ONCE = 3
export const EVERY_MS = 6 * HOUR_MS
export const RETRY_MS = 30 * MINUTE_MS
/** Between two runs of a feed that is not yet read to its end. */
export const NEXT_PIECE_MS = 5_000
