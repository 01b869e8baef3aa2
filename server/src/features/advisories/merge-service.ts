/** Merges what was staged of a source into the stored knowledge, in one transaction. */
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import { distributionOf } from '../../formats/identity.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import {
  isImplausiblySmall,
  isOutdated,
  isPlausibleLoss,
  isShrunk,
  shrinkFault,
} from './archive-plausibility.ts'
import * as exploits from './exploit-store.ts'
import * as parts from './feed-part-store.ts'
import { type ImportCounts, outcomeOf, skippedReasons, type SourceImport } from './import-counts.ts'
import * as merge from './merge-store.ts'
import { KnowledgeChanged } from './schemas.ts'
import type { Staging } from './staging-store.ts'
import * as store from './store.ts'
import { relinkAdvisories, seedRelinking } from './vulnerability-links-store.ts'
import { refreshVulnerabilities } from './vulnerability-store.ts'
import { type OnDone, writeAdvisories } from './writing-store.ts'

export type MergeContext = Pick<AppContext, 'db' | 'pool' | 'queue' | 'log' | 'now'>

/** One part of a source (a year of NVD, an ecosystem of OSV), fetched and merged by itself. */
export interface ImportedPart {
  name: string
  /** The files hold all records of the part: a record that is missing has left it. Otherwise they hold changes only. */
  isSnapshot: boolean
  /** The part is the whole source. */
  isWhole?: boolean
  marks: parts.PartMarks
  /** An operator has confirmed that the part may be much smaller than before. */
  isSmallerAccepted?: boolean
}

export const MERGE_STEPS = [
  'Comparing',
  'Writing',
  'Linking',
  'Rating',
  'Finishing',
  'Analyzing',
] as const

/** What a merge does now, and for how many of its advisories it has done it; of Linking, Finishing and Analyzing, how many of their steps. */
export interface MergeProgress {
  step: (typeof MERGE_STEPS)[number]
  done?: number
  total?: number
}

export interface MergeInput {
  staging: Staging
  counts: ImportCounts
  part: ImportedPart | undefined
  onMerging: (progress: MergeProgress) => void
}

