/**
 * The state of sources and of their parts. A claim lets one of any number of workers fetch a source; a claim that is not
 * renewed runs out, so that a dead process blocks nothing. All times of claims come from the database, since the clocks
 * of nodes differ.
 */
import { sql, type UpdateObject } from 'kysely'
import { ADVISORY_PARSER_VERSION } from '../../formats/advisories/model.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { MergeProgress, PartMarks } from '../advisories/index.ts'

/** What a sync is doing at the moment. */
export type SyncPhase = 'Idle' | 'Fetching' | 'Importing'

/** How far a sync is. It is stored in the database, so that every node can show it. */
export interface SyncProgress {
  /** The current part. */
  part?: string
  partsDone: number
  partsTotal?: number
  /** What was fetched of the present file. */
  bytes?: number
  bytesTotal?: number
  /** What was imported of the present part. */
  records?: number
  /** `seconds`: since the step began. */
  merging?: MergeProgress & { seconds?: number }
}

type WrittenRun = Omit<SourceRun, 'beganAt' | 'endedAt'> & { beganAt: string; endedAt: string }

/** Every source that was ever tried. */
export async function listSources(db: Db) {
  return db
    .selectFrom('vulnerabilitySources')
    .select(['source', 'lastAttemptAt', 'lastSuccessAt', 'lastError', 'snapshotAt'])
    .select(['recordCount', 'skippedCount', 'notice', 'nextSyncAt', 'requestedAt'])
    .select('phase')
    .select(sql<WrittenRun | null>`last_run`.as('lastRun'))
    .select(sql<SyncProgress | null>`progress`.as('progress'))
    .select(sql<Record<string, number>>`skipped_reasons`.as('skippedReasons'))
    .select(sql<boolean>`coalesce(claimed_until > now(), false)`.as('isClaimed'))
    .orderBy('source')
    .$narrowType<{ source: FeedSource; phase: SyncPhase }>()
    .execute()
}

export async function listAllParts(db: Db) {
  return db
    .selectFrom('vulnerabilitySourceParts')
    .select(['source', 'part', 'completedAt', 'checkedAt', 'recordCount', 'skippedCount'])
    .select(['lastError', 'notice'])
    .orderBy('source')
    .orderBy('part')
    .execute()
}

export interface PartState extends PartMarks {
  part: string
  completedAt: Date | undefined
  snapshotReadAt: Date | undefined
  recordCount: number
}

/** A part that was read by an older version of the parser counts as never read; only its number of records is kept. */
export async function listParts(db: Db, source: FeedSource): Promise<PartState[]> {
  const rows = await db
    .selectFrom('vulnerabilitySourceParts')
    .select(['part', 'completedAt', 'snapshotReadAt', 'etag', 'lastModified', 'position'])
    .select(['recordCount', 'parserVersion'])
    .where('source', '=', source)
    .orderBy('part')
    .execute()
  return rows.map(({ parserVersion, ...row }) => {
    const isCurrent = parserVersion === null || parserVersion >= ADVISORY_PARSER_VERSION
    const known = <Value>(value: Value | null) => (isCurrent ? (value ?? undefined) : undefined)
    return {
      part: row.part,
      completedAt: known(row.completedAt),
      snapshotReadAt: known(row.snapshotReadAt),
      etag: known(row.etag),
      lastModified: known(row.lastModified),
      position: known(row.position),
      recordCount: row.recordCount,
    }
  })
}

/** There is nothing new: what is known of the part is current. */
export async function recordPartChecked(
  db: Db,
  { source, name, at, notice }: { source: FeedSource; name: string; at: Date; notice?: string },
): Promise<void> {
  const checked = { checkedAt: at, notice: notice ?? null }
  await db
    .insertInto('vulnerabilitySourceParts')
    .values({ source, part: name, ...checked })
    .onConflict((conflict) =>
      conflict.columns(['source', 'part']).doUpdateSet({ ...checked, lastError: null }),
    )
    .execute()
}

export async function recordPartFailure(
  db: Db,
  { source, name, at, error }: { source: FeedSource; name: string; at: Date; error: string },
): Promise<void> {
  const failure = { checkedAt: at, lastError: error }
  await db
    .insertInto('vulnerabilitySourceParts')
    .values({ source, part: name, ...failure })
    .onConflict((conflict) => conflict.columns(['source', 'part']).doUpdateSet(failure))
    .execute()
}

