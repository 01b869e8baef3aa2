/** The merge of one source of advisories: in one transaction, which may begin while records are still read. */
import type { ControlledTransaction } from 'kysely'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import { normaliseDistribution } from '../../../formats/identity.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { AppError } from '../../../platform/errors.ts'
import { isPlausibleLoss, describeWithdrawalFault } from './archive-plausibility.ts'
import * as parts from './parts-store.ts'
import type { ImportCounts } from '../import-counts.ts'
import * as merge from './store.ts'
import { rememberUnread } from '../reading/known-texts-store.ts'
import { KnowledgeChanged } from '../schemas.ts'
import {
  NEW_ADVISORY_COLUMNS,
  NEW_AFFECTED_COLUMNS,
  NEW_RECORD_COLUMNS,
  type NewRecords,
  withoutKnown,
} from '../staging/new-records.ts'
import { STAGED_ADVISORY_COLUMNS } from '../staging/rows.ts'
import {
  analyzeStaged,
  areAnyStaged,
  clearMerged,
  clearStaged,
  type StagingSession,
} from '../staging/store.ts'
import { relinkAdvisories, seedRelinking } from './links-store.ts'
import { refreshVulnerabilities } from '../rating/store.ts'
import { type OnDone, updateKnownDistributions, writeAdvisories } from './writing-store.ts'
import * as news from './writing-store.ts'

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
  withdrawals?: parts.Withdrawals | undefined
  /** Ecosystems whose records are all known once the part is merged. */
  complete?: readonly string[] | undefined
}

export const MERGE_STEPS = [
  'Waiting',
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
  /** Its records are merged while later ones are read. Counted from 1; undefined in the merge after reading. */
  piece?: number
}

/** Called with undefined when a piece is merged: the import only reads until the next one. */
export type OnMerging = (progress: MergeProgress | undefined) => void

interface AdvisoryMergeInput {
  staging: StagingSession
  source: AdvisorySource
  part: ImportedPart | undefined
  onMerging: OnMerging
}

export class AdvisoryMerge {
  readonly source: AdvisorySource
  readonly #ctx: MergeContext
  readonly #staging: StagingSession
  readonly #part: ImportedPart | undefined
  readonly #onMerging: OnMerging
  readonly #at: Date
  #piece = 0
  #tx: ControlledTransaction<DB> | undefined
  #writesNew = false
  /** Written, but not yet linked. */
  #new = { ids: [] as string[], areWithdrawn: [] as boolean[], keys: new Set<string>() }
  #merged: merge.CountedChanges = { added: 0, changed: 0, withdrawn: 0, newCount: 0 }

  constructor(ctx: MergeContext, { staging, source, part, onMerging }: AdvisoryMergeInput) {
    this.#ctx = ctx
    this.#staging = staging
    this.source = source
    this.#part = part
    this.#onMerging = onMerging
    this.#at = ctx.now()
  }

  get hasBegun(): boolean {
    return this.#tx !== undefined
  }

  /** Undefined unless `writeNew` shall be called for the next records. */
  get writesNewAt(): Date | undefined {
    return this.#writesNew ? this.#at : undefined
  }