/** On a fault of the input nothing is merged, and the outcome has an `error`. Other failures are thrown. */
export async function mergeSource(ctx: MergeContext, input: MergeInput): Promise<SourceImport> {
  const { staging, counts, part } = input
  const { source } = counts
  const error = counts.error ?? unusableFault(input)
  if (error !== undefined) return recordFault(ctx, counts, error)
  try {
    const merged = await staging.db.transaction().execute(async (tx) => {
      await merge.lockMerges(tx)
      if (part?.isSnapshot) await refuseShrunk(tx, part, counts)
      if (source === 'kev') return mergeKev(ctx, tx, input)
      if (source === 'epss') return mergeEpss(ctx, tx, input)
      if (source === 'euvd') return mergeEuExploited(ctx, tx, input)
      return mergeAdvisories(ctx, tx, { ...input, source })
    })
    return outcomeOf(counts, merged)
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure
    return recordFault(ctx, counts, failure.message)
  }
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
  return outcomeOf({ ...counts, error }, { added: 0, changed: 0, withdrawn: 0 })
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

async function mergeAdvisories(
  ctx: MergeContext,
  tx: Tx,
  { source, counts, part, onMerging }: MergeInput & { source: AdvisorySource },
) {
  const at = ctx.now()
  const doing = (step: MergeProgress['step']): OnDone => {
    onMerging({ step })
    return (done, total) => {
      onMerging({ step, done, total })
    }
  }
  doing('Comparing')
  const isGone = part?.isSnapshot === true && (await stageMissing(tx, { source, counts, part, at }))
  const merged = await merge.chooseChanges(tx, source)
  await seedRelinking(tx, source)
  const distributions = await writeAdvisories(tx, source, { at, onDone: doing('Writing') })
  await relinkAdvisories(tx, doing('Linking'))
  await refreshVulnerabilities(tx, source, { at, onDone: doing('Rating') })
  const { added, changed, withdrawn } = merged
  const finished = doing('Finishing')
  const revision = await merge.writeKnowledgeChange(tx, source, {
    changed: added + changed + withdrawn,
    distributions: distributions.map(distributionOf),
  })
  if (revision !== undefined) await ctx.queue.enqueue(tx, KnowledgeChanged, { revision })
  finished(1, FINISHING_STEPS)
  if (part?.isSnapshot) await parts.replaceMembers(tx, source, { part: part.name, isGone })
  finished(2, FINISHING_STEPS)
  await recordSuccess(ctx, tx, { counts, part })
  finished(FINISHING_STEPS, FINISHING_STEPS)
  return merged
}

const FINISHING_STEPS = 3

interface MissingRecords {
  source: AdvisorySource
  counts: ImportCounts
  part: ImportedPart
  at: Date
}

/**
 * Withdraws the records that the archive no longer holds, and answers true. If the loss is not plausible, they stay in
 * force, and a notice of the source says so.
 */
async function stageMissing(
  tx: Tx,
  { source, counts, part, at }: MissingRecords,
): Promise<boolean> {
  const loss = await parts.chooseMissing(tx, source, part.name)
  if (loss.missing === 0) return true
  const isPlausible = isPlausibleLoss(loss) || part.isSmallerAccepted === true
  // A record that could not be read may be one of the missing.
  const isBelieved = isPlausible && counts.skipped === 0
  if (isBelieved) await parts.stageMissing(tx, source, at)
  else
    counts.notice = `${part.name}: ${loss.missing} of ${loss.known} known records are missing from the archive; they stay in force.`
  return isBelieved
}

async function mergeKev(ctx: MergeContext, tx: Tx, { counts, part }: MergeInput) {
  const snapshot = await exploits.findKevSnapshot(tx)
  const { feedAt, incoming, stored } = snapshot
  const isRefused = isImplausiblySmall(snapshot) && part?.isSmallerAccepted !== true
  if (!isOutdated(snapshot) && isRefused)
    throw new AppError(
      'conflict',
      'implausible-snapshot',
      `The catalogue holds ${incoming} entries, but ${stored} are known; nothing was imported.`,
    )
  if (isOutdated(snapshot)) counts.notice = outdatedNotice(snapshot)
  const merged = isOutdated(snapshot)
    ? { added: 0, changed: 0, withdrawn: 0, removed: 0 }
    : await exploits.mergeKev(tx, { feedAt, isWhole: counts.skipped === 0 })
  await exploits.flagKnownExploits(tx, ctx.now())
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
  await recordSuccess(ctx, tx, { counts, part })
  return merged
}

async function mergeEpss(ctx: MergeContext, tx: Tx, { counts, part }: MergeInput) {
  const times = await exploits.findEpssTimes(tx)
  if (isOutdated(times)) counts.notice = outdatedNotice(times)
  const merged = await exploits.mergeEpss(tx)
  await recordSuccess(ctx, tx, { counts, part, snapshotAt: times.feedAt })
  return merged
}

interface SuccessfulMerge {
  counts: ImportCounts
  part: ImportedPart | undefined
  snapshotAt?: Date | undefined
}

/** For a part only the part is recorded: whether the whole source succeeded is known after all its parts. */
async function recordSuccess(
  ctx: MergeContext,
  tx: Tx,
  { counts, part, snapshotAt }: SuccessfulMerge,
) {
  const { source, skipped: skippedCount, records, notice } = counts
  const at = ctx.now()
  const reasons = skippedReasons(counts)
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
      // A bundle is as old as its content, not as its import.
      at: counts.bundled ? counts.bundled.lastSuccessAt : at,
      snapshotAt,
      skippedCount,
      skippedReasons: reasons,
      notice: counts.bundled || !isInParts(source) ? undefined : IMPORTED_BY_HAND,
    })
}

/** These sources consist of many files; the lists of exploited ones are one file each, EPSS is one file a day. */
const isInParts = (source: FeedSource) => !['kev', 'epss', 'euvd'].includes(source)
const IMPORTED_BY_HAND =
  'Imported by hand; the service cannot tell whether the files hold the whole source.'
