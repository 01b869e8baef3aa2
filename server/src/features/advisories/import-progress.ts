/** What an import says of itself: values for the state of its source, and lines for people. */
import { formatCountOf } from '../../formats/counts.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { MergeProgress, OnMerging } from './merging/advisories-service.ts'

export interface ProgressListeners {
  onProgress?: (text: string) => void
  onRecords?: (count: number) => void
  onMerging?: OnMerging
}

export interface ImportProgress {
  say: (text: string) => void
  /** `now`: all records of the source that are read; `before`: those of the last call. */
  read: (source: FeedSource, counts: { before: number; now: number }) => void
  merging: (source: string, progress: MergeProgress | undefined) => void
  /** Must always be called. */
  end: () => void
}

const RECORDS_EVERY = 1_000
const RECORDS_A_LINE = 25_000
/** A step may be one long statement: after this time a line says how long it already takes. */
const MOST_SILENCE_MS = 1_500
const LOOK_EVERY_MS = 500

/** A source that is merged, and the step that it has begun. */
interface MergingSource {
  source: string
  progress: MergeProgress
  since: number
}

export function startImportProgress(listeners: ProgressListeners): ImportProgress {
  const { onProgress, onRecords, onMerging } = listeners
  let reading = 'opening the files'
  let merging: MergingSource | undefined
  let saidAt = performance.now()
  const say = (text: string) => {
    saidAt = performance.now()
    onProgress?.(text)
  }
  const sayCurrent = () => {
    if (performance.now() - saidAt < MOST_SILENCE_MS) return
    say(merging === undefined ? reading : describeMerging(merging))
  }
  const timer = setInterval(sayCurrent, LOOK_EVERY_MS)
  return {
    say,
    read: (source, { before, now }) => {
      reading = `${source}: ${formatCountOf(now, 'record')} read`
      const passes = (every: number) => Math.floor(now / every) > Math.floor(before / every)
      if (passes(RECORDS_EVERY)) onRecords?.(now)
      if (passes(RECORDS_A_LINE)) say(reading)
    },
    merging: (source, progress) => {
      if (progress && progress.piece !== merging?.progress.piece && progress.piece !== undefined)
        say(`${source}: merging piece ${progress.piece} while reading`)
      merging = progress && { source, progress, since: findBegin(merging, progress) }
      onMerging?.(progress)
    },
    end: () => {
      clearInterval(timer)
    },
  }
}

function findBegin(known: MergingSource | undefined, { step, piece }: MergeProgress): number {
  const isSame = known?.progress.step === step && known.progress.piece === piece
  return isSame ? known.since : performance.now()
}

function describeMerging({ source, progress, since }: MergingSource): string {
  const { step, done, total, piece } = progress
  const amount =
    done === undefined || total === undefined
      ? ''
      : ` ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  const seconds = Math.round((performance.now() - since) / 1_000)
  const ofPiece = piece === undefined ? '' : `piece ${piece}: `
  return `${source}: ${ofPiece}${STEP_TEXTS[step]}${amount} (${seconds} s)`
}

const STEP_TEXTS: Record<MergeProgress['step'], string> = {
  Waiting: 'waiting for another import',
  Comparing: 'comparing with the known records',
  Writing: 'writing changed records',
  Linking: 'linking records with vulnerabilities',
  Rating: 'rating vulnerabilities',
  Finishing: 'noting what has to be matched again',
  Analyzing: 'updating the statistics of the database',
}