  /** Begins the transaction, unless another import merges. */
  async beginUnlessLocked(): Promise<void> {
    const tx = (this.#tx = await this.#staging.begin())
    if (await merge.tryLockMerges(tx)) this.#writesNew = await news.areMostlyNew(tx, this.source)
    else await this.rollBack()
  }

  /** Writes records to their tables past the staging table, where the known ones go. */
  async writeNew(batches: readonly NewRecords[]): Promise<void> {
    const tx = this.#tx
    if (tx === undefined) throw new Error('the merge has not begun')
    const ids = batches.flatMap((batch) => batch.ids)
    const known = await news.findKnown(tx, this.source, ids)
    // Most batches are new as a whole.
    const isWhole = known.size === 0 && new Set(ids).size === ids.length
    // A record that comes twice is known the second time.
    const isKnown = (id: string) => {
      const wasKnown = known.has(id)
      known.add(id)
      return wasKnown
    }
    const divided = batches.map((batch) =>
      isWhole ? { unknown: batch, known: [] } : withoutKnown(batch, isKnown),
    )
    const staged = divided.flatMap((each) => each.known)
    this.#writesNew = staged.length * 2 < ids.length
    if (staged.length > 0)
      await this.#staging.copy('staged_advisories', STAGED_ADVISORY_COLUMNS, staged)
    await this.#copyNew(divided.map(({ unknown }) => unknown))
  }

  async #copyNew(unknown: readonly NewRecords[]): Promise<void> {
    const advisories = unknown.map((batch) => batch.advisories)
    const records = unknown.map((batch) => batch.records)
    const affected = unknown.map((batch) => batch.affected)
    await this.#staging.copy('advisories', NEW_ADVISORY_COLUMNS, advisories)
    await this.#staging.copy('advisory_records', NEW_RECORD_COLUMNS, records)
    await this.#staging.copy('advisory_affected', NEW_AFFECTED_COLUMNS, affected)
    for (const { ids, areWithdrawn, keys } of unknown) {
      for (const each of ids) this.#new.ids.push(each)
      for (const each of areWithdrawn) this.#new.areWithdrawn.push(each)
      for (const key of keys) this.#new.keys.add(key)
    }
  }

