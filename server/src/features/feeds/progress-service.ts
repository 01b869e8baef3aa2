/** Writes the progress of a sync to the database, keeps its claim alive, and stops the sync when the claim is lost. */
import type { AppContext } from '../../platform/context.ts'
import type { OnMerging } from '../advisories/index.ts'
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
  /** The part is fetched; another import of this node comes first. */
  waiting: () => void
  importing: () => void
  imported: (records: number) => void
  merging: OnMerging
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
  const merging = trackMerging(progress)
  const isNews = trackNews()
  let ticker: Ticker | undefined
  const write = async () => {
    merging.countSeconds()
    if (isNews(`${phase} ${JSON.stringify(progress)}`)) {
      // If this fails and the claim runs out meanwhile, the next write notices it.
      if (!(await store.renewClaim(db, claim, { phase, progress }))) lost.abort()
    }
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
    waiting: () => {
      merging.report({ step: 'Waiting' })
    },
    importing: () => {
      phase = 'Importing'
      merging.report(undefined)
      say(`importing ${progress.part ?? ''}`)
    },
    imported: (records) => {
      progress.records = records
    },
    merging: merging.report,
    say,
  }
}

/** Answers whether the text differs from the last one, or is due again to keep the claim. */
function trackNews(): (text: string) => boolean {
  let written = ''
  let writtenAt = 0
  return (text) => {
    if (text === written && Date.now() - writtenAt < RENEW_MS) return false
    written = text
    writtenAt = Date.now()
    return true
  }
}

function trackMerging(progress: SyncProgress) {
  let stepBeganAt = Date.now()
  const report: OnMerging = (now) => {
    const { step, piece } = progress.merging ?? {}
    if (now?.step !== step || now?.piece !== piece) stepBeganAt = Date.now()
    if (now) progress.merging = { ...now }
    else delete progress.merging
  }
  const countSeconds = () => {
    const { merging } = progress
    if (merging) merging.seconds = Math.floor((Date.now() - stepBeganAt) / 1_000)
  }
  return { report, countSeconds }
}

function clearAmounts(progress: SyncProgress): void {
  delete progress.bytes
  delete progress.bytesTotal
  delete progress.records
  delete progress.merging
}
