/** What a publisher's own code answers: the parts to fetch, given what is known. All else is common to all sources. */
import type { FeedSettings } from '../../../config/feed-settings.ts'
import { DAY_MS } from '../../../formats/instants.ts'
import type { DownloadOutcome, Validators } from '../../../platform/http-client/index.ts'
import type { NodeMemory } from '../../../platform/node-memory.ts'
import type { PartMarks, Withdrawals } from '../../advisories/index.ts'

export interface KnownPart extends PartMarks {
  snapshotReadAt?: Date | undefined
  completedAt?: Date | undefined
}

interface FetchFile {
  url: string
  known?: Validators
  headers?: Record<string, string>
  maxBytes?: number
  alsoTransient?: readonly number[]
  /** The file's name in the source's folder; derived from the URL if left out. */
  name?: string
}

/** What the code of a publisher may use. */
export interface FeedIo {
  settings: FeedSettings
  /** The present state, including what this sync has merged. */
  parts: ReadonlyMap<string, KnownPart>
  /** Whether the part has failed in this sync. */
  hasFailed: (part: string) => boolean
  now: () => Date
  memory: NodeMemory
  signal: AbortSignal
  folder: string
  fetchFile: (file: FetchFile) => Promise<DownloadOutcome & { path: string }>
}

/** What finds and reads the lists of CSAF publishers uses. */
export type ListingIo = Pick<FeedIo, 'folder' | 'fetchFile'>

export type FetchedPart =
  | {
      path: string
      isSnapshot: boolean
      isWhole?: boolean
      marks: PartMarks
      notice?: string
      withdrawals?: Withdrawals
      /** Ecosystems whose records are all known once this part is merged. */
      complete?: readonly string[]
    }
  /** There is nothing new. */
  | { path?: undefined; notice?: string }

export interface FeedPart {
  name: string
  /** The number of parts, where it is known. */
  total?: number
  /** The sync succeeds without it: other parts hold the same records. */
  isOptional?: boolean
  fetch: () => Promise<FetchedPart>
}

/** Yields parts one by one: the next part may depend on the outcome of the last. */
export type ListParts = (io: FeedIo) => AsyncGenerator<FeedPart>

/** Whether the complete archive was never read, or too long ago. */
export function needsArchive(part: KnownPart | undefined, { settings, now }: FeedIo): boolean {
  const readAt = part?.snapshotReadAt
  return readAt === undefined || now().getTime() - readAt.getTime() > settings.fullDays * DAY_MS
}

export function writePartMarks({ etag, lastModified }: Validators, position?: string): PartMarks {
  return { etag, lastModified, ...(position !== undefined && { position }) }
}
