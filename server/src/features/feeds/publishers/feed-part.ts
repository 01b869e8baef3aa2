/** The one shape of all sources: each says which parts there are to fetch, given what is known; the rest is common. */
import type { FeedSettings } from '../../../config/feed-settings.ts'
import type { Downloaded, Validators } from '../../../platform/http-client/index.ts'
import type { NodeMemory } from '../../../platform/node-memory.ts'
import type { PartMarks } from '../../advisories/index.ts'

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
  /** Within the source's folder; made of the URL unless given. */
  name?: string
}

/** The world as a source's module sees it. */
export interface FeedIo {
  settings: FeedSettings
  /** As of now, also of what this sync has merged. */
  parts: ReadonlyMap<string, KnownPart>
  /** In this sync. */
  hasFailed: (part: string) => boolean
  now: () => Date
  memory: NodeMemory
  signal: AbortSignal
  folder: string
  fetchFile: (file: FetchFile) => Promise<Downloaded & { path: string }>
}

export type Fetched =
  | { path: string; isSnapshot: boolean; isWhole?: boolean; marks: PartMarks }
  /** What is known is current. */
  | { path?: undefined; notice?: string }

export interface FeedPart {
  name: string
  /** How many parts there are, where that is known. */
  total?: number
  /** Without it the others still make all of the source. */
  isOptional?: boolean
  fetch: () => Promise<Fetched>
}

/** Parts come one by one: what the next one is may depend on what became of the last. */
export type FeedModule = (io: FeedIo) => AsyncGenerator<FeedPart>

export const DAY_MS = 24 * 3_600_000

/** Whether the complete archive has to be read (again). */
export function needsArchive(part: KnownPart | undefined, { settings, now }: FeedIo): boolean {
  const readAt = part?.snapshotReadAt
  return readAt === undefined || now().getTime() - readAt.getTime() > settings.fullDays * DAY_MS
}

export function marksOf({ etag, lastModified }: Validators, position?: string): PartMarks {
  return { etag, lastModified, ...(position !== undefined && { position }) }
}