const CLAIMED_UNTIL = sql<Date>`now() + interval '90 seconds'`

export interface Claim {
  source: FeedSource
  /** The id of the sync that holds the claim. */
  by: string
}

/** Answers false while another sync holds the source, and before the source is due unless an operator asks. */
export async function claimSource(
  db: Db,
  { source, by }: Claim,
  { at, isByHand }: { at: Date; isByHand: boolean },
): Promise<boolean> {
  await db
    .insertInto('vulnerabilitySources')
    .values({ source })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { numUpdatedRows } = await db
    .updateTable('vulnerabilitySources')
    .set({
      claimedBy: by,
      claimedUntil: CLAIMED_UNTIL,
      lastAttemptAt: at,
      phase: 'Fetching',
      progress: null,
    })
    .where('source', '=', source)
    .where(sql<boolean>`(claimed_until > now()) is not true`)
    .where(sql<boolean>`(${isByHand} or (next_sync_at > now()) is not true)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Answers false when the claim is lost: it ran out, and another sync holds the source. */
export async function renewClaim(
  db: Db,
  claim: Claim,
  { phase, progress }: { phase: SyncPhase; progress: SyncProgress },
): Promise<boolean> {
  return updateClaimed(db, claim, {
    claimedUntil: CLAIMED_UNTIL,
    phase,
    progress: JSON.stringify(progress),
  })
}

export interface Release {
  /** When the source is due again. */
  nextInMs: number
  progress: SyncProgress
}

const RELEASED = { claimedBy: null, claimedUntil: null, phase: 'Idle' }

export async function releaseAfterSuccess(
  db: Db,
  claim: Claim,
  { nextInMs, progress, at, notice }: Release & { at: Date; notice: string | undefined },
): Promise<void> {
  await updateClaimed(db, claim, {
    ...RELEASED,
    progress: JSON.stringify(progress),
    lastSuccessAt: at,
    lastError: null,
    notice: notice ?? null,
    failures: 0,
    nextSyncAt: sql<Date>`now() + ${nextInMs}::float8 * interval '1 millisecond'`,
  })
}

/** The next attempt comes later after each failure, but never later than after a success. */
export async function releaseAfterFailure(
  db: Db,
  claim: Claim,
  { nextInMs, progress, error }: Release & { error: string },
): Promise<void> {
  const instants = delaysMs(nextInMs).map(
    (delay) => sql`now() + ${delay}::float8 * interval '1 millisecond'`,
  )
  await updateClaimed(db, claim, {
    ...RELEASED,
    progress: JSON.stringify(progress),
    lastError: error,
    failures: sql<number>`least(failures, 30) + 1`,
    // Citus adds no interval to an instant that depends on a column.
    nextSyncAt: sql<Date>`(array[${sql.join(instants)}])[1 + least(failures, ${instants.length - 1}::int)]`,
  })
}

const FIRST_DELAY_MS = 300_000

/** After the first failure, after the second one… Each is twice the one before, up to the longest. */
function delaysMs(longest: number): number[] {
  const delays: number[] = []
  for (let delay = FIRST_DELAY_MS; delay < longest; delay *= 2) delays.push(delay)
  return [...delays, longest]
}

/** After a stop from outside, which is not a failure: the source is due at once. */
export async function releaseUnfinished(db: Db, claim: Claim): Promise<void> {
  await updateClaimed(db, claim, { ...RELEASED, nextSyncAt: sql<Date>`now()` })
}

/** Answers false when the claim is lost. */
async function updateClaimed(
  db: Db,
  { source, by }: Claim,
  values: UpdateObject<DB, 'vulnerabilitySources'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('vulnerabilitySources')
    .set(values)
    .where('source', '=', source)
    .where('claimedBy', '=', by)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** What a run of a source did: of a sync, or of a file that somebody carried in. */
export interface SourceRun {
  kind: 'Sync' | 'Import'
  beganAt: Date
  endedAt: Date
  error: string | null
  added: number
  changed: number
  unchanged: number
  withdrawn: number
  skipped: number
}

export async function recordRun(db: Db, source: FeedSource, run: SourceRun): Promise<void> {
  await db
    .updateTable('vulnerabilitySources')
    .set({ lastRun: JSON.stringify(run) })
    .where('source', '=', source)
    .execute()
}
