import type { FeedSource } from '../../formats/feed-files.ts'
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import * as canonical from './canonical-store.ts'
import * as exploits from './exploit-store.ts'
import { isImplausiblySmall, isOutdated } from './kev-snapshot.ts'
import * as merge from './merge-store.ts'
import { type ImportedPart, isPlausibleLoss, isShrunk, shrinkFault } from './feed-part.ts'
import * as parts from './parts-store.ts'
import { type LeftOut, type ReadFeeds, readFeeds } from './reading-service.ts'
import { KnowledgeChanged } from './schemas.ts'
import { openStaging, type Staging } from './staging-store.ts'
import * as store from './store.ts'
import { newTally, outcomeOf, skippedReasons, type SourceImport, type Tally } from './tally.ts'
import { refreshVulnerabilities } from './vulnerability-store.ts'

type Context = Pick<AppContext, 'db' | 'pool' | 'queue' | 'log' | 'now'>

interface ImportFeeds extends ReadFeeds {
  /** What the files are of their source; without it they are what an operator has, of whatever it is. */
  part?: ImportedPart
}

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
    const leftOut = await readFeeds(ctx, input, { staging, tallies })
    if (leftOut.count === 0 && tallies.size === 0 && isEmptyDelta(input))
      tallies.set(input.source, newTally(input.source))
    reportLeftOut(leftOut, input, tallies.size)
    for (const source of MERGE_ORDER) {
      const tally = tallies.get(source)
      if (!tally) continue
      input.onProgress?.(`${source}: merging ${tally.records.toLocaleString('en')} records`)
      outcomes.set(source, await mergeSource(ctx, { staging, tally, part: input.part }))
    }
    const all = [...outcomes.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1))
    if (all.some(isLarge)) await store.analyzeKnowledge(staging.db)
    return all
  } catch (error) {
    if (isStopped(error)) throw error
    const unfinished = [...tallies.keys()].filter((source) => !outcomes.has(source))
    await recordFailures(ctx, unfinished, error)
    throw error
  } finally {
    staging.close()
  }
}

/** Nothing changed is no fault; an archive of everything that holds nothing is. */
function isEmptyDelta(input: ImportFeeds): input is ImportFeeds & { source: FeedSource } {
  return input.part?.isSnapshot === false && input.source !== undefined
}

