/** Merges what was read of a source into the stored knowledge, in one transaction. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'
import { announce } from '../../../platform/db/announcements.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  type AdvisoryMerge,
  FINISHING_STEPS,
  type ImportedPart,
  type MergeContext,
  type OnMerging,
} from './advisories-service.ts'
import { isImplausiblySmall, isOutdated, isShrunk, shrinkFault } from './archive-plausibility.ts'
import * as exploits from '../rating/exploits-store.ts'
import * as parts from './parts-store.ts'
import {
  type ImportCounts,
  summariseImport,
  sortSkipReasons,
  type SourceImport,
} from '../import-counts.ts'
import * as merge from './store.ts'
import { isOfAdvisories, type StagedImport } from '../staging/service.ts'
import { KnowledgeChanged, SupportProductsChanged } from '../schemas.ts'
import * as store from '../store.ts'

interface MergeInput {
  staged: StagedImport
  counts: ImportCounts
  part: ImportedPart | undefined
  onMerging: OnMerging
}

/** Merges nothing when the input has a fault: the outcome has an `error` then. Other failures are thrown. */
export async function mergeSource(ctx: MergeContext, input: MergeInput): Promise<SourceImport> {
  const { staged, counts } = input
  const { source } = counts
  const error = counts.error ?? unusableFault(input)
  try {
    if (isOfAdvisories(source)) {
      const ofSource = await staged.mergeOf(source)
      if (error === undefined)
        return summariseImport(counts, await mergeAdvisories(ctx, ofSource, input))
      await ofSource.rollBack()
    } else if (error === undefined) {
      const { db } = await staged.stagingOf(source)
      return summariseImport(counts, await mergeExploits(ctx, db, input))
    }
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure
    return recordFault(ctx, counts, failure.message)
  }
  return recordFault(ctx, counts, error)
}

async function mergeAdvisories(
  ctx: MergeContext,
  ofSource: AdvisoryMerge,
  { counts, part, onMerging }: MergeInput,
) {
  try {
    const tx = await ofSource.begin()
    if (part?.isSnapshot) await refuseShrunk(tx, part, counts)
    const merged = await ofSource.finish(tx, counts)
    await recordSuccess(ctx, tx, { counts, part, newCount: merged.newCount })
    onMerging({ step: 'Finishing', done: FINISHING_STEPS, total: FINISHING_STEPS })
    await ofSource.commit()
    return merged
  } catch (failure) {
    await ofSource.rollBack().catch(() => undefined)
    throw failure
  }
}

/** The lists of exploited vulnerabilities, the scores of EPSS, and the products of endoflife. */
async function mergeExploits(ctx: MergeContext, db: Db, input: MergeInput) {
  const { counts, part, onMerging } = input
  return db.transaction().execute(async (tx) => {
    onMerging({ step: 'Waiting' })
    await merge.lockMerges(tx)
    onMerging({ step: 'Writing' })
    if (part?.isSnapshot) await refuseShrunk(tx, part, counts)
    if (counts.source === 'kev') return mergeKev(ctx, tx, input)
    if (counts.source === 'epss') return mergeEpss(ctx, tx, input)
    if (counts.source === 'endoflife') return mergeSupport(ctx, tx, input)
    return mergeEuExploited(ctx, tx, input)
  })
}

/** Files imported by hand may be of an unknown shape: then no record of them is usable. Fetched parts have own checks. */
function unusableFault({ counts, part }: MergeInput): string | undefined {
  const { records, skipped, reasons } = counts
  if (part || skipped === 0 || skipped < records) return undefined
  return `none of the ${records.toLocaleString('en')} records can be used: ${[...reasons.keys()].slice(0, 3).join('; ')}`
}

async function recordFault(
  ctx: MergeContext,
  counts: ImportCounts,
  error: string,
): Promise<SourceImport> {
  await store.recordFailure(ctx.db, counts.source, error)
  ctx.log.error({ source: counts.source, error }, 'source not imported')
  return summariseImport({ ...counts, error }, { added: 0, changed: 0, withdrawn: 0 })
}

/** A truncated or empty archive must not withdraw known vulnerabilities. */
async function refuseShrunk(
  tx: Tx,
  part: ImportedPart,
  { source, records }: ImportCounts,
): Promise<void> {
  const { name, isWhole = false } = part
  const sizes = {
    incoming: records,
    known: await parts.findKnownCount(tx, { source, name, isWhole }),
  }
  if (isShrunk(sizes) && part.isSmallerAccepted !== true)
    throw new AppError('conflict', 'implausible-snapshot', shrinkFault(sizes))
}

