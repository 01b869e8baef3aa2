/** Writes the progress of a sync to the database, keeps its claim alive, and stops the sync when the claim is lost. */
import type { AppContext } from '../../platform/context.ts'
import type { MergeProgress } from '../advisories/index.ts'
import { startTicker, type Ticker } from '../../platform/ticker.ts'
import * as store from './store.ts'
import type { SyncPhase, SyncProgress } from './store.ts'

const WRITE_MS = 1_000
/** Well before the claim runs out. */
const RENEW_MS = 20_000

export interface ProgressReport {
  /** Aborted when the sync has to stop: on request, or because the claim is lost. */
  signal: AbortSignal
  progress: SyncProgress
  begin: () => void
  end: () => Promise<void>
  part: (part: { name: string; total?: number }) => void
  partDone: () => void
  fetching: (bytes: number, total: number | undefined) => void
  importing: () => void
  imported: (records: number) => void
  merging: (merging: MergeProgress) => void
  say: (text: string) => void
}

interface ProgressOptions {
  signal: AbortSignal
  onProgress?: (text: string) => void
}

export function reportProgress(
  { db, log }: Pick<AppContext, 'db' | 'log'>,
  claim: store.Claim,
  { signal, onProgress }: ProgressOptions,
): ProgressReport {
  const lost = new AbortController()
  const progress: SyncProgress = { partsDone: 0 }
  let phase: SyncPhase = 'Fetching'
  let written = ''
  let writtenAt = 0
  let ticker: Ticker | undefined
  const write = async () => {
    const text = `${phase} ${JSON.stringify(progress)}`
    if (text === written && Date.now() - writtenAt < RENEW_MS) return
    written = text
    writtenAt = Date.now()
    // If this fails and the claim runs out meanwhile, the next write notices it.
    if (!(await store.renewClaim(db, claim, { phase, progress }))) lost.abort()
  }
  const say = (text: string) => onProgress?.(`${claim.source}: ${text}`)
  return {
    signal: AbortSignal.any([signal, lost.signal]),
    progress,
    begin: () => {
      const failure = 'progress of a sync not written'
      ticker = startTicker({ everyMs: WRITE_MS, work: write, log, failure })
    },
    end: async () => {
      await ticker?.stop()
    },
    part: ({ name, total }) => {
      phase = 'Fetching'
      progress.part = name
      if (total !== undefined) progress.partsTotal = total
      clearAmounts(progress)
      const of = total === undefined ? '' : ` (${progress.partsDone + 1} of ${total})`
      say(`fetching ${name}${of}`)
    },
    partDone: () => {
      progress.partsDone += 1
    },
    fetching: (bytes, total) => {
      progress.bytes = bytes
      if (total !== undefined) progress.bytesTotal = total
    },
    importing: () => {
      phase = 'Importing'
      say(`importing ${progress.part ?? ''}`)
    },
    imported: (records) => {
      progress.records = records
    },
    merging: (merging) => {
      progress.merging = merging
    },
    say,
  }
}

function clearAmounts(progress: SyncProgress): void {
  delete progress.bytes
  delete progress.bytesTotal
  delete progress.records
  delete progress.merging
}