/** Told to end is not failed. */
function isStopped(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
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

interface Merging {
  staging: Staging
  tally: Tally
  part: ImportedPart | undefined
}

async function mergeSource(ctx: Context, merging: Merging): Promise<SourceImport> {
  const { staging, tally, part } = merging
  const { source } = tally
  const error = tally.error ?? unusable(merging)
  if (error !== undefined) return failed(ctx, tally, error)
  try {
    const merged = await staging.db.transaction().execute(async (tx) => {
      await merge.lockMerges(tx)
      if (part?.isSnapshot) await refuseShrunk(tx, part, tally)
      return source === 'kev'
        ? mergeKev(ctx, tx, merging)
        : source === 'epss'
          ? mergeEpss(ctx, tx, merging)
          : mergeAdvisories(ctx, tx, { ...merging, source })
    })
    return outcomeOf(tally, merged)
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure
    return failed(ctx, tally, failure.message)
  }
}

/** Files of a shape nobody knows must not pass for a source that was read; what is fetched has its own guards. */
function unusable({ tally, part }: Merging): string | undefined {
  const { records, skipped, reasons } = tally
  if (part || skipped === 0 || skipped < records) return undefined
  return `none of the ${records.toLocaleString('en')} records can be used: ${[...reasons.keys()].slice(0, 3).join('; ')}`
}

async function failed(ctx: Context, tally: Tally, error: string): Promise<SourceImport> {
  await store.recordFailure(ctx.db, tally.source, error)
  ctx.log.error({ source: tally.source, error }, 'source not imported')
  return outcomeOf({ ...tally, error }, { added: 0, changed: 0, withdrawn: 0 })
}

/** A truncated or empty archive must not pass for a world with fewer vulnerabilities. */
async function refuseShrunk(tx: Tx, part: ImportedPart, { source, records }: Tally): Promise<void> {
  const { name, isWhole = false } = part
  const sizes = {
    incoming: records,
    known: await parts.findKnownCount(tx, { source, name, isWhole }),
  }
  if (isShrunk(sizes) && part.isSmallerAccepted !== true)
    throw new AppError('conflict', 'implausible-snapshot', shrinkFault(sizes))
}

async function mergeAdvisories(
  ctx: Context,
  tx: Tx,
  { source, tally, part }: Merging & { source: AdvisorySource },
) {
  const at = ctx.now()
  const isGone = part?.isSnapshot === true && (await stageMissing(tx, { source, tally, part, at }))
  const counts = await merge.chooseChanges(tx, source)
  await merge.chooseChangedAffected(tx, source)
  await canonical.seedRelinking(tx, source)
  await merge.writeAdvisories(tx, source, at)
  await canonical.relink(tx)
  await refreshVulnerabilities(tx, source, at)
  const { added, changed, withdrawn } = counts
  const revision = await merge.writeKnowledgeChange(tx, source, added + changed + withdrawn)
  if (revision !== undefined) await ctx.queue.enqueue(tx, KnowledgeChanged, { revision })
  if (part?.isSnapshot) await parts.replaceMembers(tx, source, { part: part.name, isGone })
  await recordSuccess(ctx, tx, { tally, part })
  return counts
}

interface Missing {
  source: AdvisorySource
  tally: Tally
  part: ImportedPart
  at: Date
}

/** Whether what the archive no longer holds has left it; else it stays in force, and the source says so. */
async function stageMissing(tx: Tx, { source, tally, part, at }: Missing): Promise<boolean> {
  const loss = await parts.chooseMissing(tx, source, part.name)
  if (loss.missing === 0) return true
  // One of them may be what could not be read.
  const isPlausible = isPlausibleLoss(loss) || part.isSmallerAccepted === true
  const isBelieved = isPlausible && tally.skipped === 0
  if (isBelieved) await parts.stageMissing(tx, source, at)
  else
    tally.notice = `${part.name}: ${loss.missing} of ${loss.known} known records are missing from the archive; they stay in force.`
  return isBelieved
}

async function mergeKev(ctx: Context, tx: Tx, { tally, part }: Merging) {
  const snapshot = await exploits.findKevSnapshot(tx)
  const { feedAt, incoming, stored } = snapshot
  const isRefused = isImplausiblySmall(snapshot) && part?.isSmallerAccepted !== true
  if (!isOutdated(snapshot) && isRefused)
    throw new AppError(
      'conflict',
      'implausible-snapshot',
      `The catalogue holds ${incoming} entries where ${stored} are known; it was not taken over.`,
    )
  if (isOutdated(snapshot)) tally.notice = outdatedNotice(snapshot)
  const counts = isOutdated(snapshot)
    ? { added: 0, changed: 0, withdrawn: 0, removed: 0 }
    : await exploits.mergeKev(tx, { feedAt, isWhole: tally.skipped === 0 })
  await exploits.flagKnownExploits(tx, ctx.now())
  await recordSuccess(ctx, tx, { tally, part, snapshotAt: feedAt })
  return counts
}

function outdatedNotice({
  feedAt,
  snapshotAt,
}: Record<'feedAt' | 'snapshotAt', Date | undefined>): string {
  return `It is of ${feedAt?.toISOString() ?? 'no time'}, older than what is known (${snapshotAt?.toISOString() ?? 'nothing'}); what is known stays.`
}

async function mergeEpss(ctx: Context, tx: Tx, { tally, part }: Merging) {
  const times = await exploits.findEpssTimes(tx)
  if (isOutdated(times)) tally.notice = outdatedNotice(times)
  const counts = await exploits.mergeEpss(tx)
  await recordSuccess(ctx, tx, { tally, part, snapshotAt: times.feedAt })
  return counts
}

interface Succeeded {
  tally: Tally
  part: ImportedPart | undefined
  snapshotAt?: Date | undefined
}

/** Of a source that comes in parts, only whoever fetched them all can say that all of it was taken in. */
async function recordSuccess(ctx: Context, tx: Tx, { tally, part, snapshotAt }: Succeeded) {
  const { source, skipped: skippedCount, records, notice } = tally
  const at = ctx.now()
  const reasons = skippedReasons(tally)
  if (part) {
    const { name, isSnapshot, marks } = part
    await parts.recordPart(tx, {
      source,
      name,
      isSnapshot,
      marks,
      at,
      notice,
      recordCount: records,
      skippedCount,
      skippedReasons: reasons,
    })
    await store.recordPartImported(tx, source, snapshotAt)
  } else
    await store.recordSuccess(tx, source, {
      // A bundle is as old as what it holds, not as its import.
      at: tally.asOf ? tally.asOf.lastSuccessAt : at,
      snapshotAt,
      skippedCount,
      skippedReasons: reasons,
      notice: tally.asOf || !isInParts(source) ? undefined : BY_HAND,
    })
}

/** These sources are many files; a catalogue or a day's scores are one. */
const isInParts = (source: FeedSource) => source !== 'kev' && source !== 'epss'
const BY_HAND = 'Imported by hand; whether the files were all of the source only you can tell.'