async function mergeKev(ctx: MergeContext, tx: Tx, { counts, part }: MergeInput) {
  const snapshot = await exploits.findKevSnapshot(tx)
  const { feedAt, incoming, stored } = snapshot
  const isRefused = isImplausiblySmall(snapshot) && part?.isSmallerAccepted !== true
  if (!isOutdated(snapshot) && isRefused)
    throw new AppError(
      'conflict',
      'implausible-snapshot',
      `The catalogue holds ${formatCountOf(incoming, 'entry', 'entries')}, but ${formatNumber(stored)} are known; nothing was imported.`,
    )
  if (isOutdated(snapshot)) counts.notice = outdatedNotice(snapshot)
  const merged = isOutdated(snapshot)
    ? { added: 0, changed: 0, withdrawn: 0, removed: 0 }
    : await exploits.mergeKev(tx, { feedAt, isWhole: counts.skipped === 0 })
  await announceExploits(ctx, tx, await exploits.flagKnownExploits(tx, ctx.now()))
  await recordSuccess(ctx, tx, { counts, part, snapshotAt: feedAt })
  return merged
}

function outdatedNotice({
  feedAt,
  snapshotAt,
}: Record<'feedAt' | 'snapshotAt', Date | undefined>): string {
  return `The file is from ${feedAt?.toISOString() ?? 'an unknown time'}, older than the known data (${snapshotAt?.toISOString() ?? 'unknown'}); the known data stays.`
}

async function mergeEuExploited(ctx: MergeContext, tx: Tx, { counts, part }: MergeInput) {
  const sizes = await exploits.countEuExploited(tx)
  if (isShrunk(sizes) && part?.isSmallerAccepted !== true)
    throw new AppError('conflict', 'implausible-snapshot', shrinkFault(sizes))
  const merged = await exploits.mergeEuExploited(tx, { isWhole: counts.skipped === 0 })
  await announceExploits(ctx, tx, merged.listedOtherwise)
  await recordSuccess(ctx, tx, { counts, part })
  return merged.counts
}

/** Matches keep whether their vulnerabilities are exploited, so that counters of firmware versions can follow. */
async function announceExploits(
  ctx: MergeContext,
  tx: Tx,
  vulnerabilityIds: readonly string[],
): Promise<void> {
  if (vulnerabilityIds.length === 0) return
  const revision = await merge.writeExploitChange(tx, vulnerabilityIds)
  if (revision !== undefined) await ctx.queue.enqueue(tx, KnowledgeChanged, { revision })
}

/** Marks vulnerabilities as the stored catalogue says, as after an import of it. */
export async function flagExploitsAgain(ctx: MergeContext): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await merge.lockMerges(tx)
    await announceExploits(ctx, tx, await exploits.flagKnownExploits(tx, ctx.now()))
  })
}

async function mergeEpss(ctx: MergeContext, tx: Tx, { counts, part }: MergeInput) {
  const times = await exploits.findEpssTimes(tx)
  if (isOutdated(times)) counts.notice = outdatedNotice(times)
  const merged = await exploits.mergeEpss(tx)
  await recordSuccess(ctx, tx, { counts, part, snapshotAt: times.feedAt })
  return merged
}

/** Files that people carry in may hold some products only, so that only what is fetched says which are gone. */
async function mergeSupport(ctx: MergeContext, tx: Tx, { counts, part }: MergeInput) {
  const times = await store.findSupportTimes(tx)
  if (isOutdated(times)) counts.notice = outdatedNotice(times)
  const isWhole = part?.isWhole === true && counts.skipped === 0
  const merged = isOutdated(times)
    ? { added: 0, changed: 0, withdrawn: 0, removed: 0 }
    : await store.mergeSupportProducts(tx, { at: ctx.now(), isWhole })
  if (merged.added + merged.changed + merged.removed > 0)
    await ctx.queue.enqueue(tx, SupportProductsChanged, {})
  await recordSuccess(ctx, tx, { counts, part, snapshotAt: times.feedAt })
  return merged
}

interface SuccessfulMerge {
  counts: ImportCounts
  part: ImportedPart | undefined
  snapshotAt?: Date | undefined
  /** How many advisories the merge has added. */
  newCount?: number
}

/** For a part only the part is recorded: whether the whole source succeeded is known after all its parts. */
async function recordSuccess(
  ctx: MergeContext,
  tx: Tx,
  { counts, part, snapshotAt, newCount = 0 }: SuccessfulMerge,
) {
  const { source, skipped: skippedCount, records, notice } = counts
  const at = ctx.now()
  const reasons = sortSkipReasons(counts)
  await announce(tx, null, ['sources', 'findings'])
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
    await store.recordPartImported(tx, source, { snapshotAt, newCount })
  } else
    await store.recordSuccess(tx, source, {
      // A bundle is as old as its content, not as its import.
      at: counts.bundled ? counts.bundled.lastSuccessAt : at,
      snapshotAt,
      newCount,
      skippedCount,
      skippedReasons: reasons,
      notice: counts.bundled || !isInParts(source) ? undefined : IMPORTED_BY_HAND,
    })
}

/** Whether a source consists of many files. The lists of exploited vulnerabilities and EPSS are one file each. */
const isInParts = (source: FeedSource) => !['kev', 'epss', 'euvd', 'endoflife'].includes(source)
const IMPORTED_BY_HAND =
  'Imported by hand; the service cannot tell whether the files hold the whole source.'