  /** Merges what is written and staged, and empties the staging table. Does nothing while another import merges. */
  async mergeWhileReading(): Promise<void> {
    const tx = this.#tx
    if (tx === undefined) return
    const piece = ++this.#piece
    const onMerging: OnMerging = (progress) => {
      this.#onMerging(progress && { ...progress, piece })
    }
    await this.#mergeNew(tx, onMerging)
    if (await areAnyStaged(tx)) {
      onMerging({ step: 'Comparing' })
      await analyzeStaged(tx)
      if (this.#part?.isSnapshot === true) await parts.rememberRead(tx, this.source)
      const chosen = await this.#mergeStaged(tx, onMerging, { isLast: false })
      await clearMerged(tx)
      await clearStaged(tx, chosen)
    }
    onMerging(undefined)
  }

  /** The transaction of the merge. Waits for the merges of other imports if it has not begun. */
  async begin(): Promise<Tx> {
    if (this.#tx) return this.#tx
    this.#onMerging({ step: 'Waiting' })
    this.#tx = await this.#staging.begin()
    await merge.lockMerges(this.#tx)
    return this.#tx
  }

  /** Merges the records that are still staged and what concerns all of them. Does not commit. */
  async finish(tx: Tx, counts: ImportCounts): Promise<merge.CountedChanges> {
    const onMerging = this.#onMerging
    await this.#mergeNew(tx, onMerging)
    onMerging({ step: 'Comparing' })
    const part = this.#part?.isSnapshot === true ? this.#part : undefined
    const isGone = part !== undefined && (await this.#stageMissing(tx, counts, part))
    await this.#stageWithdrawals(tx)
    await this.#mergeStaged(tx, onMerging, { isLast: true })
    const finished = reported('Finishing', onMerging)
    await this.#announce(tx, [...counts.complete, ...(this.#part?.complete ?? [])])
    finished(1, FINISHING_STEPS)
    if (part) await parts.replaceMembers(tx, this.source, { part: part.name, isGone })
    finished(2, FINISHING_STEPS)
    return this.#merged
  }

  async commit(): Promise<void> {
    await this.#tx?.commit().execute()
    this.#tx = undefined
  }

  async rollBack(): Promise<void> {
    await this.#tx?.rollback().execute()
    this.#tx = undefined
  }

  /**
   * Withdraws the records that the archive no longer holds, and answers true. If the loss is not plausible, they stay in
   * force, and a notice of the source says so.
   */
  async #stageMissing(tx: Tx, counts: ImportCounts, part: ImportedPart): Promise<boolean> {
    await parts.rememberRead(tx, this.source)
    await rememberUnread(tx, this.source)
    const loss = await parts.chooseMissing(tx, this.source, part.name)
    if (loss.missing === 0) return true
    const isPlausible = isPlausibleLoss(loss) || part.isSmallerAccepted === true
    // A record that could not be read may be one of the missing.
    const isBelieved = isPlausible && counts.skipped === 0
    if (isBelieved) await parts.stageMissing(tx, this.source, this.#at)
    else
      counts.notice = `${part.name}: ${loss.missing} of ${loss.known} known records are missing from the archive; they stay in force.`
    return isBelieved
  }

  /** What the publisher has withdrawn. An archive may be older than that: it does not put it in force again. */
  async #stageWithdrawals(tx: Tx): Promise<void> {
    const { withdrawals, isSnapshot, isSmallerAccepted = false } = this.#part ?? {}
    if (!withdrawals) return
    if (isSnapshot === true) return parts.leaveWithdrawn(tx, this.source, withdrawals)
    const loss = await parts.chooseWithdrawn(tx, this.source, withdrawals)
    if (!isPlausibleLoss(loss) && !isSmallerAccepted)
      throw new AppError('conflict', 'implausible-withdrawal', describeWithdrawalFault(loss))
    await parts.stageMissing(tx, this.source, this.#at)
  }

  /** Links and rates what `writeNew` has written. */
  async #mergeNew(tx: Tx, onMerging: OnMerging): Promise<void> {
    const { source } = this
    const { ids, areWithdrawn, keys } = this.#new
    if (ids.length === 0) return
    this.#new = { ids: [], areWithdrawn: [], keys: new Set() }
    await news.noteNew(tx, source, { ids, areWithdrawn })
    if (this.#part?.isSnapshot === true) await news.rememberNew(tx)
    const merged = (this.#merged = addCounts(this.#merged, countsOfNew(areWithdrawn)))
    await relinkAdvisories(tx, this.#at, reported('Linking', onMerging))
    await refreshVulnerabilities(tx, source, {
      at: this.#at,
      onDone: reported('Rating', onMerging),
    })
    await news.noteKeys(tx, [...keys])
    await merge.noteChangedKeys(tx, source, countAll(merged))
    await clearMerged(tx)
  }

  async #mergeStaged(
    tx: Tx,
    onMerging: OnMerging,
    { isLast }: { isLast: boolean },
  ): Promise<merge.ChosenChanges> {
    const { source } = this
    const at = this.#at
    const chosen = await merge.chooseChanges(tx, source, { at, isLast })
    const merged = (this.#merged = addCounts(this.#merged, chosen))
    await seedRelinking(tx, source)
    await writeAdvisories(tx, source, { at, onDone: reported('Writing', onMerging) })
    await relinkAdvisories(tx, this.#at, reported('Linking', onMerging))
    await refreshVulnerabilities(tx, source, { at, onDone: reported('Rating', onMerging) })
    await merge.noteChangedKeys(tx, source, countAll(merged))
    return chosen
  }

  async #announce(tx: Tx, complete: readonly string[]): Promise<void> {
    const moved = await updateKnownDistributions(tx, this.source)
    const loaded = await parts.recordComplete(tx, this.source, { complete, at: this.#at })
    const revision = await merge.writeKnowledgeChange(tx, {
      distributions: [...moved, ...loaded.distributions].map(normaliseDistribution),
      registries: loaded.registries,
    })
    if (revision !== undefined) await this.#ctx.queue.enqueue(tx, KnowledgeChanged, { revision })
  }
}

/** The last one is the record of the success. */
export const FINISHING_STEPS = 3

function reported(step: MergeProgress['step'], onMerging: OnMerging): OnDone {
  onMerging({ step })
  return (done, total) => {
    onMerging({ step, done, total })
  }
}

function countsOfNew(areWithdrawn: readonly boolean[]): merge.CountedChanges {
  const withdrawn = areWithdrawn.filter(Boolean).length
  const newCount = areWithdrawn.length
  return { added: newCount - withdrawn, changed: 0, withdrawn, newCount }
}

const countAll = ({ added, changed, withdrawn }: merge.MergeCounts) => added + changed + withdrawn

function addCounts(a: merge.CountedChanges, b: merge.CountedChanges): merge.CountedChanges {
  return {
    added: a.added + b.added,
    changed: a.changed + b.changed,
    withdrawn: a.withdrawn + b.withdrawn,
    newCount: a.newCount + b.newCount,
  }
}
