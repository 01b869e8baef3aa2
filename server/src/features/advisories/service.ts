import { formatCountOf } from '../../formats/counts.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { releaseMemory } from '../../platform/memory-release.ts'
import { type ImportCounts, createImportCounts, type SourceImport } from './import-counts.ts'
import type { ImportedPart, MergeContext, OnMerging } from './merging/advisories-service.ts'
import {
  type ImportProgress,
  type ProgressListeners,
  startImportProgress,
} from './import-progress.ts'
import { mergeSource } from './merging/service.ts'
import { type ReadFeeds, readFeeds, type SkippedFiles } from './reading/service.ts'
import { StagedImport } from './staging/service.ts'
import { openStaging, type StagingSession } from './staging/store.ts'
import * as store from './store.ts'

interface ImportFeeds extends ReadFeeds, ProgressListeners {
  /** The part of its source that the files are. Undefined when an operator imports files by hand. */
  part?: ImportedPart
  /** So many records are merged at once while others are read. */
  mergedAtOnce?: number
  /** A session for many small imports one after another, which the caller closes: a new one makes two dozen tables. */
  staging?: StagingSession
}

/** KEV and EPSS come first, so that new vulnerabilities start with their flags and scores. */
const MERGE_ORDER = ['kev', 'epss', 'euvd', 'endoflife', 'cvelist', 'nvd', 'osv', 'csaf'] as const

/**
 * Reads the files into staging tables and merges each source in one transaction, which begins while records are still read
 * if there are many. A source is not merged when one of its files cannot be read to its end: its outcome then has an
 * `error`. Records that are not in the files stay as they are.
 */
export async function importFeeds(ctx: MergeContext, input: ImportFeeds): Promise<SourceImport[]> {
  const counts = new Map<FeedSource, ImportCounts>()
  const outcomes = new Map<FeedSource, SourceImport>()
  const staging = input.staging ?? (await openStaging(ctx.pool))
  await input.staging?.forget()
  const progress = startImportProgress(input)
  const { part, mergedAtOnce } = input
  const staged = new StagedImport(ctx, staging, {
    part,
    mergedAtOnce,
    isKept: input.staging !== undefined,
    onMerging: progress.merging,
  })
  try {
    const skipped = await readFeeds(ctx, input, { staged, counts, progress })
    if (skipped.count === 0 && counts.size === 0 && isEmptyDelta(input))
      counts.set(input.source, createImportCounts(input.source))
    reportSkippedFiles(skipped, input.path, { progress, recognised: counts.size })
    for (const source of mergeOrder(staged)) {
      const read = counts.get(source)
      if (!read) continue
      progress.say(`${source}: merging ${formatCountOf(read.records, 'record')}`)
      const onMerging: OnMerging = (step) => {
        progress.merging(source, step)
      }
      outcomes.set(source, await mergeSource(ctx, { staged, counts: read, part, onMerging }))
    }
    const all = [...outcomes.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1))
    if (all.some(isLarge)) await analyze(ctx.db, all.filter(isLarge), progress)
    return all
  } catch (error) {
    if (isAborted(error)) throw error
    const unfinished = [...counts.keys()].filter((source) => !outcomes.has(source))
    await recordFailures(ctx, unfinished, error)
    throw error
  } finally {
    progress.end()
    await staged.close()
    if ([...counts.values()].some(({ records }) => records >= MANY_RECORDS)) releaseMemory()
  }
}

async function analyze(
  db: Db,
  imported: readonly SourceImport[],
  progress: ImportProgress,
): Promise<void> {
  const sources = imported.map(({ source }) => source).join(', ')
  progress.merging(sources, { step: 'Analyzing' })
  await store.analyzeKnowledge(db, (done, total) => {
    progress.merging(sources, { step: 'Analyzing', done, total })
  })
}

function mergeOrder({ begunSource }: StagedImport): Iterable<FeedSource> {
  return new Set([...(begunSource === undefined ? [] : [begunSource]), ...MERGE_ORDER])
}

/** A delta may be empty; an archive of all records may not. */
function isEmptyDelta(input: ImportFeeds): input is ImportFeeds & { source: FeedSource } {
  return input.part?.isSnapshot === false && input.source !== undefined
}

/** A stopped import is not a failed one. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** The caller handles the error itself. It may be that of a lost database, where nothing can be recorded. */
async function recordFailures(
  { db }: MergeContext,
  sources: readonly FeedSource[],
  error: unknown,
): Promise<void> {
  const text = `The import failed: ${error instanceof Error ? error.message : String(error)}`
  await Promise.allSettled(sources.map((source) => store.recordFailure(db, source, text)))
}

const MANY_RECORDS = 10_000
const isLarge = ({ added, changed }: SourceImport) => added + changed >= MANY_RECORDS

function reportSkippedFiles(
  { named, count }: SkippedFiles,
  path: string,
  { progress, recognised }: { progress: ImportProgress; recognised: number },
): void {
  const lines = named.map(({ name, reason }) => `${name}: ${reason}`)
  const rest = count - named.length
  if (rest > 0) lines.push(`and ${formatCountOf(rest, 'more file')}`)
  if (recognised === 0)
    throw new AppError(
      'invalid',
      'no-feed-recognised',
      [`${path} holds no advisories of a known source.`, ...lines].join('\n'),
    )
  for (const line of lines) progress.say(`skipped ${line}`)
}
