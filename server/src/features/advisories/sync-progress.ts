/** What a sync is at, kept in the database so that everybody sees it. */
export type SyncPhase = 'Idle' | 'Fetching' | 'Importing'

export interface SyncProgress {
  /** The part it is at, and how many are done of those known. */
  part?: string
  partsDone: number
  partsTotal?: number
  /** Of the file being fetched. */
  bytes?: number
  bytesTotal?: number
  /** Of the part being imported. */
  records?: number
}
