import type { FeedSource } from '../../formats/feed-files.ts'
import { AppError } from '../../platform/errors.ts'
import { releaseMemory } from '../../platform/memory-release.ts'
import { type ImportCounts, newImportCounts, type SourceImport } from './import-counts.ts'
import type { ImportedPart, MergeContext, MergeProgress } from './advisory-merge-service.ts'
import { mergeSource } from './merge-service.ts'
import { type ReadFeeds, readFeeds, type SkippedFiles } from './reading-service.ts'
import { StagedImport } from './staged-import-service.ts'
import { openStaging } from './staging-store.ts'
import * as store from './store.ts'

interface ImportFeeds extends ReadFeeds {
  /** The part of its source that the files are. Undefined when an operator imports files by hand. */
  part?: ImportedPart
  onMerging?: (progress: MergeProgress) => void
  /** So many records are merged at once while others are read. */
  mergedAtOnce?: number
}

/** KEV and EPSS come first, so that new vulnerabilities start with their flags and scores. */
const MERGE_ORDER = ['kev', 'epss', 'euvd', 'cvelist', 'nvd', 'osv', 'csaf'] as const

/**
 * Reads the files into staging tables and merges each source in one transaction, which begins while records are still read
 * if there are many. A source is not merged when one of its files cannot be read to its end: its outcome then has an
 * `error`. Records that are not in the files stay as they are.
 */
export async function importFeeds(ctx: MergeContext, input: ImportFeeds): Promise<SourceImport[]> {
  const counts = new Map<FeedSource, ImportCounts>()
  const outcomes = new Map<FeedSource, SourceImport>()
  const staging = await openStaging(ctx.pool)
  const staged = new StagedImport(ctx, staging, input)
  try {
    const skipped = await readFeeds(ctx, input, { staged, counts })
    if (skipped.count === 0 && counts.size === 0 && isEmptyDelta(input))
      counts.set(input.source, newImportCounts(input.source))
    reportSkippedFiles(skipped, input, counts.size)
    for (const source of mergeOrder(staged)) {
      const read = counts.get(source)
      if (!read) continue
      input.onProgress?.(`${source}: merging ${read.records.toLocaleString('en')} records`)
      outcomes.set(
        source,
        await withProgress(source, input, (onMerging) =>
          mergeSource(ctx, { staged, counts: read, part: input.part, onMerging }),
        ),
      )
    }
    const all = [...outcomes.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1))
    const large = all.filter(isLarge).map(({ source }) => source)
    if (large.length > 0)
      await withProgress(large.join(', '), input, async (onMerging) => {
        onMerging({ step: 'Analyzing' })
        await store.analyzeKnowledge(staging.db, (done, total) => {
          onMerging({ step: 'Analyzing', done, total })
        })
      })
    return all
  } catch (error) {
    if (isAborted(error)) throw error
    const unfinished = [...counts.keys()].filter((source) => !outcomes.has(source))
    await recordFailures(ctx, unfinished, error)
    throw error
  } finally {
    await staged.close()
    if ([...counts.values()].some(({ records }) => records >= MANY_RECORDS)) releaseMemory()
  }
}

function mergeOrder({ begunSource }: StagedImport): Iterable<FeedSource> {
  return new Set([...(begunSource === undefined ? [] : [begunSource]), ...MERGE_ORDER])
}

const SAY_EVERY_MS = 5_000

/** Reports each step of a merge, and every few seconds what it still does: a step may be one long statement. */
async function withProgress<Result>(
  source: string,
  { onProgress, onMerging }: ImportFeeds,
  work: (onMerging: (progress: MergeProgress) => void) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now()
  let now: MergeProgress = { step: 'Comparing' }
  const say = () => {
    const { step, done, total } = now
    const amount =
      done === undefined || total === undefined
        ? ''
        : ` ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    onProgress?.(`${source}: ${STEP_TEXTS[step]}${amount} (${seconds} s)`)
  }
  const timer = setInterval(say, SAY_EVERY_MS)
  try {
    return await work((progress) => {
      now = progress
      onMerging?.(progress)
    })
  } finally {
    clearInterval(timer)
  }
}

const STEP_TEXTS: Record<MergeProgress['step'], string> = {
  Comparing: 'comparing with the known records',
  Writing: 'writing changed records',
  Linking: 'linking records with vulnerabilities',
  Rating: 'rating vulnerabilities',
  Finishing: 'noting what has to be matched again',
  Analyzing: 'updating the statistics of the database',
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
  { path, onProgress }: ImportFeeds,
  recognised: number,
): void {
  const lines = named.map(({ name, reason }) => `${name}: ${reason}`)
  const rest = count - named.length
  if (rest > 0) lines.push(`and ${rest.toLocaleString('en')} more files`)
  if (recognised === 0)
    throw new AppError(
      'invalid',
      'no-feed-recognised',
      [`${path} holds no advisories of a known source.`, ...lines].join('\n'),
    )
  for (const line of lines) onProgress?.(`skipped ${line}`)
}
