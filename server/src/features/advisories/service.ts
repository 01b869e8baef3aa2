import type { FeedSource } from '../../formats/feed-files.ts'
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import * as canonical from './canonical-store.ts'
import * as exploits from './exploit-store.ts'
import { isImplausiblySmall, isOutdated } from './kev-snapshot.ts'
import * as merge from './merge-store.ts'
import { type LeftOut, type ReadFeeds, readFeeds } from './reading-service.ts'
import { KnowledgeChanged } from './schemas.ts'
import { openStaging, type Staging } from './staging-store.ts'
import * as store from './store.ts'
import { outcomeOf, type SourceImport, type Tally } from './tally.ts'
import { refreshVulnerabilities } from './vulnerability-store.ts'

type Context = Pick<AppContext, 'db' | 'pool' | 'queue' | 'log' | 'now'>

type ImportFeeds = ReadFeeds

/** Flags and scores first, so that new vulnerabilities begin with theirs. */
const MERGE_ORDER = ['kev', 'epss', 'cvelist', 'nvd', 'osv'] as const

/**
 * What the files hold becomes knowledge, each source in one transaction or, where one of its files breaks off, not at
 * all: its outcome then has an `error`. Records that are not in the files stay as they are.
 */
export async function importFeeds(ctx: Context, input: ImportFeeds): Promise<SourceImport[]> {
  const tallies = new Map<FeedSource, Tally>()
  const outcomes = new Map<FeedSource, SourceImport>()
  const staging = await openStaging(ctx.pool)
  try {
    reportLeftOut(await readFeeds(ctx, input, { staging, tallies }), input, tallies.size)
    for (const source of MERGE_ORDER) {
      const tally = tallies.get(source)
      if (!tally) continue
      input.onProgress?.(`${source}: merging ${tally.records.toLocaleString('en')} records`)
      outcomes.set(source, await mergeSource(ctx, staging, tally))
    }
    const all = [...outcomes.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1))
    if (all.some(isLarge)) await store.analyzeKnowledge(staging.db)
    return all
  } catch (error) {
    const unfinished = [...tallies.keys()].filter((source) => !outcomes.has(source))
    await recordFailures(ctx, unfinished, error)
    throw error
  } finally {
    staging.close()
  }
}

/** The failure itself is the caller's to handle; without a database it cannot be written down as well. */
async function recordFailures(
  { db }: Context,
  sources: readonly FeedSource[],
  error: unknown,
): Promise<void> {
  const text = `The import failed: ${error instanceof Error ? error.message : String(error)}`
  await Promise.allSettled(sources.map((source) => store.recordFailure(db, source, text)))
}

const MANY_CHANGES = 10_000
const isLarge = ({ added, changed }: SourceImport) => added + changed >= MANY_CHANGES

function reportLeftOut(
  { named, count }: LeftOut,
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
  for (const line of lines) onProgress?.(`left out ${line}`)
}

async function mergeSource(ctx: Context, staging: Staging, tally: Tally): Promise<SourceImport> {
  const { source, error } = tally
  if (error !== undefined) return failed(ctx, tally, error)
  try {
    const merged = await staging.db.transaction().execute(async (tx) => {
      await merge.lockMerges(tx)
      return source === 'kev'
        ? mergeKev(ctx, tx, tally)
        : source === 'epss'
          ? mergeEpss(ctx, tx, tally)
          : mergeAdvisories(ctx, tx, { source, tally })
    })
    return outcomeOf(tally, merged)
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure
    return failed(ctx, tally, failure.message)
  }
}

async function failed(ctx: Context, tally: Tally, error: string): Promise<SourceImport> {
  await store.recordFailure(ctx.db, tally.source, error)
  ctx.log.error({ source: tally.source, error }, 'source not imported')
  return outcomeOf({ ...tally, error }, { added: 0, changed: 0, withdrawn: 0 })
}

async function mergeAdvisories(
  ctx: Context,
  tx: Tx,
  { source, tally }: { source: AdvisorySource; tally: Tally },
) {
  const at = ctx.now()
  const counts = await merge.chooseChanges(tx, source)
  await merge.chooseChangedAffected(tx, source)
  await canonical.seedRelinking(tx, source)
  await merge.writeAdvisories(tx, source, at)
  await canonical.relink(tx)
  await refreshVulnerabilities(tx, source, at)
  const revision = await merge.writeKnowledgeChange(tx)
  if (revision !== undefined) await ctx.queue.enqueue(tx, KnowledgeChanged, { revision })
  await recordSuccess(ctx, tx, tally)
  return counts
}

async function mergeKev(ctx: Context, tx: Tx, tally: Tally) {
  const snapshot = await exploits.findKevSnapshot(tx)
  const { feedAt, incoming, stored } = snapshot
  if (!isOutdated(snapshot) && isImplausiblySmall(snapshot))
    throw new AppError(
      'conflict',
      'implausible-snapshot',
      `The catalogue holds ${incoming} entries where ${stored} are known; it was not taken over.`,
    )
  const counts = isOutdated(snapshot)
    ? { added: 0, changed: 0, withdrawn: 0, removed: 0 }
    : await exploits.mergeKev(tx, { feedAt, isWhole: tally.skipped === 0 })
  await exploits.flagKnownExploits(tx, ctx.now())
  await recordSuccess(ctx, tx, tally, feedAt)
  return counts
}

async function mergeEpss(ctx: Context, tx: Tx, tally: Tally) {
  const counts = await exploits.mergeEpss(tx)
  await recordSuccess(ctx, tx, tally, await exploits.findEpssTime(tx))
  return counts
}

async function recordSuccess(ctx: Context, tx: Tx, tally: Tally, snapshotAt?: Date) {
  const { source, skipped: skippedCount } = tally
  await store.recordSuccess(tx, source, { at: ctx.now(), snapshotAt, skippedCount })
}
